package jmh

import (
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/jmh/*.json", 2)
}

func TestRecords(t *testing.T) {
	row := func(members string) string { return `[{"benchmark":"a.B.c",` + members + `}]` }
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "forks and iterations",
			in: row(`"mode":"thrpt","threads":1,"forks":2,"jvmArgs":["-Xmx1g"],"params":{"size":"10"},` +
				`"primaryMetric":{"score":3,"scorePercentiles":{"0.0":1},"scoreUnit":"ops/s","rawData":[[1,2],[],[6]]}`),
			want: []string{
				`mode=thrpt name=a.B.c size=10 unit=ops/s = 1 forks:2 jvmArgs:["-Xmx1g"]`,
				`mode=thrpt name=a.B.c size=10 unit=ops/s = 2 forks:2 jvmArgs:["-Xmx1g"]`,
				`mode=thrpt name=a.B.c size=10 unit=ops/s = 6 forks:2 jvmArgs:["-Xmx1g"]`,
			},
		},
		{
			name: "without raw data",
			in: row(`"mode":"sample","jvmArgs":[],"primaryMetric":{"score":3,"scoreError":"NaN","scorePercentiles":` +
				`{"0.0":1,"50.0":2,"90.0":4,"99.9":5,"100.0":6},"scoreUnit":"s/op","rawDataHistogram":[[[[1,2]]]]}`),
			want: []string{
				`mode=sample name=a.B.c stat=mean unit=s/op = 3`,
				`mode=sample name=a.B.c stat=min unit=s/op = 1`,
				`mode=sample name=a.B.c stat=median unit=s/op = 2`,
				`mode=sample name=a.B.c stat=p90 unit=s/op = 4`,
				`mode=sample name=a.B.c stat=p99.9 unit=s/op = 5`,
				`mode=sample name=a.B.c stat=max unit=s/op = 6`,
			},
		},
		{
			name: "threads, and parameters with other names of ours",
			in: row(`"threads":8,"params":{"threads":"2","name":"n","unit":"u","metric":"m","stat":"s"},` +
				`"primaryMetric":{"score":1,"scoreUnit":"x"},"secondaryMetrics":{"get":{"score":2,"rawData":[[2]]}}`),
			want: []string{
				`name=a.B.c params.metric=m params.name=n params.stat=s params.threads=2 params.unit=u stat=mean threads=8 unit=x = 1`,
				`metric=get name=a.B.c params.metric=m params.name=n params.stat=s params.threads=2 params.unit=u threads=8 = 2`,
			},
		},
		{
			name: "secondary metrics",
			in: row(`"primaryMetric":{"score":1,"rawData":[[1]]},"secondaryMetrics":{` +
				`"gc.count":{"score":7,"scoreUnit":"counts","rawData":[[3],[4]]},` +
				`"cycles":{"score":9,"scorePercentiles":{"100.0":9},"scoreUnit":"#/op","rawData":[[],[]]},` +
				`"stack":{"score":"NaN","scoreUnit":"---","rawData":[["NaN"]]}}`),
			want: []string{
				`name=a.B.c = 1`,
				`metric=gc.count name=a.B.c unit=counts = 3`,
				`metric=gc.count name=a.B.c unit=counts = 4`,
				`metric=cycles name=a.B.c stat=score unit=#/op = 9`,
				`metric=cycles name=a.B.c stat=max unit=#/op = 9`,
			},
		},
		{
			name: "not a number",
			in: row(`"primaryMetric":{"score":"NaN","scorePercentiles":{"0.0":"NaN"}},` +
				`"secondaryMetrics":{"a":{"score":1,"rawData":[["-INF",2,"+INF"]]}}`),
			want: []string{
				`1:48: 0.primaryMetric.score: a.B.c: "NaN" is not a number`,
				`1:135: 0.secondaryMetrics.a.rawData.0.0: a.B.c: "-INF" is not a number`,
				`metric=a name=a.B.c = 2`,
				`1:144: 0.secondaryMetrics.a.rawData.0.2: a.B.c: "+INF" is not a number`,
			},
		},
		{
			name: "wrong types",
			in:   row(`"primaryMetric":{"score":1,"rawData":[[true,2],3]}`),
			want: []string{
				`1:62: 0.primaryMetric.rawData.0.0: Invalid type. Expected: number or string, given: boolean`,
				`1:70: 0.primaryMetric.rawData.1: Invalid type. Expected: array, given: integer`,
				`name=a.B.c = 2`,
			},
		},
		{
			name: "no name",
			in:   `[{"primaryMetric":{"score":1}}]`,
			want: []string{`1:2: 0: benchmark is required`},
		},
		{
			name: "no metric",
			in:   row(`"mode":"ss"`),
			want: []string{`1:2: 0: primaryMetric is required`},
		},
		{
			name: "no score",
			in:   row(`"primaryMetric":{"rawData":[[]]}`),
			want: []string{`1:39: 0.primaryMetric: score is required`},
		},
		{name: "no benchmark was run", in: "[\n]\n\n\n", want: []string{}},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty: JMH writes an array even if no benchmark was run, so it was stopped before`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// Statistics of results that have the single values are records if they are wanted.
func TestSummaries(t *testing.T) {
	r := runners.NewReader(strings.NewReader(testFiles(t)["modes.json"]), Format())
	r.Summaries = true
	stats := map[string]int{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		stat, _ := rec.Params.Get("stat")
		stats[stat]++
	}
	if stats[""] != 11 || stats["mean"] != 3 || stats["score"] != 4 || stats["max"] != 3 {
		t.Errorf("%v, want 11 values, 3 means, 4 scores and 3 maxima", stats)
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "jmh") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }
