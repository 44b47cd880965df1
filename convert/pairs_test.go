package convert_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/traceid"
)

// A content is everything that a file has.
type content struct {
	header  format.Header
	recs    []*format.Record
	samples []*format.Samples
	models  []*perun.Model
}

// readAll returns the content of a file, or an error that ends the reading. What else cannot be
// read is left out.
func readAll(info format.Format, data []byte, optionsAsParams bool) (c content, err error) {
	open := func() format.Reader {
		r := info.Open(nil, bytes.NewReader(data), format.Options{})
		if legacy, ok := r.(*nanolegacy.Reader); ok {
			legacy.OptionsAsParams = optionsAsParams
		}
		return r
	}
	fatal := func(e error) bool {
		if e, ok := e.(*format.Error); ok && e.Severity == format.Recoverable {
			return false
		}
		err = e
		return e != nil
	}

	r := open()
	if c.header, err = r.FileHeader(); err != nil {
		return c, err
	}
	for rec, err := range r.Records() {
		switch {
		case err == nil:
			c.recs = append(c.recs, rec.Clone())
		case fatal(err):
			return c, err
		}
	}
	switch r := open().(type) {
	case *nanolegacy.Reader:
		for s, err := range r.Samples() {
			if err == nil {
				c.samples = append(c.samples, s.Clone())
			}
		}
	case *perun.Reader:
		for m, err := range r.Models() {
			if err == nil {
				c.models = append(c.models, m)
			}
		}
		r.Close()
	}
	return c, err
}

// convertTo writes a content in a format. A content without a commit gets one if the format
// requires it.
func convertTo(t testing.TB, to format.Format, c content) (data []byte, w *convert.Writer) {
	t.Helper()
	return convertWith(t, to, c, "")
}

