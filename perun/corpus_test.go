package perun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/corpus"
	"perfdata/internal/formattest"
	"perfdata/internal/jsonscan"
)

// A reference is what the reference implementation says of a file.
type reference struct {
	File  string
	Error string

	Resources     [][2]json.RawMessage
	ResourcesFlat [][2]json.RawMessage `json:"resources_flat"`

	ResourceFields  []string `json:"resource_fields"`
	NumericalFields []string `json:"numerical_fields"`

	Models          []json.RawMessage
	ModelFields     []string `json:"model_fields"`
	ModelsParam     []int    `json:"models_param"`
	ModelsNonparam  []int    `json:"models_nonparam"`
	Snapshots       [][2]int
	SnapshotsError  string `json:"snapshots_error"`
	Unique          map[string][]json.RawMessage
	UniqueModels    map[string][]json.RawMessage `json:"unique_models"`
	Folded          []string
	FoldedError     string   `json:"folded_error"`
	DataframeFields []string `json:"dataframe_columns"`
	DataframeRows   int      `json:"dataframe_rows"`
	PlotPoints      []struct {
		UID, Model, Error    string
		N                    int
		X0, X1, Y0, Y1, Ymid float64
	} `json:"plot_points"`
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
	s := jsonscan.New(bytes.NewReader(bytes.ReplaceAll(data, []byte(`["NaN",`), []byte("[NaN,"))), "", format.Limits{}.WithDefaults())
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

// corpusErrors are what this package gives where the reference fails, and what it reports where the reference is silent.
var corpusErrors = map[string][]string{
	"corrupted-global.perf": {"corrupted-global.perf:50:3: test: it holds resources, but no profile has them here: they aren't read"},
	"corrupted-snapshots.perf": {
		"corrupted-snapshots.perf:20:5: snapshots.0: resources is required",
		"corrupted-snapshots.perf:23:5: snapshots.1: resources is required",
	},
	"err-prof-1-incomplete.perf": {"FATAL err-prof-1-incomplete.perf:15:16: collector_info: the input ends too early, expected the end of the string"},
}

func TestCorpusResources(t *testing.T) {
	for _, ref := range references(t) {
		t.Run(ref.File, func(t *testing.T) {
			var want, got []string
			for _, res := range ref.Resources {
				want = append(want, string(res[0])+" "+string(parseValue(t, res[1]).appendKey(nil)))
			}
			var wantFlat, gotFlat []string
			for _, res := range ref.ResourcesFlat {
				wantFlat = append(wantFlat, string(res[0])+" "+string(parseValue(t, res[1]).appendKey(nil)))
			}
			r := openCorpus(t, ref.File)
			defer r.Close()
			var errs []string
			for res, err := range r.Resources() {
				if err != nil {
					errs = append(errs, formattest.ShowError(err))
					continue
				}
				got = append(got, fmt.Sprintf("%d %s", res.Snapshot, ObjectOf(res.Fields...).appendKey(nil)))
				flat, err := res.Fields.Flatten()
				if err != nil {
					t.Error(err)
				}
				gotFlat = append(gotFlat, fmt.Sprintf("%d %s", res.Snapshot, ObjectOf(flat...).appendKey(nil)))
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

// The records say what the flattened resources say.
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
					if e := err.(*format.Error); !e.Recoverable {
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
				for key, value := range map[string]string{"cmd": h.Cmd, "args": h.Args, "workload": h.Workload, "collector": h.Collector.Name, "unit": h.Unit(want["type"], want["subtype"])} {
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

func TestCorpusQueries(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			resources := KeepGoing(r.Resources(), func(*format.Error) {})
			check := func(what string, want []string, got []string, err error) {
				t.Helper()
				if diff := gocmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" || err != nil {
					t.Errorf("%s: %v (-reference +got):\n%s", what, err, diff)
				}
			}
			got, err := FieldNames(resources)
			check("resource fields", ref.ResourceFields, got, err)
			got, err = NumericalFields(resources)
			check("numerical fields", ref.NumericalFields, got, err)
			got, err = FieldNames(r.Models())
			check("model fields", ref.ModelFields, got, err)

			var models []*Model
			var param, nonparam []int
			for m, err := range r.Models() {
				if err != nil {
					t.Fatal(err)
				}
				if m.Parametric() {
					param = append(param, len(models))
				}
				if m.Nonparametric() {
					nonparam = append(nonparam, len(models))
				}
				models = append(models, m)
			}
			if diff := gocmp.Diff(append([]int{}, ref.ModelsParam...), append([]int{}, param...)); diff != "" {
				t.Errorf("parametric models: %s", diff)
			}
			if diff := gocmp.Diff(append([]int{}, ref.ModelsNonparam...), append([]int{}, nonparam...)); diff != "" {
				t.Errorf("non-parametric models: %s", diff)
			}
			var values []Value
			for _, m := range models {
				values = append(values, ObjectOf(m.Fields...))
			}
			if diff := gocmp.Diff(parseValues(t, ref.Models), values); diff != "" {
				t.Errorf("models (-reference +got):\n%s", diff)
			}
			for path, want := range ref.Unique {
				got, err := UniqueValues(resources, path)
				if diff := gocmp.Diff(parseValues(t, want), got); diff != "" || err != nil {
					t.Errorf("unique %s: %v (-reference +got):\n%s", path, err, diff)
				}
			}
			for path, want := range ref.UniqueModels {
				got, err := UniqueValues(r.Models(), path)
				if diff := gocmp.Diff(parseValues(t, want), got); diff != "" || err != nil {
					t.Errorf("unique %s of models: %v (-reference +got):\n%s", path, err, diff)
				}
			}
			// Of a profile without resources the reference fails to find the last snapshot; here there is none.
			var snapshots [][2]int
			for snap, err := range r.Snapshots() {
				if err != nil {
					if e := err.(*format.Error); !e.Recoverable {
						t.Error(err)
					}
					continue
				}
				snapshots = append(snapshots, [2]int{snap.Number, len(snap.Resources)})
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

func TestCorpusCurves(t *testing.T) {
	for _, ref := range references(t) {
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			i := 0
			for m, err := range r.Models() {
				if err != nil {
					if ref.Error == "" {
						t.Error(err)
					}
					continue
				}
				want := ref.PlotPoints[i]
				i++
				points, err := m.Curve(CurvePoints)
				if want.Error != "" {
					// The reference fails to find coefficients; this is what it means.
					what := fmt.Sprintf("a model %q has no curve", m.Name())
					if m.Name() == "quadratic" {
						what = "the model quadratic of " + m.UID() + " has no coefficient b2"
					}
					if err == nil || err.Error() != what {
						t.Errorf("%s of %s: %v", m.Name(), m.UID(), err)
					}
					continue
				}
				if err != nil || len(points) != want.N || m.Name() != want.Model || m.UID() != want.UID {
					t.Errorf("%s of %s: %d points, %v; want %d of %s of %s", m.Name(), m.UID(), len(points), err, want.N, want.Model, want.UID)
					continue
				}
				first, middle, last := points[0], points[len(points)/2], points[len(points)-1]
				for _, pair := range [][2]float64{{want.X0, first.X}, {want.X1, last.X}, {want.Y0, first.Y}, {want.Ymid, middle.Y}, {want.Y1, last.Y}} {
					if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[0]) {
						t.Errorf("%s of %s: %v, want %v", m.Name(), m.UID(), pair[1], pair[0])
					}
				}
			}
			if i != len(ref.PlotPoints) {
				t.Errorf("%d models, want %d", i, len(ref.PlotPoints))
			}
		})
	}
}

// Every file of the corpus has an answer, but for the stored object.
func TestCorpusComplete(t *testing.T) {
	var have []string
	for _, ref := range references(t) {
		have = append(have, filepath.Base(ref.File))
	}
	for _, file := range corpus.Files(t, "perun", "*.perf") {
		if !slices.Contains(have, filepath.Base(file)) {
			t.Errorf("no answer about %s", file)
		}
	}
	if len(have) < 19 {
		t.Errorf("%d answers", len(have))
	}
}

// The reference fails to find a trace in profiles that have none, and a last snapshot in those without resources. Here, a
// line is the uid alone, or there is none.
func TestCorpusFlameLines(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			var got []string
			for line, err := range r.FlameLines() {
				if err == nil {
					got = append(got, line)
				}
			}
			want := ref.Folded
			switch ref.FoldedError {
			case "KeyError":
				for _, res := range ref.Resources {
					f := parseValue(t, res[1]).Fields()
					uid, _ := f.Get("uid")
					amount, _ := f.Get("amount")
					want = append(want, uid.String()+" "+amount.String())
				}
			case "ValueError":
				if len(ref.Resources) > 0 {
					t.Error("the reference fails although there are resources")
				}
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("(-reference +got):\n%s", diff)
			}
		})
	}
}

func TestCorpusTables(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			var names []string
			n := 0
			for row, err := range r.ResourceTable() {
				switch {
				case err != nil:
					continue
				case names == nil:
					names = slices.Clone(row)
					continue
				}
				flat := parseValue(t, ref.ResourcesFlat[n][1]).Fields()
				for i, name := range names {
					want := ""
					if v, ok := flat.Get(name); ok {
						want = v.String()
					} else if name == "snapshots" {
						want = string(ref.ResourcesFlat[n][0])
					}
					if row[i] != want {
						t.Errorf("row %d, %s: %s, want %s", n, name, row[i], want)
					}
				}
				n++
			}
			if diff := gocmp.Diff(ref.DataframeFields, names); diff != "" || n != ref.DataframeRows {
				t.Errorf("%d rows, want %d; columns (-reference +got):\n%s", n, ref.DataframeRows, diff)
			}
			n = -1
			for row, err := range r.ModelTable() {
				if err != nil {
					t.Error(err)
				}
				if n < 0 {
					if diff := gocmp.Diff(append([]string{}, ref.ModelFields...), append([]string{}, row...)); diff != "" {
						t.Errorf("models (-reference +got):\n%s", diff)
					}
				}
				n++
			}
			if n != len(ref.Models) {
				t.Errorf("%d rows of models, want %d", n, len(ref.Models))
			}
		})
	}
}
