package perun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
)

// A reference is the reference's recorded answer about a file.
type reference struct {
	File  string
	Error string

	Resources     [][2]json.RawMessage
	ResourcesFlat [][2]json.RawMessage `json:"resources_flat"`

	Models         []json.RawMessage
	Snapshots      [][2]int
	SnapshotsError string `json:"snapshots_error"`

	// For package report.
	ResourceFields  json.RawMessage `json:"resource_fields"`
	NumericalFields json.RawMessage `json:"numerical_fields"`
	ModelFields     json.RawMessage `json:"model_fields"`
	ModelsParam     json.RawMessage `json:"models_param"`
	ModelsNonparam  json.RawMessage `json:"models_nonparam"`
	Unique          json.RawMessage
	UniqueModels    json.RawMessage `json:"unique_models"`
	Folded          json.RawMessage
	FoldedError     string          `json:"folded_error"`
	DataframeFields json.RawMessage `json:"dataframe_columns"`
	DataframeRows   int             `json:"dataframe_rows"`
	PlotPoints      json.RawMessage `json:"plot_points"`
}

func references(t *testing.T) []reference {
	t.Helper()
	var refs []reference
	for line := range strings.Lines(formattest.ReadFile(t, corpus.Dir(t, "perun"), "expected.ndjson")) {
		line = strings.ReplaceAll(line, "[NaN,", `["NaN",`) // Python writes it, Go doesn't read it
		var ref reference
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&ref); err != nil {
			t.Fatal(err) // something of the answers would not be compared
		}
		refs = append(refs, ref)
	}
	return refs
}

// openCorpus returns a Reader of a file of the corpus.
func openCorpus(t *testing.T, name string) *Reader {
	t.Helper()
	r := NewReader(strings.NewReader(formattest.ReadFile(t, corpus.Dir(t, "perun"), filepath.Base(name))))
	r.Name = filepath.Base(name)
	return r
}

func parseValue(t *testing.T, data []byte) Value {
	t.Helper()
	s := jsonscan.New(bytes.NewReader(bytes.ReplaceAll(data, []byte(`["NaN",`), []byte("[NaN,"))), "",
		format.Limits{}.WithDefaults())
	s.AllowNaN()
	v := readValue(s, func(b []byte) string { return string(b) })
	if s.End(); s.Err() != nil {
		t.Fatal(s.Err())
	}
	return v
}

func parseValues(t *testing.T, data []json.RawMessage) (values []Value) {
	for _, d := range data {
		values = append(values, parseValue(t, d))
	}
	return values
}

// corpusErrors has this package's errors about files that the reference refuses, or reads without
// an error.
var corpusErrors = map[string][]string{
	"corrupted-global.perf": {"corrupted-global.perf:50:3: test: resources are not allowed here and are ignored"},
	"corrupted-snapshots.perf": {
		"corrupted-snapshots.perf:20:5: snapshots.0: resources is required",
		"corrupted-snapshots.perf:23:5: snapshots.1: resources is required",
	},
	"err-prof-1-incomplete.perf": {"FATAL err-prof-1-incomplete.perf:15:16: " +
		"unexpected end of input, expected the end of the string"},
}

