package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/perun"
)

// profile returns one whose resources have the given arrays, each with its uid, and the given
// models.
func profile(arrays map[string]string, models string) string {
	var resources, types []string
	for _, uid := range []string{"a", "b", "c"} {
		if arrays[uid] != "" {
			resources = append(resources, fmt.Sprintf(`%q:{%s}`, uid, arrays[uid]))
			types = append(types, fmt.Sprintf(`%q:{"uid":%q,"type":"time","snapshot":%d}`, uid, uid, len(types)))
		}
	}
	return `{"resources":{` + strings.Join(resources, ",") + `},"resource_type_map":{` + strings.Join(types, ",") + `},"models":[` + models +
		`],"header":{"type":"time","units":{"time":"s"},"cmd":"./a","workload":"in"},"collector_info":{"name":"t"},"postprocessors":[]}`
}

func chartOf(document string, o Options) (c *Chart, reports []string, err error) {
	r := perun.NewReader(strings.NewReader(document))
	r.Name = "x.perf"
	c, err = New(r, o, func(e *format.Error) { reports = append(reports, e.Error()) })
	return c, reports, err
}

// summary tells what is in a chart.
func (c *Chart) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s [%v %v]; %s [%v %v]\n", c.title, c.x, c.across.lo, c.across.hi, c.y, c.up.lo, c.up.hi)
	for _, s := range c.series {
		fmt.Fprint(&b, s.name, " ", s.points)
		for _, curve := range s.curves {
			fmt.Fprint(&b, " ", curve.name)
			if len(curve.points) < 10 {
				fmt.Fprint(&b, " ", curve.points)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestNew(t *testing.T) {
	line := `{"uid":"a","model":"linear","r_square":0.5,"x_start":1,"x_end":3,"coeffs":[{"name":"b0","value":0},{"name":"b1","value":2}]}`
	sizes := map[string]string{"a": `"amount":[1,4],"structure-unit-size":[1,3]`, "b": `"amount":[5],"structure-unit-size":[2]`}
	for _, test := range []struct {
		name     string
		document string
		options  Options
		want     string
		reports  []string
		err      string
	}{
		{
			name:     "points and a curve, of the field that models are of by default",
			document: profile(sizes, line),
			want:     "./a in; structure-unit-size [0 3]; amount (s) [0 6]\na [{1 1} {3 4}] linear (R² 0.5)\nb [{2 5}]\n",
		},
		{
			name:     "one uid",
			document: profile(sizes, line),
			options:  Options{UIDs: []string{"b"}},
			want:     "./a in; structure-unit-size [1.8 2.2]; amount (s) [4.5 5.5]\nb [{2 5}]\n",
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
			want:     "./a in; structure-unit-size [0 3]; amount (s) [0 5]\na [{1 1} {3 4}]\nb [{2 5}]\n",
		},
		{
			name:     "another field, of which the models aren't",
			document: profile(sizes, line),
			options:  Options{X: "amount"},
			want:     "./a in; amount [0 5]; amount (s) [0 5]\na [{1 1} {4 4}]\nb [{5 5}]\n",
			reports:  []string{"x.perf:1:1: warning: 1 model left out: amount isn't what they are of"},
		},
		{
			name:     "without that field, by snapshot",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			want:     "./a in; snapshot [0 1]; amount (s) [0 5]\na [{0 1} {0 4}]\nb [{1 5}]\n",
		},
		{
			name:     "by place in the file",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			options:  Options{X: Index},
			want:     "./a in; number of the resource in the file [0 2]; amount (s) [0 5]\na [{0 1} {1 4}]\nb [{2 5}]\n",
		},
		{
			name: "by a string that is a number",
			document: `{"header":{"type":"memory","units":{"memory":"B"}},"snapshots":[{"time":"0.5","resources":[{"type":"memory","amount":3,"uid":"a"}]},` +
				`{"time":"1.5","resources":[{"type":"memory","amount":6,"uid":"a"}]},{"time":"2s","resources":[{"type":"memory","amount":6,"uid":"a"}]}]}`,
			options: Options{X: "time"},
			want:    "; time [0 1.5]; amount (B) [0 6]\na [{0.5 3} {1.5 6}]\n",
			reports: []string{"x.perf:1:1: warning: 1 resource without a number as time left out"},
		},
		{
			name: "resources that lack something",
			document: profile(map[string]string{"a": `"amount":["x",4],"structure-unit-size":[1,2]`, "b": `"amount":[5]`,
				"c": `"amount":[1e300],"structure-unit-size":[1]`}, ""),
			want: "./a in; structure-unit-size [1.8 2.2]; amount (s) [3.6 4.4]\na [{2 4}]\nb []\nc []\n",
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
			want: "./a in; structure-unit-size [0 3]; amount (s) [0 5]\na [{1 1} {3 4}] regressogram [{1 1} {2 1} {2 NaN} {3 NaN}]" +
				" moving_average [{1 1} {3 2}] kernel_regression [{1 1} {2 2} {3 3}]\nb [{2 5}]\n",
		},
		{
			name: "models that can't be drawn",
			document: profile(sizes, `{"uid":"a","model":"linear","x_start":1,"x_end":3},
				{"uid":"b","model":"magic","x_start":1,"x_end":3},
				{"uid":"b","model":"linear","x_end":3},
				{"uid":"b","model":"kernel_regression","x_start":1,"x_end":3},
				{"uid":"b","model":"regressogram","x_start":100,"x_end":300,"bucket_stats":[1]}`),
			want: "./a in; structure-unit-size [0 5]; amount (s) [0 5]\na [{1 1} {3 4}]\nb [{2 5}]\n",
			reports: []string{
				"x.perf:1:228: the model linear of a has no coefficient b0",
				`x.perf:2:5: a model "magic" has no curve`,
				"x.perf:3:5: the model linear of b has no number as x_start or x_end",
				"x.perf:4:5: the model kernel_regression of b has no values that can be drawn",
				"x.perf:1:1: warning: the model regressogram of b is too far from the resources to be drawn: from 100 to 300",
			},
		},
		{
			name:     "a curve far beyond the points",
			document: profile(sizes, strings.Replace(line, `"x_end":3`, `"x_end":1e9`, 1)),
			want:     "./a in; structure-unit-size [0 5]; amount (s) [0 9]\na [{1 1} {3 4}] linear (R² 0.5)\nb [{2 5}]\n",
		},
		{
			name:     "models alone",
			document: profile(nil, line),
			want:     "./a in; structure-unit-size [0 3]; amount [0 6]\na [] linear (R² 0.5)\n",
		},
		{
			name:     "nothing",
			document: profile(nil, ""),
			err:      "x.perf: there is nothing to draw: no resource with numbers as amount and structure-unit-size, and no model with a curve",
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
			want:     "./a in; structure-unit-size [0 3]; amount (s) [0 6]\na [{1 1} {3 4}] linear (R² 0.5)\nb [{2 5}]\n",
		},
		{
			name:     "cut off",
			document: profile(sizes, line)[:100],
			err:      "x.perf:1:101: resources.b.amount: the input ends too early, expected the end of the string",
		},
	} {
		c, reports, err := chartOf(test.document, test.options)
		if fmt.Sprint(err) != test.err && (err != nil || test.err != "") {
			t.Errorf("%s: error %v, want %s", test.name, err, test.err)
			continue
		}
		if diff := cmp.Diff(test.reports, reports); diff != "" {
			t.Errorf("%s: reports (-want +got):\n%s", test.name, diff)
		}
		if err == nil {
			if diff := cmp.Diff(test.want, c.summary()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	}
}

// Of many uids, those with the fewest points are drawn as others.
func TestOthers(t *testing.T) {
	w := new(bytes.Buffer)
	p := perun.NewWriter(w, perun.Header{Type: "time", Collector: perun.Tool{Name: "t"}})
	for uid := range 20 {
		for range uid + 1 {
			fields := perun.Fields{{Key: "amount", Value: perun.NumberOf(1)}, {Key: "uid", Value: perun.StringOf(fmt.Sprintf("f%d", uid))},
				{Key: "type", Value: perun.StringOf("time")}}
			if err := p.WriteResource(&perun.Resource{Fields: fields}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	c, _, err := chartOf(w.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range c.series {
		names = append(names, s.name)
	}
	if diff := cmp.Diff(strings.Fields("f11 f12 f13 f14 f15 f16 f17 f18 f19"), names[:len(names)-1]); diff != "" || names[maxSeries] != "11 others" {
		t.Errorf("%q", names)
	}
}

// Pictures of whatever numbers are complete: SVG is well-formed, PNG can be decoded. Many points
// don't make them large.
func TestPictures(t *testing.T) {
	many := func(n int, of func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("," + of(i))
		}
		return b.String()[1:]
	}
	documents := map[string]string{}
	for _, numbers := range []string{"0", "5", "-1,-2", "1e100,-1e100", "5e-324,0,1e-323", "1,1.0000000000000002", "140187732541440,140187732545440",
		"1e-300,3e-300", "0.1,0.2,0.30000000000000004", "123456.5,123457.25"} {
		documents[numbers] = profile(map[string]string{"a": fmt.Sprintf(`"amount":[%s],"structure-unit-size":[%[1]s]`, numbers)}, "")
	}
	documents["many"] = profile(map[string]string{"a": fmt.Sprintf(`"amount":[%s],"structure-unit-size":[%s]`,
		many(20000, func(i int) string { return fmt.Sprint(i * 7919 % 20000) }), many(20000, func(i int) string { return fmt.Sprint(i) }))}, "")
	documents["names"] = strings.Replace(profile(map[string]string{"a": `"amount":[1]`}, ""), `"uid":"a"`,
		`"uid":"<&>\"'\u0000\u001b`+strings.Repeat("<", 1000)+`"`, 1)
	for name, document := range documents {
		c, _, err := chartOf(document, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var svg, again, raster bytes.Buffer
		if err := c.WriteSVG(&svg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.WriteSVG(&again); !bytes.Equal(svg.Bytes(), again.Bytes()) {
			t.Errorf("%s: the second picture differs from the first", name)
		}
		if svg.Len() > 500_000 || strings.Contains(svg.String(), "NaN") || strings.Contains(svg.String(), "Inf") {
			t.Errorf("%s: an SVG of %d bytes", name, svg.Len())
		}
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
		if name != "many" && name != "names" {
			continue // drawing pixels takes long
		}
		if err := c.WritePNG(&raster); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if _, err := png.Decode(&raster); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi   float64
		integers bool
		want     string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1.0"},
		{0, 1, true, "0 1"},
		{-3, 5, true, "-3 -2 -1 0 1 2 3 4 5"},
		{0.07, 0.093, false, "0.070 0.075 0.080 0.085 0.090"},
		{0, 1e6, true, "0 200000 400000 600000 800000 1000000"},
		{0, 3e10, false, "0 5e+09 1e+10 1.5e+10 2e+10 2.5e+10 3e+10"},
		{1e-9, 3e-9, false, "1e-09 1.5e-09 2e-09 2.5e-09 3e-09"},
		{140187732541440, 140187732549440, true, "1.40187732542e+14 1.40187732544e+14 1.40187732546e+14 1.40187732548e+14"},
		{0, 5e-324, false, ""},
	} {
		var labels []string
		for _, tick := range (ticks{test.integers}).Ticks(test.lo, test.hi) {
			labels = append(labels, tick.Label)
			if !(tick.Value >= test.lo && tick.Value <= test.hi) {
				t.Errorf("%v to %v: %v", test.lo, test.hi, tick.Value)
			}
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%v to %v: %s, want %s", test.lo, test.hi, got, test.want)
		}
	}
}

func TestAddWithin(t *testing.T) {
	for _, test := range []struct{ s, o, want span }{
		{span{}, span{}, span{}},
		{span{}, span{1, 2, true}, span{1, 2, true}},
		{span{1, 2, true}, span{}, span{1, 2, true}},
		{span{1, 2, true}, span{1.5, 2.5, true}, span{1, 2.5, true}},
		{span{1, 2, true}, span{-9, 1e9, true}, span{0, 3, true}},
		{span{4, 4, true}, span{0, 9, true}, span{2, 6, true}},
		{span{0, 0, true}, span{-9, 9, true}, span{-1, 1, true}},
	} {
		if got := test.s.addWithin(test.o); got != test.want {
			t.Errorf("%v and %v: %v, want %v", test.s, test.o, got, test.want)
		}
	}
}

func TestShortened(t *testing.T) {
	_, legend, _, _ := (&Chart{across: span{0, 1, true}, up: span{0, 1, true}}).plot()
	for text, want := range map[string]string{
		"a\nb":                              "a b",
		"short":                             "short",
		strings.Repeat("x", 80) + "end":     "…xend",
		strings.Repeat("long ", 1000) + ".": "…ong .",
	} {
		got := shortened(text, legend.TextStyle, 60)
		if legend.TextStyle.Width(got) > 60 || !strings.HasSuffix(got, strings.TrimPrefix(want, "…")) || strings.Contains(want, "…") != strings.Contains(got, "…") {
			t.Errorf("%.20q: %q", text, got)
		}
	}
	if w := legend.TextStyle.Width("…"); !(w > 0) || w > vg.Length(math.Inf(1)) {
		t.Error("the font has no ellipsis")
	}
}

// The example of the documentation, which has models of every kind.
func TestExample(t *testing.T) {
	c, reports, err := chartOf(formattest.ReadFile(t, "../../../../testdata/perun/sort.perf"), Options{})
	if err != nil || reports != nil {
		t.Fatal(err, reports)
	}
	if len(c.series) != 4 || len(c.dashes) != 8 {
		t.Errorf("%d series, models %q", len(c.series), c.dashes)
	}
}
