package plot

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

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

func chartOf(document string, o Options) (c *Chart, reports []string, err error) {
	r := perun.NewReader(strings.NewReader(document))
	r.Name = "x.perf"
	c, err = New(r, o, func(e *format.Error) { reports = append(reports, e.Error()) })
	return c, reports, err
}

// summary returns the contents of a chart as text.
func (c *Chart) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s [%v %v]; %s [%v %v]\n", c.title, c.x.label, c.x.lo, c.x.hi, c.y.label, c.y.lo, c.y.hi)
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
			want: "./a in; structure-unit-size [0 4]; amount (s) [0 7]\na [{1 1} {3 4}] linear (R² 0.5)\n" +
				"b [{2 5}]\n",
		},
		{
			name:     "one uid",
			document: profile(sizes, line),
			options:  Options{UIDs: []string{"b"}},
			want:     "./a in; structure-unit-size [0 3]; amount (s) [0 5.5]\nb [{2 5}]\n",
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
			want:     "./a in; structure-unit-size [0 4]; amount (s) [0 5.5]\na [{1 1} {3 4}]\nb [{2 5}]\n",
		},
		{
			name:     "a field that the models are not functions of",
			document: profile(sizes, line),
			options:  Options{X: "amount"},
			want:     "./a in; amount [0 6]; amount (s) [0 5.5]\na [{1 1} {4 4}]\nb [{5 5}]\n",
			reports:  []string{"x.perf:1:1: warning: 1 model left out: not a function of amount"},
		},
		{
			name:     "by snapshot if no resource has the field",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			want:     "./a in; snapshot [0 2]; amount (s) [0 5.5]\na [{0 1} {0 4}]\nb [{1 5}]\n",
		},
		{
			name:     "by number in the file",
			document: profile(map[string]string{"a": `"amount":[1,4]`, "b": `"amount":[5]`}, ""),
			options:  Options{X: Index},
			want:     "./a in; resource # [0 3]; amount (s) [0 5.5]\na [{0 1} {1 4}]\nb [{2 5}]\n",
		},
		{
			name: "by a string that is a number",
			document: `{"header":{"type":"memory","units":{"memory":"B"}},` +
				`"snapshots":[{"time":"0.5","resources":[{"type":"memory","amount":3,"uid":"a"}]},` +
				`{"time":"1.5","resources":[{"type":"memory","amount":6,"uid":"a"}]},` +
				`{"time":"2s","resources":[{"type":"memory","amount":6,"uid":"a"}]}]}`,
			options: Options{X: "time"},
			want:    "; time [0 1.6]; amount (B) [0 7]\na [{0.5 3} {1.5 6}]\n",
			reports: []string{"x.perf:1:1: warning: 1 resource without a number as time left out"},
		},
		{
			name: "resources that lack something",
			document: profile(map[string]string{"a": `"amount":["x",4],"structure-unit-size":[1,2]`,
				"b": `"amount":[5]`,
				"c": `"amount":[1e300],"structure-unit-size":[1]`}, ""),
			want: "./a in; structure-unit-size [0 3]; amount (s) [0 4.5]\na [{2 4}]\n",
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
			want: "./a in; structure-unit-size [0 4]; amount (s) [0 5.5]\n" +
				"a [{1 1} {3 4}] regressogram [{1 1} {2 1} {2 NaN} {3 NaN}]" +
				" moving_average [{1 1} {3 2}] kernel_regression [{1 1} {2 2} {3 3}]\nb [{2 5}]\n",
		},
		{
			name: "models that can't be drawn",
			document: profile(sizes, `{"uid":"a","model":"linear","x_start":1,"x_end":3},
				{"uid":"b","model":"magic","x_start":1,"x_end":3},
				{"uid":"b","model":"linear","x_end":3},
				{"uid":"b","model":"kernel_regression","x_start":1,"x_end":3},
				{"uid":"b","model":"regressogram","x_start":100,"x_end":300,"bucket_stats":[1]}`),
			want: "./a in; structure-unit-size [0 6]; amount (s) [0 5.5]\na [{1 1} {3 4}]\nb [{2 5}]\n",
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
			want: "./a in; structure-unit-size [0 6]; amount (s) [0 10]\na [{1 1} {3 4}] linear (R² 0.5)\n" +
				"b [{2 5}]\n",
		},
		{
			name:     "models without resources",
			document: profile(nil, line),
			want:     "./a in; structure-unit-size [0 4]; amount [0 7]\na [] linear (R² 0.5)\n",
		},
		{
			name: "bars, if each uid has one resource",
			document: profile(map[string]string{
				"a": `"amount":[2000],"snapshot":[0]`,
				"c": `"amount":[5],"snapshot":[0]`,
			}, ""),
			options: Options{X: UID},
			want:    "./a in; uid [-0.6 1.6]; amount (s) [0 2200]\na [{0 2000}]\nc [{1 5}]\n",
		},
		{
			name: "logarithmic axes",
			document: profile(map[string]string{
				"a": `"amount":[1,9000],"structure-unit-size":[1,3]`,
				"b": `"amount":[0],"structure-unit-size":[2]`,
			}, line),
			options: Options{Log: "xy"},
			want: "./a in; structure-unit-size [0.5 5]; amount (s) [0.1 10000]\n" +
				"a [{1 1} {3 9000}] linear (R² 0.5)\n",
			reports: []string{"x.perf:1:1: warning: 1 resource left out: a logarithmic axis shows positive " +
				"numbers only"},
		},
		{
			name:     "a hint to use a logarithmic axis",
			document: profile(map[string]string{"a": `"amount":[1,2,900],"structure-unit-size":[1,2,3]`}, ""),
			want:     "./a in; structure-unit-size [0 4]; amount (s) [0 1000]\na [{1 1} {2 2} {3 900}]\n",
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
			want: "./a in; structure-unit-size [0 4]; amount (s) [0 7]\na [{1 1} {3 4}] linear (R² 0.5)\n" +
				"b [{2 5}]\n",
		},
		{
			name:     "truncated",
			document: profile(sizes, line)[:100],
			err:      "x.perf:1:101: resources.b: unexpected end of input, expected the end of the string",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, reports, err := chartOf(test.document, test.options)
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
			if diff := cmp.Diff(test.want, c.summary()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Of many uids, those with the fewest points are drawn as others.
func TestOthers(t *testing.T) {
	w := new(bytes.Buffer)
	p := perun.NewWriter(w, perun.Header{Type: "time", Collector: perun.Tool{Name: "t"}})
	for uid := range 20 {
		for range uid + 1 {
			fields := perun.Fields{
				{Key: "amount", Value: perun.ValueOf(1)},
				{Key: "uid", Value: perun.ValueOf(fmt.Sprintf("f%d", uid))},
				{Key: "type", Value: perun.ValueOf("time")},
			}
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
	want := append(strings.Fields("f11 f12 f13 f14 f15 f16 f17 f18 f19"), "11 others")
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Pictures of whatever numbers are well-formed. Many points don't make them large.
func TestPictures(t *testing.T) {
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
				c, _, err := chartOf(document, Options{Log: log, Width: 900, Height: 600})
				if log != "" && err != nil && strings.Contains(err.Error(), "nothing to draw") {
					return // none of the numbers has a logarithm
				}
				if err != nil {
					t.Fatal(err)
				}
				checkSVG(t, c)
			})
		}
	}
}

func checkSVG(t *testing.T, c *Chart) {
	t.Helper()
	var svg, again bytes.Buffer
	if err := c.WriteSVG(&svg); err != nil {
		t.Error(err)
	}
	if c.WriteSVG(&again); !bytes.Equal(svg.Bytes(), again.Bytes()) {
		t.Error("the second picture differs from the first")
	}
	if svg.Len() > 500_000 || strings.Contains(svg.String(), "NaN") || strings.Contains(svg.String(), "Inf") {
		t.Errorf("an SVG of %d bytes", svg.Len())
	}
	for d := xml.NewDecoder(&svg); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Error(err)
			break
		}
	}
}

