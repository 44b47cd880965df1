package report_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
	"perfdata/perun/report"
)

const head = `{"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"},`

func newReader(in io.Reader) *perun.Reader {
	r := perun.NewReader(in)
	r.Name = "in"
	return r
}

func testFile(t testing.TB, name string) string {
	return formattest.ReadFile(t, "../../testdata/perun", name)
}

func TestFlameLines(t *testing.T) {
	in := head + `"snapshots":[{"resources":[]},{"resources":[
	{"amount":1,"uid":"a b","trace":[{"function":"f","source":"s.c","line":1},{"func":"g;h"},` +
		`"raw\nname",{"x":1,"y":2}]},
	{"amount":2,"uid":{"function":"f","source":"s.c","line":1}},
	{"amount":"no","uid":"a"},
	{"amount":3,"uid":"a","subtype":"free"},
	{"amount":4.50,"trace":[]}]}]}`
	want := []string{
		"a b;1:2;raw name;g:h;f()~s.c~1 1",
		"f()~s.c~1 2",
		"in:4:2: the resource has no number as its amount",
		" 4.5",
	}
	formattest.CheckRead(t, "flame lines", in, want, func(in io.Reader) (got []string) {
		r := newReader(in)
		defer r.Close()
		for line, err := range report.FlameLines(r) {
			if err != nil {
				line = formattest.ShowError(err)
			}
			got = append(got, line)
		}
		return got
	})
}

