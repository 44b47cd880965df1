package bmf

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

const file = `{"a/1":{"latency":{"value":88.5,"lower_value":87,"upper_value":9e1},"Build Time":{"value":2}},
"b":{"custom":{"value":-3,"lower_value":null}}}`

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "all kinds",
			in:   file,
			want: []string{
				`metric=latency name=a/1 unit=ns = 88.5 lower_value:87 upper_value:9e1`,
				`metric=Build Time name=a/1 unit=s = 2`,
				`metric=custom name=b = -3`,
			},
		},
		{name: "no benchmarks", in: `{}`, want: []string{}},
		{
			name: "a name that comes twice",
			in:   `{"a":{"throughput":{"value":1}},"a":{"file-size":{"value":2},"file-size":{"value":3}}}`,
			want: []string{
				`metric=throughput name=a unit=ops/s = 1`,
				`1:62: a.file-size: duplicate member "file-size": only the first one is read`,
				`metric=file-size name=a unit=B = 2`,
			},
		},
		{
			name: "faults",
			in:   `{"a":{"x":{"value":§"1"},"y":§{"upper_value":2},"z":§{"value":null}},"b":§[],"c":§{},"d":{"w":{"value":4}}}`,
			want: []string{
				`§: a.x.value: Invalid type. Expected: number, given: string`,
				`§: a.y: a: y has no value`,
				`§: a.z: a: z has no value`,
				`§: b: Invalid type. Expected: object, given: array`,
				`§: c: the result has no numbers`,
				`metric=w name=d = 4`,
			},
		},
		{
			name: "another document",
			in:   `§[]`,
			want: []string{`FATAL §: found '[', expected an object`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]bool{
		file: true, file[:60]: true, `{"a":{"b":{"value":1},"c":{"lower_value":1}}}`: false,
		`{"a":{"b":{"value":1}},"c":2}`: false, `{"a":{"b":{"value":"x"}}}`: false, `{}`: false, `{"a":{}}`: false,
		`{"outputs":{"n":{"sensitive":false,"type":"number","value":3}}}`: false, // of Terraform
		`[1]`: false, `{"a":{"b":{"c":1}}}`: false,
	} {
		if got := Format().Detect([]byte(in)).Yes; got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

func Example() {
	for rec, err := range runners.NewReader(strings.NewReader(file), Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		name, _ := rec.Params.Get("name")
		metric, _ := rec.Params.Get("metric")
		fmt.Println(name, metric, rec.Value, rec.Unit)
	}
	// Output:
	// a/1 latency 88.5 ns
	// a/1 Build Time 2 s
	// b custom -3
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, runnertest.Documents(spec, file)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "bmf") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, runnertest.Documents(spec, file)) }
