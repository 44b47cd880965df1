package dotnetbench

import (
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/dotnetbench/*.json", 3)
}

func TestRecords(t *testing.T) {
	row := func(members string) string {
		return `{"Benchmarks":[{"Namespace":"N","Type":"T","Method":"M","MethodTitle":"M",` + members + `}]}`
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "measurements",
			in: `{"Title":"t","HostEnvironmentInfo":{"OsVersion":"o","ChronometerFrequency":{"Hertz":7}},"Benchmarks":[` +
				`{"Namespace":"N","Type":"T","Method":"M","MethodTitle":"'m'","Parameters":"","FullName":"N.T.M","HardwareIntrinsics":"AVX",` +
				`"Statistics":{"OriginalValues":[9],"Mean":9},"Measurements":[` +
				`{"IterationMode":"Overhead","IterationStage":"Result","Operations":2,"Nanoseconds":1},` +
				`{"IterationMode":"Workload","IterationStage":"Warmup","Operations":2,"Nanoseconds":2},` +
				`{"IterationMode":"Workload","IterationStage":"Result","Operations":2,"Nanoseconds":3}]}]}`,
			want: []string{`name=N.T.M unit=ns = 1.5 ChronometerFrequency.Hertz:7 HardwareIntrinsics:AVX MethodTitle:'m' OsVersion:o Title:t`},
		},
		{
			name: "parameters",
			in:   row(`"Parameters":"a=1&b=x&y, z&C=","FullName":"N.O+T.M(a: 1, b: \"x\")","Statistics":{"OriginalValues":[1]}`),
			want: []string{`a=1 b=x&y, z name=N.O+T.M unit=ns = 1`},
		},
		{
			name: "parameters without the full name, one of them called name",
			in:   row(`"Parameters":"name=1","Statistics":{"OriginalValues":[1]}`),
			want: []string{`name=N.T.M params.name=1 unit=ns = 1`},
		},
		{
			name: "no namespace, and no type",
			in: `{"Benchmarks":[{"Namespace":null,"Type":"T","Method":"M","Statistics":{"OriginalValues":[1]}},` +
				`{"Namespace":null,"Method":"M","Statistics":{"OriginalValues":[1]}}]}`,
			want: []string{`name=T.M unit=ns = 1`, `name=M unit=ns = 1`},
		},
		{
			name: "a method with the name of its type",
			in: `{"Benchmarks":[{"Method":"Sort","FullName":"N.SortTests.Sort(a: 1)","Parameters":"a=1","Statistics":{"OriginalValues":[1]}},` +
				`{"Method":"Sort","FullName":"N.SortTests.Sort","Statistics":{"OriginalValues":[1]}}]}`,
			want: []string{`a=1 name=N.SortTests.Sort unit=ns = 1`, `name=N.SortTests.Sort unit=ns = 1`},
		},
		{
			name: "shortened parameters",
			in:   row(`"Parameters":"a=x(...)x [30]","FullName":"N.T.M(a: \"xyz\")","Statistics":{"OriginalValues":[1]}`),
			want: []string{`name=N.T.M(a: "xyz") unit=ns = 1`},
		},
		{
			name: "a job",
			in: row(`"DisplayInfo":"T.M: Fast(Runtime=.NET 8.0, Arguments=/p:A=B, C) [a=1]","Parameters":"a=1",` +
				`"Statistics":{"OriginalValues":[1]}`),
			want: []string{`Arguments=/p:A=B, C Runtime=.NET 8.0 a=1 job=Fast name=N.T.M unit=ns = 1`},
		},
		{
			name: "a job without a name",
			in:   row(`"DisplayInfo":"T.M: Job-ABCDEF(Runtime=.NET 8.0)","Statistics":{"OriginalValues":[1]}`),
			want: []string{`Runtime=.NET 8.0 name=N.T.M unit=ns = 1`},
		},
		{
			name: "a job whose properties say the same",
			in: row(`"DisplayInfo":"T.M: Fast(Runtime=Core, WarmupCount=3)","Properties":{"Runtime":"Core","WarmupCount":"2"},` +
				`"Statistics":{"OriginalValues":[1]}`),
			want: []string{`Runtime=Core WarmupCount=2 job=Fast name=N.T.M params.WarmupCount=3 unit=ns = 1`},
		},
		{
			name: "statistics",
			in: row(`"Properties":{"Jit":"RyuJit","Platform":"Host","WarmupCount":"Auto","Affinity":"Default"},` +
				`"Statistics":{"N":3,"Min":1,"Q1":2,"Median":3,"Mean":4,"Max":5,"StandardDeviation":6,"Percentiles":{"P0":1,"P95":7}}`),
			want: []string{
				`Jit=RyuJit name=N.T.M stat=min unit=ns = 1`, `Jit=RyuJit name=N.T.M stat=mean unit=ns = 4`,
				`Jit=RyuJit name=N.T.M stat=median unit=ns = 3`, `Jit=RyuJit name=N.T.M stat=max unit=ns = 5`,
				`Jit=RyuJit name=N.T.M stat=stddev unit=ns = 6`, `Jit=RyuJit name=N.T.M stat=p95 unit=ns = 7`,
			},
		},
		{
			name: "memory in a brief file",
			in: row(`"Statistics":{"OriginalValues":[1]},"Memory":{"Gen0Collections":2,"Gen1Collections":0,"TotalOperations":4000,` +
				`"BytesAllocatedPerOperation":16}`),
			want: []string{
				`name=N.T.M unit=ns = 1`, `metric=Gen0Collects name=N.T.M unit=Count = 0.5`,
				`metric=Gen1Collects name=N.T.M unit=Count = 0`, `metric=Allocated Memory name=N.T.M unit=B = 16`,
			},
		},
		{
			name: "more collections than operations",
			in:   row(`"Statistics":{"OriginalValues":[1]},"Memory":{"Gen0Collections":9,"Gen1Collections":§4e9,"TotalOperations":2}`),
			want: []string{
				`name=N.T.M unit=ns = 1`, `metric=Gen0Collects name=N.T.M unit=Count = 4500`,
				`§: Benchmarks.0.Memory.Gen1Collections: N.T.M: a number of collections or operations that cannot be`,
			},
		},
		{
			name: "memory in a full file",
			in: row(`"Statistics":{"OriginalValues":[1]},"Memory":{"TotalOperations":4000,"BytesAllocatedPerOperation":16},` +
				`"Metrics":[{"Value":16,"Descriptor":{"Id":"Allocated Memory","Unit":"B","TheGreaterTheBetter":false}}]`),
			want: []string{`name=N.T.M unit=ns = 1`, `metric=Allocated Memory name=N.T.M unit=B = 16`},
		},
		{
			name: "failed",
			in:   `{"Benchmarks":[§{"Type":"T","Method":"M","Statistics":null,"Memory":{"BytesAllocatedPerOperation":0}}]}`,
			want: []string{`§: Benchmarks.0: T.M: the benchmark failed: it has no statistics`},
		},
		{
			name: "not a number",
			in:   `{"Benchmarks":[{"Type":"T","Method":"M","Statistics":{"OriginalValues":[§"",2]}}]}`,
			want: []string{`§: Benchmarks.0.Statistics.OriginalValues.0: T.M: NaN is not a value`, `name=T.M unit=ns = 2`},
		},
		{
			name: "not a number, in an old file",
			in:   `{"Benchmarks":[{"Type":"T","Method":"M","Statistics":{"OriginalValues":[§NaN,2],"Skewness":NaN,"Max":-Infinity}}]}`,
			want: []string{`§: Benchmarks.0.Statistics.OriginalValues.0: T.M: NaN is not a value`, `name=T.M unit=ns = 2`},
		},
		{
			name: "a header of another type",
			in:   `{"Title":§7,"Benchmarks":[{"Type":"T","Method":"M","Statistics":{"OriginalValues":[2]}}]}`,
			want: []string{`§: Title: Invalid type. Expected: string, given: integer`, `name=T.M unit=ns = 2`},
		},
		{
			name: "a header of another type that comes late",
			in:   "{\"Benchmarks\":[\n\n{\"Type\":\"T\",\"Method\":\"M\",\"Statistics\":{\"OriginalValues\":[2]}}],\n\"HostEnvironmentInfo\":{},\"Title\":§7}",
			want: []string{`name=T.M unit=ns = 2`, `§: Title: Invalid type. Expected: string, given: integer`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "benchmarkdotnet") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }
