package nanolegacy

import (
	"cmp"
	"encoding/json"
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
	File    string
	Error   string
	GitHash string `json:"git_hash"`
	Traces  []trace
	Samples map[string][]float64 // by trace id
}

// A trace is a pair of a trace id and a value.
type trace struct {
	ID    string
	Value float32
}

func (x *trace) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&x.ID, &x.Value})
}

// leftOut has the files with values that the reference silently leaves out, and this package's
// errors about it (N1): of Records, and of Samples.
var leftOut = map[string][2][]string{
	"ingest/samples_success.json": {
		{"results.writepix_um_bgra_srgb_640_480.8888.SHOULD_NOT_APPEAR_IN_RESULTS_BECAUSE_STRING: " +
			"Invalid type. Expected: number, given: string"},
		{"results.writepix_um_bgra_srgb_640_480.8888.samples.20: Invalid type. Expected: number, given: string"},
	},
	"ingest/success.json": {
		{"results.memory_usage_0_0.meta.SHOULD_NOT_APPEAR_IN_RESULTS_BECAUSE_STRING: Invalid type. " +
			"Expected: number, given: string"},
	},
	"ingest/unknown_branch.json": {
		{"results.memory_usage_0_0.meta.SHOULD_NOT_APPEAR_IN_RESULTS_BECAUSE_STRING: Invalid type. " +
			"Expected: number, given: string"},
	},
	"edge/bool_sub_result.json":    {{"results.T.c.ok: Invalid type. Expected: number, given: boolean"}},
	"edge/null_sub_result.json":    {{"results.T.c.ms: Invalid type. Expected: number, given: null"}},
	"edge/string_measurement.json": {{"results.T.c.ms: Invalid type. Expected: number, given: string"}},
}

func references(t *testing.T) []reference { return formattest.Answers[reference](t, "nanolegacy", 17) }

// An outcome is this package's answer about a file, in the reference's form.
type outcome struct {
	GitHash string
	Traces  []trace
	Samples map[string][]float64
	Errors  [2][]string // of Records and of Samples: path and message
}

func (o *outcome) fault(i int, err error) {
	e := err.(*format.Error)
	if o.Errors[i] = append(o.Errors[i], e.Path+": "+e.Message); e.Severity != format.Recoverable {
		o.Errors[i] = []string{"FATAL"}
	}
}

// readOutcome reads a file by the ingest rule.
func readOutcome(in string) outcome {
	var o outcome
	read := func() *Reader {
		r := NewReader(strings.NewReader(in))
		r.OptionsAsParams = true
		return r
	}
	r := read()
	if h, err := r.Header(); err == nil {
		o.GitHash = h.GitHash
	}
	for rec, err := range r.Records() {
		if err != nil {
			o.fault(0, err)
			continue
		}
		o.Traces = append(o.Traces, trace{rec.TraceID(), float32(rec.Value)})
	}
	for s, err := range read().Samples() {
		if err != nil {
			o.fault(1, err)
			continue
		}
		if o.Samples == nil {
			o.Samples = make(map[string][]float64)
		}
		o.Samples[s.Params.ID()] = slices.Clone(s.Values)
	}
	slices.SortFunc(o.Traces, func(a, b trace) int { return cmp.Compare(a.ID, b.ID) })
	return o
}

func TestCorpus(t *testing.T) {
	for _, ref := range references(t) {
		in := formattest.ReadFile(t, corpus.Dir(t, "nanolegacy"), ref.File)
		want := outcome{GitHash: ref.GitHash, Traces: ref.Traces, Samples: ref.Samples, Errors: leftOut[ref.File]}
		got := readOutcome(in)
		switch ref.Error {
		case "":
		case "File should be skipped.":
			// The reference says only this of a file without measurements. This package has no
			// error about it.
			got.GitHash = ""
		default:
			want.Errors = [2][]string{{"FATAL"}, {"FATAL"}}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reference +got):\n%s", ref.File, diff)
		}
	}
}

// By the specification's rule, the params of a measurement are the file's key and its place, and
// options are attrs.
func TestCorpusDefault(t *testing.T) {
	for _, ref := range references(t) {
		in := formattest.ReadFile(t, corpus.Dir(t, "nanolegacy"), ref.File)
		r := NewReader(strings.NewReader(in))
		h, _ := r.Header()
		n := 0
		for rec, err := range r.Records() {
			if err != nil {
				continue
			}
			n++
			place := len(rec.Params)
			for _, p := range rec.Params {
				value, ok := h.Key.Get(p.Key)
				switch {
				case p.Key == testParam || p.Key == configParam || p.Key == subResultParam:
				case ok && value == p.Value:
				default:
					place = -1
				}
			}
			if place < 3 {
				t.Errorf("%s: %s has params that aren't of the key %v", ref.File, formattest.Show(rec), h.Key)
			}
		}
		if n != len(ref.Traces) {
			t.Errorf("%s: %d measurements, want %d", ref.File, n, len(ref.Traces))
		}
	}
}

// Validate reports what the Reader leaves out, and missing results. All else are warnings.
func TestCorpusValidate(t *testing.T) {
	for _, ref := range references(t) {
		in := formattest.ReadFile(t, corpus.Dir(t, "nanolegacy"), ref.File)
		var got []string
		for e := range Format().Validate(strings.NewReader(in), format.Options{Name: ref.File}) {
			if e.Severity != format.Warning {
				got = append(got, e.Path+": "+e.Message)
			}
		}
		want := append(slices.Clone(leftOut[ref.File][0]), leftOut[ref.File][1]...)
		switch ref.File {
		case "ingest/invalid.json":
			want = []string{": found 'h', expected true"}
		case "edge/results_missing.json":
			want = []string{"(root): results is required"}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref.File, diff)
		}
	}
}