func TestAxis(t *testing.T) {
	for _, test := range []struct {
		name string
		axis axis
		data span
		want string // label and ticks
	}{
		{
			name: "from zero",
			data: span{0.1, 0.9, true},
			want: "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0",
		},
		{
			name: "whole numbers",
			axis: axis{integers: true},
			data: span{0, 2, true},
			want: "0 1 2 3",
		},
		{
			name: "negative and positive",
			axis: axis{integers: true},
			data: span{-3, 5, true},
			want: "-4 -3 -2 -1 0 1 2 3 4 5 6",
		},
		{
			name: "far from zero",
			data: span{0.07, 0.093, true},
			want: "0.065 0.070 0.075 0.080 0.085 0.090 0.095",
		},
		{
			name: "a single value",
			data: span{5, 5, true},
			want: "0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5 5.0 5.5",
		},
		{
			name: "only zero",
			axis: axis{integers: true},
			data: span{0, 0, true},
			want: "0 1",
		},
		{
			name: "millions",
			data: span{0, 1.15e6, true},
			want: "0 0.1 M 0.2 M 0.3 M 0.4 M 0.5 M 0.6 M 0.7 M 0.8 M 0.9 M 1.0 M 1.1 M 1.2 M",
		},
		{
			name: "addresses",
			axis: axis{integers: true},
			data: span{140187732541440, 140187732549440, true},
			want: "140.18773254 T 140.187732542 T 140.187732544 T 140.187732546 T 140.187732548 T 140.18773255 T",
		},
		{
			name: "bytes",
			axis: axis{name: "amount", unit: "B"},
			data: span{0, 4096, true},
			want: "amount (KiB): 0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5",
		},
		{
			name: "a few bytes",
			axis: axis{name: "amount", unit: "B"},
			data: span{0, 40, true},
			want: "amount (B): 0 5 10 15 20 25 30 35 40 45",
		},
		{
			name: "microseconds",
			axis: axis{name: "amount", unit: "us"},
			data: span{0, 2.9e6, true},
			want: "amount (s): 0 0.5 1.0 1.5 2.0 2.5 3.0 3.5",
		},
		{
			name: "parts of a second",
			axis: axis{name: "amount", unit: "s"},
			data: span{0, 0.029, true},
			want: "amount (ms): 0 5 10 15 20 25 30 35",
		},
		{
			name: "an unknown unit",
			axis: axis{name: "amount", unit: "calls"},
			data: span{0, 19000, true},
			want: "amount (calls): 0 2 k 4 k 6 k 8 k 10 k 12 k 14 k 16 k 18 k 20 k",
		},
		{
			name: "logarithmic",
			axis: axis{log: true, name: "amount", unit: "us"},
			data: span{3, 27000, true},
			want: "amount (µs): 1 10 100 1000 10 k 100 k",
		},
		{
			name: "two decades",
			axis: axis{log: true},
			data: span{3, 270, true},
			want: "2 5 10 20 50 100 200 500",
		},
		{
			name: "all decades",
			axis: axis{log: true},
			data: span{1e-100, 1e100, true},
			want: "1e-85 1e-68 1e-51 1e-34 1e-17 1 1e+17 1e+34 1e+51 1e+68 1e+85",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := test.axis
			a.most = maxTicks
			a.fit(test.data)
			var labels []string
			for _, tick := range a.ticks {
				if tick.label != "" {
					labels = append(labels, tick.label)
				}
				if at := a.norm(tick.value); !(at >= 0 && at <= 1) {
					t.Errorf("%v is at %v", tick.value, at)
				}
			}
			got := strings.Join(labels, " ")
			if a.label != "" {
				got = a.label + ": " + got
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0:        "0",
		4585:     "4585",
		-12.3456: "-12.35",
		9999.9:   "10 k",
		1200000:  "1.2 M",
		999999:   "1 M",
		1e15:     "1e+15",
		0.000123: "0.000123",
	} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
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

// Labels that would cover each other move down, but not below the plot.
func TestSpread(t *testing.T) {
	label := func(x, y float64) *endLabel { return &endLabel{x: x, y: y, width: 50} }
	labels := []*endLabel{label(0, 198), label(0, 196), label(0, 100), label(3, 99), label(200, 197)}
	spread(labels, 200)
	var got []float64
	for _, l := range labels {
		got = append(got, l.y)
	}
	if diff := cmp.Diff([]float64{99, 112, 187, 197, 200}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a picture consists of. It is the same in every run.
func TestWriteSVG(t *testing.T) {
	for _, test := range []struct {
		name     string
		document string
		options  Options
	}{
		{
			name: "curve",
			document: profile(map[string]string{"a": `"amount":[1,4],"structure-unit-size":[1,3]`, "b": `"amount":[5],"structure-unit-size":[2]`},
				`{"uid":"a","model":"regressogram","r_square":0.5,"x_start":1,"x_end":3,"bucket_stats":[1,3]}`),
			options: Options{Width: 390, Height: 400, Legend: LegendBottom},
		},
		{
			name:     "bars",
			document: profile(map[string]string{"a": `"amount":[1,4],"snapshot":[0,0]`, "b": `"amount":[0.5],"snapshot":[0]`}, ""),
			options:  Options{X: UID, Log: "y", Title: "<a & b>\x1b\u202e"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _, err := chartOf(test.document, test.options)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := c.WriteSVG(&out); err != nil {
				t.Fatal(err)
			}
			file := "testdata/" + test.name + ".svg"
			if *update {
				if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(formattest.ReadFile(t, file), out.String()); diff != "" {
				t.Errorf("\"go test -run TestWriteSVG -update\" accepts it (-want +got):\n%s", diff)
			}
		})
	}
}

// The example of the documentation, which has models of every kind.
func TestExample(t *testing.T) {
	c, reports, err := chartOf(formattest.ReadFile(t, "../../../../testdata/perun/sort.perf"), Options{})
	if err != nil || reports != nil {
		t.Fatal(err, reports)
	}
	if len(c.series) != 4 || len(c.kinds) != 8 {
		t.Errorf("%d series, models %q", len(c.series), c.kinds)
	}
}