func TestCorpusResources(t *testing.T) {
	for _, ref := range references(t) {
		t.Run(ref.File, func(t *testing.T) {
			var want, got []string
			for _, res := range ref.Resources {
				want = append(want, string(res[0])+" "+string(parseValue(t, res[1]).AppendKey(nil)))
			}
			var wantFlat, gotFlat []string
			for _, res := range ref.ResourcesFlat {
				wantFlat = append(wantFlat, string(res[0])+" "+string(parseValue(t, res[1]).AppendKey(nil)))
			}
			r := openCorpus(t, ref.File)
			defer r.Close()
			var errs []string
			for res, err := range r.Resources() {
				if err != nil {
					errs = append(errs, formattest.ShowError(err))
					continue
				}
				got = append(got, fmt.Sprintf("%d %s", res.Snapshot, objectOf(res.Fields...).AppendKey(nil)))
				flat, err := res.Fields.Flatten()
				if err != nil {
					t.Error(err)
				}
				gotFlat = append(gotFlat, fmt.Sprintf("%d %s", res.Snapshot, objectOf(flat...).AppendKey(nil)))
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("resources (-reference +got):\n%s", diff)
			}
			if diff := gocmp.Diff(wantFlat, gotFlat); diff != "" {
				t.Errorf("flattened resources (-reference +got):\n%s", diff)
			}
			if diff := gocmp.Diff(corpusErrors[filepath.Base(ref.File)], errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// The records have the same values as the flattened resources.
func TestCorpusRecords(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue // TestCorpusResources shows what there is of it
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			h, err := r.Header()
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for rec, err := range r.Records() {
				if err != nil {
					if e := err.(*format.Error); e.Severity != format.Recoverable {
						t.Error(err)
					}
					continue
				}
				flat := parseValue(t, ref.ResourcesFlat[n][1]).Fields()
				n++
				want := map[string]string{}
				for _, f := range flat {
					if f.Key != "amount" {
						want[f.Key] = f.Value.String()
					}
				}
				for key, value := range map[string]string{
					"cmd":       h.Cmd,
					"args":      h.Args,
					"workload":  h.Workload,
					"collector": h.Collector.Name,
					"unit":      h.Unit(want["type"], want["subtype"]),
				} {
					if value != "" {
						want[key] = value
					}
				}
				got := rec.Attrs.Map()
				for k, v := range rec.Params.All() {
					if _, both := got[k]; both {
						t.Errorf("%s is both a param and an attr", k)
					}
					got[k] = v
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("(-reference +got):\n%s", diff)
				}
				amount, _ := flat.Get("amount")
				if f, _ := amount.Float(); f != rec.Value {
					t.Errorf("value %v, want %v", rec.Value, f)
				}
			}
			if n != len(ref.Resources) {
				t.Errorf("%d records, want %d", n, len(ref.Resources))
			}
		})
	}
}

func TestCorpusModels(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			var values []Value
			for m, err := range r.Models() {
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, objectOf(m.Fields...))
			}
			if diff := gocmp.Diff(parseValues(t, ref.Models), values); diff != "" {
				t.Errorf("models (-reference +got):\n%s", diff)
			}
		})
	}
}

// The reference does not find the last snapshot of a profile without resources. Here, such a
// profile has no snapshots.
func TestCorpusSnapshots(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			var snapshots [][2]int
			for res, err := range r.ResourcesBySnapshot() {
				if err != nil {
					if e := err.(*format.Error); e.Severity != format.Recoverable {
						t.Error(err)
					}
					continue
				}
				for len(snapshots) <= res.Snapshot {
					snapshots = append(snapshots, [2]int{len(snapshots), 0})
				}
				snapshots[res.Snapshot][1]++
			}
			if diff := gocmp.Diff(ref.Snapshots, snapshots); diff != "" {
				t.Errorf("snapshots (-reference +got):\n%s", diff)
			}
			if ref.SnapshotsError != "" && len(ref.Resources) > 0 {
				t.Errorf("the reference fails: %s", ref.SnapshotsError)
			}
		})
	}
}

// Every file of the corpus has an answer, except the stored object.
func TestCorpusComplete(t *testing.T) {
	var have []string
	for _, ref := range references(t) {
		have = append(have, filepath.Base(ref.File))
	}
	for _, file := range corpus.Glob(t, corpus.Dir(t, "perun"), "*.perf") {
		if !slices.Contains(have, filepath.Base(file)) {
			t.Errorf("no answer about %s", file)
		}
	}
	if len(have) < 19 {
		t.Errorf("%d answers", len(have))
	}
}