func convertWith(t testing.TB, to format.Format, c content, commit string) (data []byte, w *convert.Writer) {
	t.Helper()
	s := convert.NewSurvey(to)
	c.header.Commit = cmp.Or(c.header.Commit, commit)
	s.AddHeader(c.header)
	for _, rec := range c.recs {
		s.Add(rec)
	}
	for _, samples := range c.samples {
		s.AddSamples(samples)
	}
	var out bytes.Buffer
	w, err := s.NewWriter(&out)
	if errors.Is(err, convert.ErrNoCommit) && commit == "" {
		return convertWith(t, to, c, addedCommit)
	}
	if err != nil {
		t.Fatal(err)
	}

	for _, rec := range c.recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	for _, samples := range c.samples {
		if err := w.WriteSamples(samples); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range c.models {
		if err := w.WriteModel(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w
}

const addedCommit = "3a1f09c"

// readBack reads what a Writer has written.
func readBack(t testing.TB, info format.Format, data []byte, w *convert.Writer) content {
	t.Helper()
	asParams := slices.ContainsFunc(w.Losses(), func(l convert.Loss) bool { return l.Kind == convert.AddedOptions })
	c, err := readAll(info, data, asParams)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// byCommit splits a content as users do whose target holds one commit.
func byCommit(c content) []content {
	var parts []content
	index := make(map[string]int)
	for _, rec := range c.recs {
		commit := convert.Commit(c.header, rec)
		i, ok := index[commit]
		if !ok {
			i = len(parts)
			index[commit] = i
			parts = append(parts, content{header: c.header})
		}
		parts[i].recs = append(parts[i].recs, rec)
	}
	if len(parts) == 0 {
		return []content{c}
	}
	parts[0].samples, parts[0].models = c.samples, c.models
	return parts
}

// A differ lists how records differ that should be the same.
type differ struct{ params, values, attrs, links, order, samples, models bool }

// compareContent compares a content with its converted form. A commit that had to be added is not
// a difference.
func (d *differ) compareContent(want, got content) {
	for _, rec := range got.recs {
		rec.Params = slices.DeleteFunc(rec.Params, func(p traceid.Param) bool { return p.Value == addedCommit && p.Key == "commit" })
	}
	d.compare(want.recs, got.recs)
	d.samples = d.samples || !slices.Equal(samplesText(want.samples), samplesText(got.samples))
	d.models = d.models || !slices.Equal(modelsText(want.models), modelsText(got.models))
}

func samplesText(list []*format.Samples) []string {
	var lines []string
	for _, s := range list {
		if len(s.Values) > 0 {
			lines = append(lines, fmt.Sprint(s.Params, s.Values))
		}
	}
	slices.Sort(lines)
	return lines
}

func modelsText(list []*perun.Model) []string {
	var lines []string
	for _, m := range list {
		lines = append(lines, fmt.Sprint(m.Fields))
	}
	return lines
}

func (d *differ) compare(want, got []*format.Record) {
	show := func(recs []*format.Record, sorted bool, of func(*format.Record) string) string {
		var lines []string
		for _, rec := range recs {
			lines = append(lines, of(rec))
		}
		if sorted {
			slices.Sort(lines)
		}
		return strings.Join(lines, "\n")
	}
	differs := func(sorted bool, of func(*format.Record) string) bool {
		return show(want, sorted, of) != show(got, sorted, of)
	}
	value := func(r *format.Record) string { return fmt.Sprint(r.Value) }
	params := func(r *format.Record) string { return fmt.Sprint(r.Params) }
	of := func(fs ...func(*format.Record) string) func(*format.Record) string {
		return func(r *format.Record) string {
			var all []string
			for _, f := range fs {
				all = append(all, f(r))
			}
			return strings.Join(all, " ")
		}
	}
	if len(got) < len(want) { // JSON cannot hold all
		want = slices.DeleteFunc(slices.Clone(want), func(r *format.Record) bool { return math.IsNaN(r.Value) || math.IsInf(r.Value, 0) })
		d.values = true
	}
	d.values = d.values || differs(true, value)
	d.params = d.params || differs(true, params)
	if !d.params && differs(true, of(params, value)) {
		d.values = true
	}
	pairs := func(p traceid.Params) string {
		if len(p) == 0 {
			return ""
		}
		return fmt.Sprint(p)
	}
	d.attrs = d.attrs || differs(true, of(value, func(r *format.Record) string { return pairs(r.Attrs) }))
	hasLinks := func(r *format.Record) bool { return len(r.Links) > 0 }
	if slices.ContainsFunc(want, hasLinks) || slices.ContainsFunc(got, hasLinks) {
		d.links = d.links || differs(true, of(value, func(r *format.Record) string { return pairs(r.Links) }))
	}
	d.order = d.order || differs(false, value) && !differs(true, value)
}

// String returns a letter for each kind of difference.
func (d differ) String() string {
	var kinds []string
	for _, k := range []struct {
		is     bool
		letter string
	}{{d.params, "P"}, {d.values, "V"}, {d.attrs, "A"}, {d.links, "L"}, {d.order, "O"}, {d.samples, "S"}, {d.models, "M"}} {
		if k.is {
			kinds = append(kinds, k.letter)
		}
	}
	return cmp.Or(strings.Join(kinds, " "), "=")
}

// The table of what converting there and back changes is that in the package comment.
func TestPairs(t *testing.T) {
	var table strings.Builder
	formats := slices.DeleteFunc(perfdata.Formats(), func(f format.Format) bool { return f.NewWriter == nil })
	fmt.Fprintf(&table, "//\t%-12s", "")
	for _, to := range formats {
		fmt.Fprintf(&table, "  %-11s", to.Name)
	}
	for _, from := range formats {
		fmt.Fprintf(&table, "\n//\t%-12s", from.Name)
		files := make(map[string]content)
		for _, file := range filesOf(t, from.Name) {
			c, err := readAll(from, []byte(formattest.ReadFile(t, file)), false)
			if err != nil || len(c.recs) == 0 {
				t.Fatalf("%s: %d records, %v", file, len(c.recs), err)
			}
			c.recs = c.recs[:min(len(c.recs), 300)]
			files[file] = c
		}
		for _, to := range formats {
			var d differ
			for file, c := range files {
				d.add(thereAndBack(t, file, c, from, to))
			}
			fmt.Fprintf(&table, "  %-11s", d.String())
		}
	}

	trimmed := ""
	for line := range strings.Lines(table.String()) {
		trimmed += strings.TrimRight(line, " \n") + "\n"
	}
	if !strings.Contains(formattest.ReadFile(t, "doc.go"), trimmed) {
		t.Errorf("doc.go should have this table:\n%s", trimmed)
	}
}

func (d *differ) add(e differ) {
	d.params, d.values, d.attrs, d.links = d.params || e.params, d.values || e.values, d.attrs || e.attrs, d.links || e.links
	d.order, d.samples, d.models = d.order || e.order, d.samples || e.samples, d.models || e.models
}

// thereAndBack converts the content of a file to another format and back, and returns what differs.
func thereAndBack(t *testing.T, file string, c content, from, to format.Format) (d differ) {
	parts := []content{c}
	if to.Name != "benchfmt" {
		parts = byCommit(c)
	}
	for _, part := range parts {
		written, w := convertTo(t, to, part)
		for err := range to.Validate(bytes.NewReader(written), format.Options{Name: to.Name}) {
			if err.Severity != format.Warning {
				t.Errorf("%s to %s: %v", file, to.Name, err)
				break
			}
		}
		again, back := convertTo(t, from, readBack(t, to, written, w))
		var this differ
		this.compareContent(part, readBack(t, from, again, back))
		t.Logf("%s to %s: %v: %v", filepath.Base(file), to.Name, this, w.Losses())
		d.add(this)
	}
	return d
}

// filesOf returns the files of a format's folder of testdata from which records can be read.
func filesOf(t testing.TB, name string) []string {
	files, err := filepath.Glob("../testdata/" + name + "/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", name, err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return strings.Contains(file, "invalid") || strings.HasSuffix(file, ".object") // the latter is tested in perun/object
	})
}

// A profile that lacks members that the specification requires gets them, and the losses say what
// was added and left out.
func TestProfileIsCompleted(t *testing.T) {
	for _, test := range []struct {
		name, in string
		records  int
	}{
		{"nothing but resources", `{"global":[{"amount":1},{"amount":2,"uid":"u"}]}`, 2},
		{"an unknown type", `{"header":{"type":"speed","cmd":"c","units":{"speed":"m/s"}},"global":[{"amount":1,"uid":"u"}]}`, 1},
		{"no collector's name", `{"header":{"type":"time"},"collector_info":{},"resources":{"a":{"amount":[1,2]}},"resource_type_map":{"a":{"subtype":"s"}}}`, 2},
		{"misplaced resources", `{"header":{"type":"time"},"collector_info":{"name":"c"},"chunk":{"resources":[]},"global":[{"amount":1,"uid":"u"}]}`, 1},
		{"a header of wrong types", `{"header":{"type":1,"cmd":2,"units":[null]},"collector_info":"x","postprocessors":[3],"global":[{"amount":1,"uid":"u"}]}`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := perun.NewReader(strings.NewReader(test.in))
			header, err := r.FileHeader()
			if err != nil {
				t.Fatal(err)
			}
			var recs []*format.Record
			for rec, err := range r.Records() {
				if e, ok := err.(*format.Error); ok && e.Severity != format.Recoverable {
					t.Fatal(err)
				}
				if err == nil {
					recs = append(recs, rec.Clone())
				}
			}
			data, w := convertTo(t, perun.Format(), content{header: header, recs: recs})
			back := readBack(t, perun.Format(), data, w).recs
			for e := range perun.Format().Validate(bytes.NewReader(data), format.Options{}) {
				if e.Severity != format.Warning {
					t.Errorf("%v: %s", e, data)
				}
			}
			if len(back) != test.records || len(w.Losses()) == 0 {
				t.Errorf("%d records, want %d; losses %v", len(back), test.records, w.Losses())
			}
		})
	}
}
