package convert_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/traceid"
)

// readAll returns the records of a file, and its header. What can't be read is left out.
func readAll(t testing.TB, info format.Info, data []byte, optionsAsParams bool) (format.Header, []*format.Record) {
	t.Helper()
	r := info.NewReader(bytes.NewReader(data), "", format.Limits{})
	if legacy, ok := r.(*nanolegacy.Reader); ok {
		legacy.OptionsAsParams = optionsAsParams
	}
	header, err := r.FileHeader()
	if err != nil {
		t.Fatal(err)
	}
	var recs []*format.Record
	for rec, err := range r.Records() {
		if err == nil {
			recs = append(recs, rec.Clone())
		}
	}
	return header, recs
}

// convertTo writes records in a format, and returns what it has written, read back, too.
func convertTo(t testing.TB, to format.Info, header format.Header, recs []*format.Record) (data []byte, w *convert.Writer, newHeader format.Header, back []*format.Record) {
	t.Helper()
	var s convert.Survey
	s.AddHeader(header)
	for _, rec := range recs {
		s.Add(rec)
	}
	var out bytes.Buffer
	w, err := convert.NewWriter(to.Name, &out, &s)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	asParams := slices.ContainsFunc(w.Losses(), func(l convert.Loss) bool { return l.Kind == convert.AddedOptions })
	newHeader, back = readAll(t, to, out.Bytes(), asParams)
	return out.Bytes(), w, newHeader, back
}

// A differ lists how records differ that should be the same.
type differ struct{ params, values, attrs, links, order bool }

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
	if len(got) < len(want) { // what JSON can't hold was left out
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
	d.links = d.links || differs(true, of(value, func(r *format.Record) string { return pairs(r.Links) }))
	d.order = d.order || differs(false, value) && !differs(true, value)
}

func (d differ) String() string {
	var kinds []string
	for _, k := range []struct {
		is   bool
		name string
	}{{d.params, "params"}, {d.values, "values"}, {d.attrs, "attrs"}, {d.links, "links"}, {d.order, "order"}} {
		if k.is {
			kinds = append(kinds, k.name)
		}
	}
	return cmp.Or(strings.Join(kinds, ", "), "nothing")
}

// The table of what converting there and back changes is that in the package comment.
func TestPairs(t *testing.T) {
	var table strings.Builder
	formats := perfdata.Formats()
	fmt.Fprintf(&table, "//\t%-12s", "")
	for _, to := range formats {
		fmt.Fprintf(&table, "  %-28s", to.Name)
	}
	for _, from := range formats {
		fmt.Fprintf(&table, "\n//\t%-12s", from.Name)
		for _, to := range formats {
			var d differ
			for _, file := range filesOf(t, from.Name) {
				header, recs := readAll(t, from, []byte(formattest.ReadFile(t, file)), false)
				if len(recs) == 0 {
					t.Errorf("%s: no records", file)
				}
				if len(recs) > 1000 {
					recs = recs[:1000]
				}
				written, w, newHeader, there := convertTo(t, to, header, recs)
				if len(there) != len(recs) && !strings.Contains(fmt.Sprint(w.Losses()), "measurements left out") {
					t.Errorf("%s to %s: %d records, %d before: %v", file, to.Name, len(there), len(recs), w.Losses())
				}
				for err := range to.Validate(bytes.NewReader(written), to.Name, format.Limits{}) {
					if !err.Warning {
						t.Errorf("%s to %s: %v", file, to.Name, err)
						break
					}
				}
				_, _, _, back := convertTo(t, from, newHeader, there)
				var this differ
				this.compare(recs, back)
				t.Logf("%s to %s: %v: %v", filepath.Base(file), to.Name, this, w.Losses())
				d.compare(recs, back)
			}
			fmt.Fprintf(&table, "  %-28s", d.String())
		}
	}
	want := strings.ReplaceAll(table.String(), " \n", "\n")
	trimmed := ""
	for line := range strings.Lines(want) {
		trimmed += strings.TrimRight(line, " \n") + "\n"
	}
	if !strings.Contains(formattest.ReadFile(t, "doc.go"), trimmed) {
		t.Errorf("doc.go should have this table:\n%s", trimmed)
	}
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

// A profile that lacks what the specification requires becomes one that has it, and says what was added and left out.
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
				if e, ok := err.(*format.Error); ok && !e.Recoverable {
					t.Fatal(err)
				}
				if err == nil {
					recs = append(recs, rec.Clone())
				}
			}
			data, w, _, back := convertTo(t, perun.Info(), header, recs)
			for e := range perun.Validate(bytes.NewReader(data), "", format.Limits{}) {
				if !e.Warning {
					t.Errorf("%v: %s", e, data)
				}
			}
			if len(back) != test.records || len(w.Losses()) == 0 {
				t.Errorf("%d records, want %d; losses %v", len(back), test.records, w.Losses())
			}
		})
	}
}
