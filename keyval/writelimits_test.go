package keyval

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// A Writer refuses what a Reader with the default limits would refuse. Its output up to the refusal
// is valid.
func TestWriterLimits(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	numberedAttrs := func(n int, value string) map[string]string {
		attrs := make(map[string]string, n)
		for i := range n {
			attrs[fmt.Sprint("k", i)] = value
		}
		return attrs
	}
	perf := map[string]float64{"a": 1}
	many := make(map[string]float64, maxPerf+1)
	for i := range quick.Of(maxPerf+1, 0) {
		many[strconv.Itoa(i)] = 1
	}
	some := make(map[string]float64, 2000)
	for i := range 2000 {
		some[strconv.Itoa(i)] = 1
	}
	const tag = len("k0{attr}=")
	for _, test := range []struct {
		name string
		attr map[string]string
		perf map[string]float64
		want string
	}{
		{
			name: "attributes",
			attr: numberedAttrs(1000, "v"),
			perf: perf,
		},
		{
			name: "more attributes",
			attr: numberedAttrs(1001, "v"),
			perf: perf,
			want: "the iteration has more than 1000 attributes",
		},
		{
			name: "a long attribute",
			attr: numberedAttrs(1, long[tag:]),
			perf: perf,
		},
		{
			name: "a longer attribute",
			attr: numberedAttrs(1, long[tag-1:]),
			perf: perf,
			want: `attribute "k0": the line would be longer than 1 MiB`,
		},
		{
			name: "a long key",
			perf: map[string]float64{long[100:]: 1},
		},
		{
			name: "a longer key",
			perf: map[string]float64{long: 1},
			want: "the line would be longer than 1 MiB",
		},
		{
			name: "performance values",
			perf: many,
			want: "the iteration has more than 1048576 performance values",
		},
		{
			name: "some performance values",
			perf: some,
		},
		{
			name: "long attributes",
			attr: numberedAttrs(15, long[100:]),
			perf: perf,
		},
		{
			name: "longer attributes",
			attr: numberedAttrs(17, long[100:]),
			perf: perf,
			want: "the iteration takes more than 16777216 bytes",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "performance values" && quick.Test() {
				t.Skip("they are many")
			}
			name := filepath.Join(t.TempDir(), "keyval")
			write := map[string]func(out *bytes.Buffer) error{
				"WriteIteration": func(out *bytes.Buffer) error {
					w := NewWriter(out, Header{})
					err := w.WriteIteration(iteration(test.attr, test.perf))
					if err := w.Close(); err != nil {
						t.Error(err)
					}
					return err
				},
				"Write": func(out *bytes.Buffer) error {
					w := NewWriter(out, Header{})
					var err error
					for key, value := range test.perf {
						r := format.Record{
							Params: traceid.Params{{Key: paramIteration, Value: "1"}, {Key: paramKey, Value: key}},
							Value:  value,
							Attrs:  traceid.FromMap(test.attr),
						}
						if err = w.Write(&r); err != nil {
							break
						}
					}
					if err := w.Close(); err != nil {
						t.Error(err)
					}
					return err
				},
				"AppendIteration": func(out *bytes.Buffer) error {
					err := AppendIteration(name, iteration(test.attr, test.perf))
					text, _ := os.ReadFile(name)
					out.Write(text)
					return err
				},
			}
			for way, write := range write {
				if (len(test.perf) > maxPerf || quick.Test() && test.name == "long attributes") && way != "WriteIteration" {
					continue // it takes long
				}
				var out bytes.Buffer
				err := write(&out)
				if err == nil && test.want != "" || err != nil && (test.want == "" ||
					!strings.Contains(err.Error(), test.want)) {
					t.Errorf("%s: %.200v, want %s", way, err, test.want)
				}
				if found := validate(&out); len(found) > 0 {
					t.Errorf("%s: %.200q", way, found)
				}
			}
		})
	}
}