func TestTables(t *testing.T) {
	r := newReader(strings.NewReader(head + `"models":[` +
		`{"uid":"u","coeffs":[{"name":"b0","value":1},{"name":"b1","value":2.50}]},{"uid":"v","r_square":null}],
	"snapshots":[{"time":"1","resources":[{"amount":1,"uid":{"line":2,"function":"f"}},3,{"amount":2,"uid":"x"}]}]}`))
	defer r.Close()
	var got []string
	for row, err := range report.ResourceTable(r) {
		got = append(got, fmt.Sprint(strings.Join(row, "|"), err))
	}
	for row, err := range report.ModelTable(r) {
		got = append(got, fmt.Sprint(strings.Join(row, "|"), err))
	}
	want := []string{
		"amount|snapshot|snapshots|time|uid|uid:function|uid:line<nil>",
		"1|0|0|1|f:2|f|2<nil>",
		"in:2:85: snapshots.0.resources.1: Invalid type. Expected: object, given: integer",
		"2|0|0|1|x||<nil>",
		"coeffs|coeffs:b0|coeffs:b1|r_square|uid<nil>",
		"1:2.5|1|2.5||u<nil>",
		"||||v<nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Columns that are given need not have the number of the snapshot.
func TestTableOfColumns(t *testing.T) {
	in := head + `"snapshots":[{"resources":[]},{"resources":[{"amount":7,"uid":"u"}]}]}`
	for columns, want := range map[string]string{
		"amount|snapshot|uid": "7|1|u", "uid|snapshots|amount|snapshot": "u|1|7|1",
	} {
		t.Run(columns, func(t *testing.T) {
			var got []string
			for row, err := range report.ResourceTable(newReader(strings.NewReader(in)), strings.Split(columns, "|")...) {
				got = append(got, fmt.Sprint(strings.Join(row, "|"), err))
			}
			if diff := cmp.Diff([]string{columns + "<nil>", want + "<nil>"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func pprofOf(h perun.Header, resources iter.Seq2[*perun.Resource, error]) (*profile.Profile, error) {
	return report.Pprof(h, report.Stacks(h, resources, report.UIDAtRoot))
}

// The values of the pprof profile have the same sums as the resources.
func TestPprof(t *testing.T) {
	for name, file := range formattest.Files(t, "../../testdata/perun/*.perf", 7) {
		r := newReader(strings.NewReader(file))
		h, err := r.Header()
		if err != nil {
			t.Fatal(err)
		}
		p, err := pprofOf(h, format.Tolerant(r.Resources(), nil))
		if name == "invalid.perf" {
			if err == nil {
				t.Error("no error about an amount that is not a number")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if p, err = profile.Parse(&b); err != nil {
			t.Fatal(err)
		}
		if len(p.Mapping) != 1 || p.Mapping[0].File != h.Cmd || p.Sample[0].Location[0].Mapping != p.Mapping[0] {
			t.Errorf("%s: mappings %v, want %s", name, p.Mapping, h.Cmd)
		}
		want, count, sum, samples := 0.0, 0, int64(0), int64(0)
		for rec, err := range r.Records() {
			if subtype, _ := rec.Params.Get("subtype"); err == nil && subtype != "free" {
				want += rec.Value
				count++
			}
		}
		scale := map[string]float64{
			"B":           1,
			"nanoseconds": map[string]float64{"time": 1e9, "mixed": 1e3}[h.Type],
		}[p.SampleType[1].Unit]
		for _, s := range p.Sample {
			samples += s.Value[0]
			sum += s.Value[1]
		}
		if samples != int64(count) || math.Abs(float64(sum)-want*scale) > 1 {
			t.Errorf("%s: %d samples of %d %s, want %d of %v", name, samples, sum, p.SampleType[1].Unit, count, want)
		}
	}
	r := newReader(strings.NewReader(testFile(t, "memory_deep.perf")))
	defer r.Close()
	h, _ := r.Header()
	p, err := pprofOf(h, r.Resources())
	if err != nil {
		t.Fatal(err)
	}
	var stack []string
	for _, l := range p.Sample[0].Location {
		stack = append(stack, fmt.Sprintf("%s:%d", l.Line[0].Function.Name, l.Line[0].Line))
	}
	if stack[0] != "malloc:0" || stack[len(stack)-2] != "main:18" || stack[len(stack)-1] != "alloc_node:41" ||
		!slices.Equal(p.Sample[0].Label["subtype"], []string{"malloc"}) {
		t.Errorf("%v, %v", stack, p.Sample[0].Label)
	}
	r = newReader(strings.NewReader(`{"header":{"units":{"a":"MB"}},"global":[{"uid":"u","amount":0.25,` +
		`"type":"a"}]}`))
	h, _ = r.Header()
	if p, err = pprofOf(h, r.Resources()); err != nil || p.SampleType[1].Unit != "MB/100" ||
		p.Sample[0].Value[1] != 25 {
		t.Errorf("%v, %v", p, err)
	}
}

// Pprof and FlameLines have the same stacks with the same sums.
func TestOneGraph(t *testing.T) {
	function := regexp.MustCompile(`\(\)~[^;]*`)
	for name, file := range formattest.Files(t, "../../testdata/perun/memory*.perf", 2) {
		r := newReader(strings.NewReader(file))
		defer r.Close()
		want, got := map[string]int64{}, map[string]int64{}
		for line, err := range report.FlameLines(r) {
			if err != nil {
				t.Fatal(err)
			}
			i := strings.LastIndexByte(line, ' ')
			amount, err := strconv.ParseInt(line[i+1:], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			want[function.ReplaceAllString(line[:i], "")] += amount
		}

		h, _ := r.Header()
		p, err := pprofOf(h, r.Resources())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			var stack []string
			for _, l := range slices.Backward(s.Location) {
				stack = append(stack, l.Line[0].Function.Name)
			}
			got[strings.Join(stack, ";")] += s.Value[1]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-FlameLines +Pprof):\n%s", name, diff)
		}
	}
}

func TestFilterModels(t *testing.T) {
	r := newReader(strings.NewReader(testFile(t, "models.perf")))
	defer r.Close()
	for strategy, want := range map[string]string{
		"all-param": "qsort constant, qsort linear, qsort logarithmic, qsort power, qsort exponential, " +
			"qsort quadratic",
		"all-nonparam":  "qsort moving_average, partition regressogram",
		"best-param":    "qsort power",
		"best-nonparam": "qsort moving_average, partition regressogram",
		"best-model":    "qsort moving_average, partition regressogram",
	} {
		models, err := report.FilterModels(r.Models(), strategy)
		var got []string
		for _, m := range models {
			got = append(got, m.UID()+" "+m.Kind())
		}
		if strings.Join(got, ", ") != want || err != nil {
			t.Errorf("%s: %q, %v; want %s", strategy, got, err, want)
		}
	}
	if _, err := report.FilterModels(r.Models(), "worst"); err == nil {
		t.Error("no error about an unknown strategy")
	}
}

func TestCurveErrors(t *testing.T) {
	coeffs := perun.Field{
		Key: "coeffs",
		Value: perun.ValueOf([]perun.Value{
			perun.ValueOf(perun.Fields{{Key: "name", Value: perun.ValueOf("b0")}, {Key: "value", Value: perun.ValueOf(1)}}),
			perun.ValueOf(perun.Fields{{Key: "name", Value: perun.ValueOf("b1")}, {Key: "value", Value: perun.ValueOf(2)}}),
		}),
	}
	interval := perun.Fields{{Key: "x_start", Value: perun.ValueOf(-1)}, {Key: "x_end", Value: perun.ValueOf(4)}}
	model := func(name string, f ...perun.Field) *perun.Model {
		return &perun.Model{Fields: append(perun.Fields{
			{Key: "uid", Value: perun.ValueOf("u")},
			{Key: "model", Value: perun.ValueOf(name)},
		}, f...)}
	}
	for _, test := range []struct {
		name string
		m    *perun.Model
		n    int
		want string
	}{
		{
			name: "kind without a curve",
			m:    model("regressogram"),
			n:    51,
			want: `a model "regressogram" has no curve`,
		},
		{
			name: "one point",
			m:    model("linear", coeffs),
			n:    1,
			want: "a curve of 1 points: want 2 or more",
		},
		{
			name: "too many points",
			m:    model("linear", append(interval, coeffs)...),
			n:    math.MaxInt,
			want: fmt.Sprintf("a curve of %d points: want 1000000 or fewer", math.MaxInt),
		},
		{
			name: "missing coefficients",
			m:    model("linear"),
			n:    51,
			want: "the model linear of u has no coefficient b0",
		},
		{
			name: "missing coefficient",
			m:    model("quadratic", coeffs),
			n:    51,
			want: "the model quadratic of u has no coefficient b2",
		},
		{
			name: "missing interval",
			m:    model("linear", coeffs),
			n:    51,
			want: "the model linear of u has no number as x_start or x_end",
		},
		{
			name: "logarithm of a negative number",
			m:    model("logarithmic", append(interval, coeffs)...),
			n:    2,
			want: "the model logarithmic of u has no value at -1",
		},
		{
			name: "valid",
			m:    model("linear", append(interval, coeffs)...),
			n:    3,
			want: "<nil>",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			xs, ys, err := report.Curve(test.m, test.n)
			if fmt.Sprint(err) != test.want || err == nil && fmt.Sprint(xs, ys) != "[-1 1.5 4] [-1 4 9]" {
				t.Errorf("%v, %v, %v, want %s", xs, ys, err, test.want)
			}
		})
	}
}

// If coefficients have the same name, the last one is used. A base below the smallest normal number
// has the same powers on every processor.
func TestCoefficients(t *testing.T) {
	const tiny = 5e-324
	for _, test := range []struct {
		name, model string
		want        float64 // at 0.25
	}{
		{"repeated", `"model":"linear","coeffs":` +
			`[{"name":"b0","value":1},{"name":"b1","value":2},{"name":"b0","value":3}]`, 3.5},
		{"tiny base", `"model":"exponential","coeffs":{"b0":1,"b1":5e-324}`, math.Sqrt(math.Sqrt(tiny))},
		{"tiny exponent", `"model":"power","coeffs":{"b0":2,"b1":5e-324}`, 2},
		{"tiny factor", `"model":"power","coeffs":{"b0":5e-324,"b1":0}`, tiny},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := head + `"global":[],"models":[{"uid":"u","x_start":0.25,"x_end":0.5,` + test.model + `}]}`
			for m, err := range newReader(strings.NewReader(in)).Models() {
				if err != nil {
					t.Fatal(err)
				}
				_, ys, err := report.Curve(m, 2)
				if err != nil || math.Abs(ys[0]-test.want) > 1e-12*test.want {
					t.Errorf("%v, %v, want %v", ys, err, test.want)
				}
			}
		})
	}
}
