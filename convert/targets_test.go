package convert_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/convert"
	"perfdata/format"
	"perfdata/openmetrics"
	"perfdata/runners/bmf"
	"perfdata/runners/ghbench"
	"perfdata/traceid"
)

// What files for other programs cannot hold is counted: the commit, directions, links, and other attrs.
func TestOtherPrograms(t *testing.T) {
	first := rec(1, "name=a unit=ms", "host=h", "l=u")
	first.Better = format.Lower
	recs := []*format.Record{first, rec(2, "n=1 name=b unit=ns")}
	for _, test := range []struct {
		to        format.Format
		out, lost string
	}{
		{
			bmf.Target(), "{\n  \"a\": {\n    \"ms\": {\"value\": 1}\n  },\n  \"b/n=1\": {\n    \"latency\": {\"value\": 2}\n  }\n}\n",
			"1 header member dropped (commit)\n2 attributes dropped (better, host)\n1 link dropped (l)\n",
		},
		{
			ghbench.Target(), "[\n  {\"name\": \"a\", \"unit\": \"ms\", \"value\": 1},\n  {\"name\": \"b/n=1\", \"unit\": \"ns\", \"value\": 2}\n]\n",
			"1 header member dropped (commit)\n2 attributes dropped (better, host)\n1 link dropped (l)\n",
		},
		{
			openmetrics.Target(), "# TYPE benchmark_value gauge\nbenchmark_value{name=\"a\",unit=\"ms\"} 1\nbenchmark_value{n=\"1\",name=\"b\",unit=\"ns\"} 2\n# EOF\n",
			"1 header member dropped (commit)\n2 attributes dropped (better, host)\n1 link dropped (l)\n1 measurement dropped (its series has a value already)\n",
		},
	} {
		t.Run(test.to.Name, func(t *testing.T) {
			s := convert.NewSurvey(test.to)
			s.AddHeader(format.Header{Commit: "abc", Params: traceid.Params{}})
			var out bytes.Buffer
			recs := recs
			if test.to.Name == "openmetrics" {
				recs = append(recs, rec(3, "n=1 name=b unit=ns"))
			}
			w := convert.WriteAll(t, s, &out, recs)
			if diff := cmp.Diff(test.out, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.lost, lossText(w)); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}
