package bmf

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/traceid"
)

func record(value float64, params ...string) format.Record {
	return format.Record{Params: traceid.Of(params...), Value: value}
}

// The Reader reads what the writer writes: names, measures, values and bounds.
func TestWriter(t *testing.T) {
	bounds := record(88.5, "name", "a", "unit", "ns")
	bounds.Attrs = traceid.Of("lower_value", "87", "upper_value", "9e1")
	repeated := record(2, "name", "a", "repetition", "2", "unit", "ns")
	repeated.Repetition = 2
	recs := []format.Record{
		bounds, record(3, "metric", "file-size", "name", "a", "unit", "B"), repeated,
		record(4, "metric", "real_time", "n", "10", "name", "a\"b", "unit", "ms"), record(5, "test", "c"), record(6, "unit", "fps", "x", "y"),
	}
	const want = `{
  "a": {
    "latency": {"value": 88.5, "lower_value": 87, "upper_value": 9e1},
    "file-size": {"value": 3}
  },
  "a": {
    "latency": {"value": 2}
  },
  "a\"b/n=10": {
    "real_time (ms)": {"value": 4}
  },
  "c": {
    "value": {"value": 5}
  },
  "x=y": {
    "fps": {"value": 6}
  }
}
`
	var out bytes.Buffer
	w, err := Target().NewWriter(&out, format.Header{})
	if err != nil {
		t.Fatal(err)
	}
	formattest.WriteAll(t, w, recs)
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := formattest.All(runners.NewReader(strings.NewReader(out.String()), Format())); len(got) != len(recs) {
		t.Errorf("read again: %q", got)
	}
	for e := range Format().Validate(strings.NewReader(out.String()), format.Options{}) {
		t.Error(e)
	}
}

// What the format cannot hold is refused, and nothing of it is written.
func TestWriterRefuses(t *testing.T) {
	linked, noted := record(1, "name", "a"), record(1, "name", "a")
	linked.Links, noted.Attrs = traceid.Of("l", "u"), traceid.Of("host", "h")
	faulty := record(1, "name", "a")
	faulty.Attrs = traceid.Of("lower_value", "0x1")
	nan := record(1, "name", "a")
	nan.Value = math.NaN()
	var out bytes.Buffer
	w, _ := Target().NewWriter(&out, format.Header{})
	for _, rec := range []format.Record{linked, noted, faulty, nan, record(1)} {
		if err := w.Write(&rec); err == nil {
			t.Errorf("%s: no error", formattest.Show(&rec))
		}
	}
	if err := w.Close(); err != nil || out.String() != "{}\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
