package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
	"perfdata/perun/report"
)

// A reference is what the reference implementation answers about a file.
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
		line = strings.ReplaceAll(line, "[NaN,", `["NaN",`) // Python writes it, encoding/json does not read it
		var ref reference
		if err := json.Unmarshal([]byte(line), &ref); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	return refs
}

// openCorpus returns a Reader of a file of the corpus.
func openCorpus(t *testing.T, name string) *perun.Reader {
	t.Helper()
	r := perun.NewReader(strings.NewReader(formattest.ReadFile(t, corpus.Dir(t, "perun"), filepath.Base(name))))
	r.Name = filepath.Base(name)
	return r
}

// parseValue returns the value, having read a resource that has it.
func parseValue(t *testing.T, data []byte) perun.Value {
	t.Helper()
	data = []byte(strings.ReplaceAll(string(data), `["NaN",`, "[NaN,"))
	for res, err := range newReader(strings.NewReader(`{"global":[{"v":` + string(data) + "}]}")).Resources() {
		if err != nil {
			t.Fatal(err)
		}
		v, _ := res.Fields.Get("v")
		return v
	}
	return perun.Value{}
}

func parseValues(t *testing.T, data []json.RawMessage) (values []perun.Value) {
	for _, d := range data {
		values = append(values, parseValue(t, d))
	}
	return values
}

func TestCorpusFields(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			resources := format.Tolerant(r.Resources(), func(*format.Error) {})
			check := func(what string, want []string, got []string, err error) {
				t.Helper()
				if diff := gocmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" ||
					err != nil {
					t.Errorf("%s: %v (-reference +got):\n%s", what, err, diff)
				}
			}
			got, err := report.FieldNames(resources)
			check("resource fields", ref.ResourceFields, got, err)
			got, err = report.NumericalFields(resources)
			check("numerical fields", ref.NumericalFields, got, err)
			got, err = report.FieldNames(r.Models())
			check("model fields", ref.ModelFields, got, err)

			n := 0
			var param, nonparam []int
			for m, err := range r.Models() {
				if err != nil {
					t.Fatal(err)
				}
				if report.Parametric(m) {
					param = append(param, n)
				}
				if report.Nonparametric(m) {
					nonparam = append(nonparam, n)
				}
				n++
			}
			if diff := gocmp.Diff(append([]int{}, ref.ModelsParam...), append([]int{}, param...)); diff != "" {
				t.Errorf("parametric models: %s", diff)
			}
			if diff := gocmp.Diff(append([]int{}, ref.ModelsNonparam...), append([]int{}, nonparam...)); diff != "" {
				t.Errorf("non-parametric models: %s", diff)
			}
			for path, want := range ref.Unique {
				got, err := report.UniqueValues(resources, path)
				if diff := gocmp.Diff(parseValues(t, want), got); diff != "" || err != nil {
					t.Errorf("unique %s: %v (-reference +got):\n%s", path, err, diff)
				}
			}
			for path, want := range ref.UniqueModels {
				got, err := report.UniqueValues(r.Models(), path)
				if diff := gocmp.Diff(parseValues(t, want), got); diff != "" || err != nil {
					t.Errorf("unique %s of models: %v (-reference +got):\n%s", path, err, diff)
				}
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
				xs, ys, err := report.Curve(m, 51)
				if want.Error != "" {
					// The reference does not find coefficients. The error says which.
					what := fmt.Sprintf("a model %q has no curve", m.Kind())
					if m.Kind() == "quadratic" {
						what = "the model quadratic of " + m.UID() + " has no coefficient b2"
					}
					if err == nil || err.Error() != what {
						t.Errorf("%s of %s: %v", m.Kind(), m.UID(), err)
					}
					continue
				}
				if err != nil || len(xs) != want.N || m.Kind() != want.Model || m.UID() != want.UID {
					t.Errorf("%s of %s: %d points, %v; want %d of %s of %s", m.Kind(), m.UID(), len(xs),
						err, want.N, want.Model, want.UID)
					continue
				}
				last := len(xs) - 1
				for _, pair := range [][2]float64{
					{want.X0, xs[0]}, {want.X1, xs[last]}, {want.Y0, ys[0]},
					{want.Ymid, ys[len(ys)/2]}, {want.Y1, ys[last]},
				} {
					if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[0]) {
						t.Errorf("%s of %s: %v, want %v", m.Kind(), m.UID(), pair[1], pair[0])
					}
				}
			}
			if i != len(ref.PlotPoints) {
				t.Errorf("%d models, want %d", i, len(ref.PlotPoints))
			}
		})
	}
}

// The reference does not find a trace in profiles without traces, nor the last snapshot of
// profiles without resources. Here, a line is the uid alone, and a profile without resources has
// no lines.
func TestCorpusFlameLines(t *testing.T) {
	for _, ref := range references(t) {
		if ref.Error != "" {
			continue
		}
		t.Run(ref.File, func(t *testing.T) {
			r := openCorpus(t, ref.File)
			defer r.Close()
			var got []string
			for line, err := range report.FlameLines(r) {
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
			for row, err := range report.ResourceTable(r) {
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
			for row, err := range report.ModelTable(r) {
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
