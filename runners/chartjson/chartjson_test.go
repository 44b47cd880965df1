package chartjson

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/formattest"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/chartjson/*.json", 1)
}

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "our file",
			in:   testFiles(t)["charts.json"],
			want: []string{
				`benchmark=smoothness label=warm name=frame_time story=http://example.com/ unit=ms = 16.7 label:run 7 page_id:16`,
				`benchmark=smoothness label=warm name=frame_time story=http://example.com/ unit=ms = 16.6 label:run 7 page_id:16`,
				`benchmark=smoothness label=warm name=frame_time story=http://example.com/ unit=ms = 16.9 label:run 7 page_id:16`,
				`benchmark=smoothness label=warm name=frame_time unit=ms = 16.65 label:run 7`,
				`benchmark=smoothness name=score unit=score = 12 label:run 7`,
				`benchmark=smoothness name=score stat=geomean story=h unit=ms = 4 label:run 7`,
				`22:40: charts.memory.d.value: Invalid type. Expected: number, given: string`,
				`23:12: charts.memory.e: Invalid type. Expected: object, given: integer`,
				`benchmark=smoothness name=memory story=a unit=MB = 1 label:run 7`,
				`benchmark=smoothness name=memory story=a unit=MB = 3 label:run 7`,
				`19:60: charts.memory.a.values.1: memory: page failed`,
				`20:12: charts.memory.b: memory: page failed`,
				`21:12: charts.memory.c: memory: no values`,
			},
		},
		{
			name: "one chart alone",
			in:   `{"charts":{"t":{"summary":{"type":"list_of_scalar_values","values":[1,2],"units":"ms","improvement_direction":"up"}}}}`,
			want: []string{`name=t unit=ms = 1`, `name=t unit=ms = 2`},
		},
		{
			name: "charts alone, as tests of ChromeOS write them",
			in: `{"boot":{"login":{"units":"s","improvement_direction":"down","type":"scalar","value":8.5},` +
				`"summary":{"units":null,"improvement_direction":"up","type":"list_of_scalar_values","interval":"t","values":[1,2]}},` +
				`"disk":{"summary":§7},"empty":{}}`,
			want: []string{
				`name=boot story=login unit=s = 8.5`,
				`name=boot = 1`,
				`name=boot = 2`,
				`§: disk.summary: Invalid type. Expected: object, given: integer`,
				`1:236: empty: the result has no numbers`,
			},
		},
		{
			name: "charts alone, one of them called label",
			in:   `{"label":{"label":{"values":[1],"type":"list_of_scalar_values","units":"s","improvement_direction":"up"}}}`,
			want: []string{`name=label story=label unit=s = 1`},
		},
		{
			name: "an object before the charts",
			in:   `{"benchmark_metadata":{"name":"b"},"charts":{"t":{"s":{"value":1,"units":"ms"}}}}`,
			want: []string{`name=t story=s unit=ms = 1`},
		},
		{
			name: "the benchmark's name comes last",
			in:   `{"charts":{"t":{"s":{"value":1}}},"benchmark_name":"b"}`,
			want: []string{`benchmark=b name=t story=s = 1`},
		},
		{
			name: "values are NaN and infinite",
			in:   `{"charts":{"t":{"s":{"values":[§NaN,2,-Infinity]},"u":{"type":"scalar","value":§Infinity,"std":NaN}}}}`,
			want: []string{
				`name=t story=s = 2`,
				`§: charts.t.s.values.0: t: no value (2 such values)`,
				`§: charts.t.u.value: t: Infinity is not a value`,
			},
		},
		{
			name: "many values are null, and one is a string",
			in:   `{"charts":{"t":{"s":{"values":[§"x",§null,2,null,null]}}}}`,
			want: []string{
				`§: charts.t.s.values.0: Invalid type. Expected: number, given: string`,
				`name=t story=s = 2`,
				`§: charts.t.s.values.1: t: no value (3 such values)`,
			},
		},
		{
			name: "empty lists",
			in:   `{"charts":{"t":{"r":§{"values":[]},"s":{"values":[],"none_value_reason":§"page failed"}}}}`,
			want: []string{`§: charts.t.r: t: no values`, `§: charts.t.s.none_value_reason: t: page failed`},
		},
		{
			name: "a faulty bucket",
			in:   `{"charts":{"t":{"s":{"buckets":[{"low":2,"high":6,"count":3},{"low":1,"high":§"x","count":3}]}}}}`,
			want: []string{`§: charts.t.s.buckets.1.high: Invalid type. Expected: number, given: string`},
		},
		{
			name: "no charts",
			in:   `{"benchmark_name":"b"}`,
			want: []string{`FATAL 1:1: (root): charts is required`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

func TestBetter(t *testing.T) {
	for _, test := range []struct {
		units, direction, unit string
		want                   format.Direction
	}{
		{"ms_smallerIsBetter", "", "ms", format.Lower},
		{"fps_biggerIsBetter", "", "fps", format.Higher},
		{"n_biggerIsBetter", "down", "n", format.Lower},
		{"s", "up", "s", format.Higher},
		{"isBetter", "", "isBetter", format.Unknown},
	} {
		in := fmt.Sprintf(`{"charts":{"t":{"a":{"value":1,"units":%q,"improvement_direction":%q}}}}`,
			test.units, test.direction)
		for rec, err := range rows.New(strings.NewReader(in), spec).Records() {
			if err != nil {
				t.Fatal(err)
			}
			if unit, _ := rec.Params.Get("unit"); unit != test.unit || rec.Better != test.want {
				t.Errorf("%s: %s, %v, want %s, %v", in, unit, rec.Better, test.unit, test.want)
			}
		}
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]bool{
		`{"a":{"b":{"units":"s","improvement_direction":"up","type":"scalar","val`:     true,
		`{"a":{"c":{"type":"scalar","units":null,"improvement_direction":"up"}},"d":`:  true,
		`{"charts":{"a":{"units":{"units":1,"type":2}}}}`:                              true, // a chart of the name units
		`{"a":{"b":{"units":"s","type":"scalar"}}}`:                                    false,
		`{"a":{"units":"s","type":"scalar","improvement_direction":"up"}}`:             false,
		`{"a":1,"b":{"c":{"units":"s","type":"scalar","improvement_direction":"up"}}}`: false,
		`{"a":[{"units":"s","type":"scalar","improvement_direction":"up"}],"c":1}`:     false,
		`[{"b":{"units":"s","type":"scalar","improvement_direction":"up"}}]`:           false,
	} {
		if got := Format().Detect([]byte(in)).Yes; got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "results-chart") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }
