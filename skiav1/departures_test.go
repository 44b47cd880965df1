package skiav1

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// The departures S8 to S12, and S14, of doc.go.
func TestNewDepartures(t *testing.T) {
	long := strings.Repeat("0", 900)
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "S8",
			in: `{"version":1,"key":{"a":null,"b":"c"},"links":{"l":null,"m":"n"},` +
				`"results":[{"key":{"d":null},"measurements":{"s":[{"measurement":1,"links":{"o":null}}]}}]}`,
			want: []string{"b=c s= = 1 m->n"},
		},
		{
			name: "S9",
			in:   `{"version":1.0,"key":{"a":"b"},"results":[{"measurement":1}]}`,
			want: []string{"a=b = 1"},
		},
		{
			name: "S10",
			in: `{"version":1,"results":[{"measurement":§"x","measurements":{"s":[{"value":"v",` +
				`"measurement":1}]}},{"measurements":{"s":[{"value":"w","measurement":2}]},"measurement":§[]},` +
				`{"measurement":null,"measurements":{"s":[{"measurement":3}]}},` +
				`{"measurement":§1e999,"measurements":{"s":[]}}]}`,
			want: []string{
				"in:§: results.0.measurement: Invalid type. Expected: number, given: string",
				"s=v = 1",
				"in:§: results.1.measurement: Invalid type. Expected: number, given: array",
				"s=w = 2",
				"s= = 3",
				"in:§: results.3.measurement: the number is out of float64's range",
			},
		},
		{
			name: "S11",
			in: `{"version":1,"key":{"a":"b"},"results":[{"measurement":§NaN},{"measurement": §-Infinity},` +
				`{"measurements":{"s":[{"measurement":§Infinity},{"value":"v","measurement":1},` +
				"{\"measurement\":\n§-inf}]}},{\"measurement\":§nan}," +
				"{\"measur\\u0065ment\":§inf ,\"measurements\":{\"s\":[{\"measurement\":2}]}}]}",
			want: []string{
				"in:§: results.0.measurement: NaN is not a JSON number",
				"in:§: results.1.measurement: -Infinity is not a JSON number",
				"in:§: results.2.measurements.s.0.measurement: Infinity is not a JSON number",
				"a=b s=v = 1",
				"in:§: results.2.measurements.s.2.measurement: -inf is not a JSON number",
				"in:§: results.3.measurement: nan is not a JSON number",
				"in:§: results.4.measurement: inf is not a JSON number",
				"a=b s= = 2",
			},
		},
		{
			name: "S11 version",
			in:   `{"version":§NaN,"results":[]}`,
			want: []string{"FATAL in:§: version: found 'N', expected a value"},
		},
		{
			name: "S11 result",
			in:   `{"version":1,"results":[§NaN]}`,
			want: []string{"FATAL in:§: results.0: found 'N', expected a value"},
		},
		{
			name: "S11 key",
			in:   `{"version":1,"results":[{"key":{"a":n§an}}]}`,
			want: []string{"FATAL in:§: results.0.key.a: found 'a', expected null"},
		},
		{
			name: "S11 value",
			in:   `{"version":1,"results":[{"measurements":{"s":[{"value":§inf}]}}]}`,
			want: []string{"FATAL in:§: results.0.measurements.s.0.value: found 'i', expected a value"},
		},
		{
			name: "S11 in a skipped value",
			in:   `{"version":1,"results":[{"measurements":{"s":{"measurement":-§inf}}}]}`,
			want: []string{"FATAL in:§: results.0.measurements.s.measurement: found 'i', expected a digit"},
		},
		{
			name: "S11 nested",
			in:   `{"version":1,"results":[{"measurement":[§NaN]}]}`,
			want: []string{"FATAL in:§: results.0.measurement.0: found 'N', expected a value"},
		},
		{
			name: "S11 other words",
			in:   `{"version":1,"results":[{"measurement":§Nope}]}`,
			want: []string{"FATAL in:§: results.0.measurement: found 'N', expected a value"},
		},
		{
			name: "S11 longer words",
			in:   `{"version":1,"results":[{"measurement":inf§inity}]}`,
			want: []string{"FATAL in:§: results.0.measurement: found 'i', expected a comma or }"},
		},
		{
			name: "S11 and a later error",
			in:   `{"results":[{"measurement":NaN},{"measurement":-inf,"key":{"a":"b"}},tru§],"version":1}`,
			want: []string{"FATAL in:§: results.2: found ']', expected true"},
		},
		{
			name: "S11 truncated",
			in:   `{"results":[{"measurement":NaN},{"measurement":n§a`,
			want: []string{"FATAL in:§: results.1.measurement: found 'a', expected null"},
		},
		{
			name: "S12",
			in:   "§\ufeff" + `{"version":1,"results":[]}`,
			want: []string{"FATAL in:§: found a byte order mark, expected a value"},
		},
		{
			name: "S14",
			in: `{"version":1,"key":{"a":"b"},"results":[{"measurement":1` + long + `e-900},{"measurement":-25` + long +
				`e-901},{"measurements":{"s":[{"value":"v","measurement":9007199254740993` + long + `1e-901}]}}]}`,
			want: []string{"a=b = 1", "a=b = -2.5", "a=b s=v = 9.007199254740994e+15"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readAll)
		})
	}
}

// S13: the reference takes each of these git_hashes.
func TestCommitNumber(t *testing.T) {
	for _, hash := range []string{"CP:-1", "CP:+5", "xCP:5", "5CP:5", " CP:5"} {
		t.Run(hash, func(t *testing.T) {
			if n, err := (Header{GitHash: hash}).CommitNumber(); err == nil {
				t.Errorf("commit number %d", n)
			}
		})
	}
}

func TestMissingAsZero(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "missing",
			in: `{"version":1,"key":{"k":"v"},"results":[{},{"measurement":null},{"measurement":"1"},` +
				`{"measurements":{"s":[{"value":"a"}]}}]}`,
			want: []string{
				"k=v = 0",
				"k=v = 0",
				"in:1:80: results.2.measurement: Invalid type. Expected: number, given: string",
				"k=v s=a = 0",
			},
		},
		{
			name: "null",
			in: `{"version":1,"key":{"k":"v"},"results":[{"key":{"a":"b"},` +
				`"measurement":1},null,{"measurements":{"s":[null,{"value":"a","measurement":2},null]}},null]}`,
			want: []string{"a=b k=v = 1", "k=v = 0", "k=v s= = 0", "k=v s=a = 2", "k=v s= = 0", "k=v = 0"},
		},
		{
			name: "null without params",
			in:   `{"version":1,"results":[null,{"measurements":{"s":[null]}}]}`,
			want: []string{"in:1:25: results.0: the measurement has no params", "s= = 0"},
		},
		{
			name: "NaN is not missing",
			in:   `{"version":1,"key":{"k":"v"},"results":[{"measurement":NaN}]}`,
			want: []string{"in:1:56: results.0.measurement: NaN is not a JSON number"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(test.in))
			r.MissingAsZero = true
			if diff := cmp.Diff(test.want, formattest.All(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// After a thousand faulty measurements of a result, the rest are skipped, including NaN.
func TestSkippedNaN(t *testing.T) {
	in := `{"version":1,"results":[{"measurements":{"s":[` + strings.Repeat("0,", 2000) +
		`{"measurement":NaN,"value":"a"}],"t":[{"measurement":-inf}]},"measurement":nan},{"key":{"a":"b"},` +
		`"measurement":1}]}`
	want := []string{
		"in:1:2047: results.0.measurements.s.1000: more than 1000 measurements of the result are faulty: " +
			"all of it is left out",
		"a=b = 1",
	}
	formattest.CheckRead(t, "skipped", in, want, readAll)
}
