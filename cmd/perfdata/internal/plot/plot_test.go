package plot

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
	"perfdata/report"
)

// profile returns a document with the arrays as resources, by uid, and with the models.
func profile(arrays map[string]string, models string) string {
	var resources, types []string
	for _, uid := range []string{"a", "b", "c"} {
		if arrays[uid] != "" {
			resources = append(resources, fmt.Sprintf(`%q:{%s}`, uid, arrays[uid]))
			types = append(types, fmt.Sprintf(`%q:{"uid":%q,"type":"time","snapshot":%d}`, uid, uid, len(types)))
		}
	}
	return fmt.Sprintf(`{"resources":{%s},"resource_type_map":{%s},"models":[%s],`+
		`"header":{"type":"time","units":{"time":"s"},"cmd":"./a","workload":"in"},`+
		`"collector_info":{"name":"t"},"postprocessors":[]}`,
		strings.Join(resources, ","), strings.Join(types, ","), models)
}

func plotOf(document string, o Options) (p *report.Plot, reports []string, err error) {
	r := perun.NewReader(strings.NewReader(document))
	r.Name = "x.perf"
	p, err = New(r, o, func(e *format.Error) { reports = append(reports, e.Error()) })
	return p, reports, err
}

// summary returns the contents of a plot as text.
func summary(p *report.Plot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s [%v %v]; %s [%v %v]\n", p.Title, label(p.X), p.X.Lo, p.X.Hi, label(p.Y), p.Y.Lo, p.Y.Hi)
	for _, s := range p.Series {
		fmt.Fprint(&b, s.Name, " ", s.Points)
		if p.Bars {
			fmt.Fprint(&b, " ", s.Median)
		}
		for _, curve := range s.Curves {
			fmt.Fprint(&b, " ", curve.Name)
			if len(curve.Parts) > 1 || len(curve.Parts[0]) < 10 {
				fmt.Fprint(&b, " ", curve.Parts)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestNew(t *testing.T) {
	line := `{"uid":"a","model":"linear","r_square":0.5,"x_start":1,"x_end":3,"coeffs":[{"name":"b0","value":0},` +
		`{"name":"b1","value":2}]}`
	sizes := map[string]string{
		"a": `"amount":[1,4],"structure-unit-size":[1,3]`,
		"b": `"amount":[5],"structure-unit-size":[2]`,
	}
	for _, test := range []struct {
		name     string
		document string
		options  Options
		want     string
		reports  []string
		err      string
	}{
		{
			name:     "points and a curve",
			document: profile(sizes, line),
			want: "./a in; structure-unit-size [1 3]; amount (s) [1 6]\na [[1 1] [3 4]] linear (R² 0.5)\n" +
				"b [[2 5]]\n",
		},
		{
			name:     "one uid",
			document: profile(sizes, line),
			options:  Options{UIDs: []string{"b"}},
			want:     "./a in; structure-unit-size [2 2]; amount (s) [5 5]\nb [[2 5]]\n",
		},
		{
			name:     "an unknown uid",
			document: profile(sizes, line),
			options:  Options{UIDs: []string{"z"}},
			err:      `x.perf: no resource or model has the uid "z"`,
		},
		{
			name:     "no models",
			document: profile(sizes, line),
			options:  Options{Models: NoModels},
			want:     "./a in; structure-unit-size [1 3]; amount (s) [1 5]\na [[1 1] [3 4]]\nb [[2 5]]\n",
		},
		{
			name:     "a field that the models are not functions of",
			document: profile(sizes, line),
			options:  Options{X: "amount"},
			want:     "./a in; amount [1 5]; amount (s) [1 5]\na [[1 1] [4 4]]\nb [[5 5]]\n",
			reports:  []string{"x.perf:1:1: warning: 1 model left out: not a function of amount"},
		},
		{
			name:     "by snapshot if no resource has the field",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			want:     "./a in; snapshot [0 1]; amount (s) [1 5]\na [[0 1] [0 4]]\nb [[1 5]]\n",
		},
		{
			name:     "by number in the file",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			options:  Options{X: Index},
			want:     "./a in; resource # [0 2]; amount (s) [1 5]\na [[0 1] [1 4]]\nb [[2 5]]\n",
		},
		{
			name: "by a string that is a number",
			document: `{"header":{"type":"memory","units":{"memory":"B"}},` +
				`"snapshots":[{"time":"0.5","resources":[{"type":"memory","amount":3,"uid":"a"}]},` +
				`{"time":"1.5","resources":[{"type":"memory","amount":6,"uid":"a"}]},` +
				`{"time":"2s","resources":[{"type":"memory","amount":6,"uid":"a"}]}]}`,
			options: Options{X: "time"},
			want:    "; time [0.5 1.5]; amount (B) [3 6]\na [[0.5 3] [1.5 6]]\n",
			reports: []string{"x.perf:1:1: warning: 1 resource without a number as time left out"},
		},
		{
			name: "resources that lack something",
			document: profile(map[string]string{"a": `"amount":["x",4],"structure-unit-size":[1,2]`,
				"b": `"amount":[5]`,
				"c": `"amount":[1e300],"structure-unit-size":[1]`}, ""),
			want: "./a in; structure-unit-size [2 2]; amount (s) [4 4]\na [[2 4]]\n",
			reports: []string{
				"x.perf:1:30: the resource has no number as its amount, or one that is too large to draw",
				"x.perf:1:100: the resource has no number as its amount, or one that is too large to draw",
				"x.perf:1:1: warning: 1 resource without a number as structure-unit-size left out",
			},
		},
		{
			name: "models without coefficients",
			document: profile(sizes, `{"uid":"a","model":"regressogram","x_start":1,"x_end":3,"bucket_stats":[1,NaN]},
				{"uid":"a","model":"moving_average","x_start":1,"x_end":3,"bucket_stats":[1,2]},
				{"uid":"a","model":"kernel_regression","x_start":1,"x_end":3,"kernel_stats":[1,2,3]}`),
			want: "./a in; structure-unit-size [1 3]; amount (s) [1 5]\n" +
				"a [[1 1] [3 4]] regressogram [[[1 1] [2 1]]]" +
				" moving_average [[[1 1] [3 2]]] kernel_regression [[[1 1] [2 2] [3 3]]]\nb [[2 5]]\n",
		},
		{
			name: "models that can't be drawn",
			document: profile(sizes, `{"uid":"a","model":"linear","x_start":1,"x_end":3},
				{"uid":"b","model":"magic","x_start":1,"x_end":3},
				{"uid":"b","model":"linear","x_end":3},
				{"uid":"b","model":"kernel_regression","x_start":1,"x_end":3},
				{"uid":"b","model":"regressogram","x_start":100,"x_end":300,"bucket_stats":[1]}`),
			want: "./a in; structure-unit-size [1 5]; amount (s) [1 5]\na [[1 1] [3 4]]\nb [[2 5]]\n",
			reports: []string{
				"x.perf:1:228: the model linear of a has no coefficient b0",
				`x.perf:2:5: a model "magic" has no curve`,
				"x.perf:3:5: the model linear of b has no number as x_start or x_end",
				"x.perf:4:5: the model kernel_regression of b has no values that can be drawn",
				"x.perf:1:1: warning: the model regressogram of b is too far from the resources to be drawn: " +
					"from 100 to 300",
			},
		},
		{
			name:     "a curve far beyond the points",
			document: profile(sizes, strings.Replace(line, `"x_end":3`, `"x_end":1e9`, 1)),
			want: "./a in; structure-unit-size [1 5]; amount (s) [1 9]\na [[1 1] [3 4]] linear (R² 0.5)\n" +
				"b [[2 5]]\n",
		},
		{
			name:     "models without resources",
			document: profile(nil, line),
			want:     "./a in; structure-unit-size [1 3]; amount [2 6]\na [] linear (R² 0.5)\n",
		},
		{
			name: "bars, if each uid has one resource",
			document: profile(map[string]string{
				"a": `"amount":[2000],"snapshot":[0]`,
				"c": `"amount":[5],"snapshot":[0]`,
			}, ""),
			options: Options{X: UID},
			want:    "./a in; uid [0 0]; amount (s) [0 2000]\na [[0 2000]] 2000\nc [[1 5]] 5\n",
		},
		{
			name: "logarithmic axes",
			document: profile(map[string]string{
				"a": `"amount":[1,9000],"structure-unit-size":[1,3]`,
				"b": `"amount":[0],"structure-unit-size":[2]`,
			}, line),
			options: Options{Log: "xy"},
			want: "./a in; structure-unit-size [1 2.9999999999999996]; amount (s) [1 8999.999999999998]\n" +
				"a [[1 1] [3 9000]] linear (R² 0.5)\n",
			reports: []string{"x.perf:1:1: warning: 1 resource left out: a logarithmic axis shows positive " +
				"numbers only"},
		},
		{
			name:     "a hint to use a logarithmic axis",
			document: profile(map[string]string{"a": `"amount":[1,2,900],"structure-unit-size":[1,2,3]`}, ""),
			want:     "./a in; structure-unit-size [1 3]; amount (s) [1 900]\na [[1 1] [2 2] [3 900]]\n",
			reports:  []string{"x.perf:1:1: warning: most values are near one end of an axis: --log y spreads them"},
		},
		{
			name:     "nothing",
			document: profile(nil, ""),
			err: "x.perf: there is nothing to draw: no resource has numbers as amount and " +
				"structure-unit-size, and no model has a curve",
		},
		{
			name:     "too many models",
			document: profile(sizes, strings.Repeat(line+",", maxCurves)+line),
			err:      "x.perf: too many models for one picture: 28, at most 27; choose uids, or the best models",
		},
		{
			name:     "the best of many models",
			document: profile(sizes, strings.Repeat(line+",", maxCurves)+line),
			options:  Options{Models: "best-model"},
			want: "./a in; structure-unit-size [1 3]; amount (s) [1 6]\na [[1 1] [3 4]] linear (R² 0.5)\n" +
				"b [[2 5]]\n",
		},
		{
			name:     "truncated",
			document: profile(sizes, line)[:100],
			err:      "x.perf:1:101: resources.b: unexpected end of input, expected the end of the string",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, reports, err := plotOf(test.document, test.options)
			if test.err != "" {
				if fmt.Sprint(err) != test.err {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.reports, reports); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, summary(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// If there are many uids, the uids with the fewest points are drawn as others.
func TestOthers(t *testing.T) {
	document := new(bytes.Buffer)
	w := perun.NewWriter(document, perun.Header{Type: "time", Collector: perun.Tool{Name: "t"}})
	for uid := range 20 {
		for range uid + 1 {
			fields := perun.Fields{
				{Key: "amount", Value: perun.ValueOf(1)},
				{Key: "uid", Value: perun.ValueOf(fmt.Sprintf("f%d", uid))},
				{Key: "type", Value: perun.ValueOf("time")},
			}
			if err := w.WriteResource(&perun.Resource{Fields: fields}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, _, err := plotOf(document.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	want := append(strings.Fields("f11 f12 f13 f14 f15 f16 f17 f18 f19"), "11 others")
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the numbers are, they can be drawn. Many points don't make a page large.
func TestNumbers(t *testing.T) {
	list := func(n int, of func(i int) int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ",%d", of(i))
		}
		return b.String()[1:]
	}
	points := func(ys, xs string) string {
		return profile(map[string]string{"a": fmt.Sprintf(`"amount":[%s],"structure-unit-size":[%s]`, ys, xs)}, "")
	}
	documents := map[string]string{
		"many": points(
			list(20000, func(i int) int { return i * 7919 % 20000 }),
			list(20000, func(i int) int { return i })),
		"names": profile(map[string]string{"a": `"amount":[1]`}, ""),
	}
	hostile := `"uid":"<&>\"'\u0000\u001b` + strings.Repeat("<", 1000) + `"`
	documents["names"] = strings.Replace(documents["names"], `"uid":"a"`, hostile, 1)
	for _, numbers := range []string{
		"0", "5", "-1,-2", "1e100,-1e100", "5e-324,0,1e-323", "1,1.0000000000000002", "1e-300,3e-300",
		"0.1,0.2,0.30000000000000004", "123456.5,123457.25", "140187732541440,140187732545440",
	} {
		documents[numbers] = points(numbers, numbers)
	}

	for name, document := range documents {
		for _, log := range []string{"", "xy"} {
			t.Run(name+log, func(t *testing.T) {
				p, _, err := plotOf(document, Options{Log: log})
				if log != "" && err != nil && strings.Contains(err.Error(), "nothing to draw") {
					return // none of the numbers has a logarithm
				}
				if err != nil {
					t.Fatal(err)
				}
				var page bytes.Buffer
				if err := report.WritePlot(&page, p); err != nil || page.Len() > 2_000_000 {
					t.Errorf("a page of %d bytes, %v", page.Len(), err)
				}
			})
		}
	}
}

func TestAddWithin(t *testing.T) {
	for _, test := range []struct {
		name       string
		s, o, want span
	}{
		{"both empty", span{}, span{}, span{}},
		{"nothing to start with", span{}, span{1, 2, true}, span{1, 2, true}},
		{"nothing to add", span{1, 2, true}, span{}, span{1, 2, true}},
		{"near", span{1, 2, true}, span{1.5, 2.5, true}, span{1, 2.5, true}},
		{"far", span{1, 2, true}, span{-9, 1e9, true}, span{0, 3, true}},
		{"a single value", span{4, 4, true}, span{0, 9, true}, span{2, 6, true}},
		{"zero", span{0, 0, true}, span{-9, 9, true}, span{-1, 1, true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.s.addWithin(test.o); got != test.want {
				t.Errorf("%v and %v: %v, want %v", test.s, test.o, got, test.want)
			}
		})
	}
}

// The example of the documentation, which has models of every kind.
func TestExample(t *testing.T) {
	p, reports, err := plotOf(formattest.ReadFile(t, "../../../../testdata/perun/sort.perf"), Options{})
	if err != nil || reports != nil {
		t.Fatal(err, reports)
	}
	const want = "amount (µs) against structure-unit-size: 240 resources, 8 models of 4 uids."
	if p.Description != want {
		t.Errorf("%s\nwant %s", p.Description, want)
	}
}

// Amounts are in a unit in which the numbers are short.
func TestUnit(t *testing.T) {
	for _, test := range []struct {
		unit, amounts, want string
	}{
		{"B", "1024,4096", "amount (KiB) [1 4]"},
		{"B", "4,40", "amount (B) [4 40]"},
		{"us", "3,2900000", "amount (s) [3e-06 2.9]"},
		{"us", "3,27", "amount (µs) [3 27]"},
		{"s", "0.002,0.029", "amount (ms) [2 29]"},
		{"calls", "1,19000", "amount (calls) [1 19000]"},
	} {
		t.Run(test.unit, func(t *testing.T) {
			document := profile(map[string]string{"a": `"amount":[` + test.amounts + `]`}, "")
			document = strings.Replace(document, `"time":"s"`, fmt.Sprintf(`"time":%q`, test.unit), 1)
			p, _, err := plotOf(document, Options{X: Index})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s [%.5g %.5g]", label(p.Y), p.Y.Lo, p.Y.Hi); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
