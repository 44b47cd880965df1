package perfdata_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

const conformance = "testdata/conformance"

// Every case of the conformance corpus gives the header, records, samples, errors and findings in
// the file beside it. With -update, the test writes these files.
func TestConformance(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(conformance, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range cases {
		if filepath.Ext(file) == ".jsonl" {
			continue
		}
		n++
		name, _ := filepath.Rel(conformance, file)
		t.Run(filepath.ToSlash(name), func(t *testing.T) { checkCase(t, file) })
	}
	if n < 100 {
		t.Errorf("found %d cases, want at least 100", n)
	}
}

func checkCase(t *testing.T, file string) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for _, line := range answers(t, file) {
		if err := lines.Encode(line); err != nil {
			t.Fatal(err)
		}
	}

	wanted := strings.TrimSuffix(file, filepath.Ext(file)) + ".jsonl"
	if *update {
		if err := os.WriteFile(wanted, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(wanted)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", wanted, diff)
	}
}

// The lines of an answer, as the corpus's README describes them.
type (
	headerLine struct {
		Header struct {
			Commit   string `json:"commit,omitempty"`
			Issue    string `json:"issue,omitempty"`
			Patchset string `json:"patchset,omitempty"`
		} `json:"header"`
	}
	recordLine struct {
		ID     string            `json:"id"`
		Params map[string]string `json:"params"`
		Value  number            `json:"value"`
		Links  map[string]string `json:"links,omitempty"`
		Attrs  map[string]string `json:"attrs,omitempty"`
	}
	samplesLine struct {
		Samples []number          `json:"samples"`
		Params  map[string]string `json:"params"`
	}
	errorLine struct {
		Error fault `json:"error"`
	}
	findingLine struct {
		Finding fault `json:"finding"`
	}
	fault struct {
		File    string `json:"file,omitempty"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Path    string `json:"path,omitempty"`
		Message string `json:"message"`
		Fatal   bool   `json:"fatal,omitempty"`
		Warning bool   `json:"warning,omitempty"`
	}
)

// A number is a value in JSON, or one of the strings NaN, +Inf and -Inf.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Appendf(nil, `"%+v"`, f), nil
	}
	return json.Marshal(float64(n))
}

func newFault(file string, e *format.Error) fault {
	inner := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(e.Name), filepath.ToSlash(file)), "/")
	return fault{File: inner, Line: e.Line, Column: e.Column, Path: e.Path, Message: e.Message,
		Warning: e.Severity == format.Warning}
}

func answers(t *testing.T, file string) (lines []any) {
	f := openCase(t, file)
	defer f.Close()
	if h, err := f.FileHeader(); err == nil {
		var line headerLine
		line.Header.Commit, line.Header.Issue, line.Header.Patchset = h.Commit, h.Issue, h.Patchset
		lines = append(lines, line)
	}
	for rec, err := range f.Records() {
		if err != nil {
			var e *format.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			fault := newFault(file, e)
			fault.Fatal = e.Severity != format.Recoverable
			lines = append(lines, errorLine{fault})
			continue
		}
		lines = append(lines, recordLine{rec.TraceID(), rec.Params.Map(), number(rec.Value), rec.Links.Map(), rec.Attrs.Map()})
	}

	g := openCase(t, file)
	defer g.Close()
	if r, ok := g.Reader.(*nanolegacy.Reader); ok {
		for s := range r.Samples() {
			if s == nil {
				continue
			}
			line := samplesLine{Params: s.Params.Map()}
			for _, value := range s.Values {
				line.Samples = append(line.Samples, number(value))
			}
			lines = append(lines, line)
		}
	}

	h := openCase(t, file)
	defer h.Close()
	for e := range h.Validate() {
		lines = append(lines, findingLine{newFault(file, e)})
	}
	return lines
}

// openCase opens a case with the options that the name of its folder means.
func openCase(t *testing.T, file string) *perfdata.File {
	name, option, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
	setting := map[string]string{
		"ingest": "nanolegacy.options-as-params", "missing-as-zero": "skiav1.missing-as-zero", "tidy": "benchfmt.tidy",
	}
	var settings map[string]string
	if option != "" && setting[option] != "" {
		settings = map[string]string{setting[option]: "true"}
	}
	f, err := perfdata.Opener{Options: format.Options{Settings: settings}, Format: name}.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The IDs and queries of the corpus give its answers. IDs never change: these are golden.
func TestConformanceIDs(t *testing.T) {
	for line := range jsonLines[struct {
		Params map[string]string
		ID     string
		Strict bool
	}](t, "ids") {
		params := traceid.FromMap(line.Params)
		if id := params.ID(); id != line.ID {
			t.Errorf("%v.ID() = %q, want %q", params, id, line.ID)
		}
		if id, err := traceid.MakeStrict(params); (err == nil) != line.Strict {
			t.Errorf("Make(%v) = %q, %v; want an ID: %v", params, id, err, line.Strict)
		}
	}

	for line := range jsonLines[struct {
		ID    string
		Valid bool
	}](t, "valid") {
		if valid := traceid.Valid(line.ID); valid != line.Valid {
			t.Errorf("Valid(%q) = %v", line.ID, valid)
		}
	}

	for line := range jsonLines[struct {
		Query string
		Match []string
		Error bool
	}](t, "queries") {
		query, err := traceid.ParseQuery(line.Query)
		if (err != nil) != line.Error {
			t.Errorf("ParseQuery(%q): %v, want an error: %v", line.Query, err, line.Error)
		}
		if err != nil {
			continue
		}
		match := []string{}
		for trace := range jsonLines[struct{ ID string }](t, "traces") {
			if ok, err := query.MatchID(trace.ID); err != nil {
				t.Error(err)
			} else if ok {
				match = append(match, trace.ID)
			}
		}
		if diff := cmp.Diff(line.Match, match); diff != "" {
			t.Errorf("query %q (-want +got):\n%s", line.Query, diff)
		}
	}
}

// jsonLines iterates over the lines of a file about trace IDs.
func jsonLines[T any](t *testing.T, name string) iter.Seq[T] {
	data, err := os.ReadFile(filepath.Join(conformance, "traceid", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(T) bool) {
		for in := json.NewDecoder(bytes.NewReader(data)); ; {
			var line T
			if err := in.Decode(&line); err == io.EOF || err == nil && !yield(line) {
				return
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
