package ghbench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/traceid"
)

// The Reader reads what the writer writes, including attrs.
func TestWriter(t *testing.T) {
	full := format.Record{Params: traceid.Of("metric", "m", "n", "10", "name", "a\"b", "unit", "ns"), Value: 1.5,
		Attrs: traceid.Of("cpu", "x", "host", "h", "range", "± 2")}
	recs := []format.Record{full, {Params: traceid.Of("test", "c"), Value: -2}}
	const want = `[
  {"name": "a\"b/metric=m/n=10", "unit": "ns", "value": 1.5, "range": "± 2", "extra": "cpu: x\nhost: h"},
  {"name": "c", "unit": "", "value": -2}
]
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
	again := []string{`name=a"b/metric=m/n=10 unit=ns = 1.5 cpu:x host:h range:± 2`, `name=c = -2`}
	if diff := cmp.Diff(again, formattest.All(runners.NewReader(strings.NewReader(out.String()), Format()))); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

// What the format cannot hold is refused.
func TestWriterRefuses(t *testing.T) {
	var out bytes.Buffer
	w, _ := Target().NewWriter(&out, format.Header{})
	for _, rec := range []*format.Record{
		{Params: traceid.Of("name", "a"), Links: traceid.Of("l", "u")}, {Params: traceid.Of("name", "a"), Attrs: traceid.Of("k", "v\nw")}, {},
	} {
		if err := w.Write(rec); err == nil {
			t.Errorf("%s: no error", formattest.Show(rec))
		}
	}
	if err := w.Close(); err != nil || out.String() != "[]\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
