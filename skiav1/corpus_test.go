package skiav1

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
)

// A reference is the reference's recorded answer about a file.
type reference struct {
	File             string
	Error            string
	GitHash          string            `json:"git_hash"`
	Links            map[string]string // the file's
	Traces           []trace
	MeasurementLinks map[string]map[string]string `json:"measurement_links"`
	Violations       []string
	ValidateError    string `json:"validate_error"`
}

// A trace is a pair of a trace id, null without params, and a value.
type trace struct {
	ID    string
	Value float32
}

func (x *trace) UnmarshalJSON(data []byte) error {
	var id *string
	if err := json.Unmarshal(data, &[]any{&id, &x.Value}); err != nil {
		return err
	}
	if id != nil {
		x.ID = *id
	}
	return nil
}

// departures has the files about which this package and the reference disagree, and the numbers
// of the departures in doc.go.
var departures = map[string]string{
	"edge/float32_overflow.json":      "S4", // is read
	"edge/neither_measurement.json":   "S1", // the false 0 is an error
	"edge/nulls.json":                 "S1, S6",
	"edge/measurement_is_string.json": "S1", // only this measurement is left out
	"edge/trailing_data.json":         "S5", // is refused
}

func references(t *testing.T) []reference { return formattest.Answers[reference](t, "skiav1", 30) }

// An outcome is this package's answer about a file, in the reference's form.
type outcome struct {
	GitHash          string
	Links            map[string]string
	Traces           []trace
	MeasurementLinks map[string]map[string]string
	Errors           []string
}

func readOutcome(file string) outcome {
	f, err := os.Open(file)
	if err != nil {
		return outcome{Errors: []string{err.Error()}}
	}
	defer f.Close()
	r := NewReader(f)
	var o outcome
	h, _ := r.Header()
	o.GitHash = h.GitHash
	if len(h.Links) > 0 {
		o.Links = h.Links.Map()
	}
	for rec, err := range r.Records() {
		if err != nil {
			o.Errors = append(o.Errors, err.Error())
			continue
		}
		o.Traces = append(o.Traces, trace{rec.TraceID(), float32(rec.Value)})
		if len(rec.Links) > 0 {
			if o.MeasurementLinks == nil {
				o.MeasurementLinks = make(map[string]map[string]string)
			}
			o.MeasurementLinks[rec.TraceID()] = rec.Links.Map()
		}
	}
	slices.SortFunc(o.Traces, func(a, b trace) int { return cmp.Compare(a.ID, b.ID) })
	return o
}

func TestCorpus(t *testing.T) {
	for _, ref := range references(t) {
		got := readOutcome(filepath.Join(corpus.Dir(t, "skiav1"), ref.File))
		if _, ok := departures[ref.File]; ok {
			continue // TestDepartures
		}
		if ref.Error == "File should be skipped." {
			// The reference says this of a file without measurements. This package has no error
			// about it.
			if len(got.Traces) > 0 || len(got.Errors) > 0 {
				t.Errorf("%s: %+v, want no measurement and no error", ref.File, got)
			}
			continue
		}
		if ref.Error != "" {
			if len(got.Errors) == 0 {
				t.Errorf("%s: %+v, want an error, as the reference says: %s", ref.File, got, ref.Error)
			}
			continue
		}
		want := outcome{
			GitHash:          ref.GitHash,
			Links:            ref.Links,
			Traces:           ref.Traces,
			MeasurementLinks: ref.MeasurementLinks,
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reference +got):\n%s", ref.File, diff)
		}
	}
}

// TestDepartures shows each departure of doc.go for which the corpus has a file. TestReader shows
// the others.
func TestDepartures(t *testing.T) {
	dir := corpus.Dir(t, "skiav1")
	want := map[string]outcome{
		"edge/float32_overflow.json": {GitHash: "abc123", Traces: []trace{
			{
				ID:    ",test=a,",
				Value: float32(math.Inf(1)),
			},
		}},
		"edge/neither_measurement.json": {GitHash: "abc123", Traces: []trace{{",test=u,", 4}},
			Errors: []string{"1:48: results.0: missing number: measurement or measurements is required"}},
		"edge/nulls.json": {GitHash: "abc123", Errors: []string{
			"1:72: results.0: missing number: measurement or measurements is required",
			"1:112: results.1: the measurement has no params"}},
		"edge/measurement_is_string.json": {GitHash: "abc123",
			Errors: []string{"1:82: results.0.measurement: Invalid type. Expected: number, given: string"}},
		"edge/trailing_data.json": {Errors: []string{"1:87: data after the end of the document"}},
	}
	for file, number := range departures {
		got := readOutcome(filepath.Join(dir, file))
		if want[file].GitHash == "" {
			got.GitHash = "" // what the header has when it is refused doesn't matter
		}
		if diff := gocmp.Diff(want[file], got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", file, number, diff)
		}
	}
	// S2 and S3 have no file in the corpus.
	r := NewReader(strings.NewReader(`{"version":1,"Git_Hash":"x","results":[{"Key":{"a":"b"},` +
		`"key":{"c":"d"},"measurement":1}]}`))
	if h, err := r.Header(); h.GitHash != "" || err != nil {
		t.Errorf("S2: %+v, %v", h, err)
	}
	if diff := gocmp.Diff([]string{"c=d = 1"}, formattest.All(r)); diff != "" {
		t.Errorf("S2 (-want +got):\n%s", diff)
	}
	if _, err := NewReader(strings.NewReader(`{"version":1,"version":1}`)).Header(); err == nil {
		t.Error("S3: no error")
	}
}

// MissingAsZero restores the reference's false zeros.
func TestMissingAsZeroCorpus(t *testing.T) {
	for _, ref := range references(t) {
		if ref.File != "edge/neither_measurement.json" {
			continue
		}
		in := formattest.ReadFile(t, corpus.Dir(t, "skiav1"), ref.File)
		r := NewReader(strings.NewReader(in))
		r.MissingAsZero = true
		var got []trace
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, trace{rec.TraceID(), float32(rec.Value)})
		}
		if diff := gocmp.Diff(ref.Traces, got); diff != "" {
			t.Errorf("(-reference +got):\n%s", diff)
		}
	}
}

// Validate reports the same violations as the reference's schema validation, in the same words.
func TestCorpusViolations(t *testing.T) {
	for _, ref := range references(t) {
		in := formattest.ReadFile(t, corpus.Dir(t, "skiav1"), ref.File)
		var got []string
		var other []*format.Error
		for e := range Format().Validate(strings.NewReader(in), format.Options{Name: ref.File}) {
			if errors.Is(e, format.ErrSchema) {
				got = append(got, e.Path+": "+e.Message)
			} else if e.Severity != format.Warning {
				other = append(other, e)
			}
		}
		var want []string
		for i, v := range ref.Violations {
			want = append(want, strings.TrimPrefix(v, fmt.Sprintf("%d: ", i)))
		}
		slices.Sort(want) // the reference lists them without order
		slices.Sort(got)
		if strings.HasPrefix(ref.ValidateError, "failed to parse") {
			// The reference decodes the file first, and stops at an error.
			if len(other)+len(got) == 0 {
				t.Errorf("%s: valid, but the reference says: %s", ref.File, ref.ValidateError)
			}
			continue
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reference +got):\n%s", ref.File, diff)
		}
	}
}
