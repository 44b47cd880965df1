package benchfmt

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
)

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   []string
	}{
		{
			name:   "a line that is too long is left out, whatever it is",
			limits: format.Limits{MaxLineBytes: 20},
			in: "k: 78901234567890\nBenchmarkX 1 3456 s\nBenchmarkX 1 34567 sx\nk: 789012345678901234\nBenchmarkX 1 2 s\n# 345678901234567890x\nUnit s a=b c=d e=f gh\n" +
				`BenchmarkX 1 3 s` + "\n",
			want: []string{
				"k=78901234567890 name=X unit=s = 3456 iterations:1",
				"in:3:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"in:4:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"name=X unit=s = 2 iterations:1", // k has no value any more
				"in:6:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"in:7:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"name=X unit=s = 3 iterations:1",
			},
		},
		{
			name:   "a line put together of events",
			limits: format.Limits{MaxLineBytes: 80},
			in: `{"Action":"output","Package":"a","Output":"BenchmarkXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":"XXXXXXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":"XXXXXXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":" 1 1 s\nBenchmarkX 1 1 s\n"}` + "\n" +
				`{"Action":"output","Package":"a","Output":" 1 1 s\nBenchmarkXBenchmarkXBenchmarkXBench 1 1 s\n"}` + "\n",
			want: []string{
				"in:1:1: a: bytes of one line: more than 80 (Limits.MaxLineBytes)",
				"name=X unit=s = 1 iterations:1",
				"in:5:1: bytes of one line: more than 80 (Limits.MaxLineBytes)",
			},
		},
		{
			name:   "keys of the configuration",
			limits: format.Limits{MaxParams: 2},
			in:     "a: 1\nb: 2\nb:\nc: 3\nBenchmarkX 1 1 s\nd: 4\nBenchmarkX 1 1 s\n",
			want:   []string{"a=1 c=3 name=X unit=s = 1 iterations:1", "FATAL in:6:1: keys of the configuration: more than 2 (Limits.MaxParams)"},
		},
		{
			name:   "parts of a name",
			limits: format.Limits{MaxParams: 3},
			in:     "BenchmarkX/a/b 1 1 s\nBenchmarkX/a/b/c 1 2 s\nBenchmarkX/a/b 1 3 s\n",
			want:   []string{"name=X sub1=a sub2=b unit=s = 1 iterations:1", "in:2:1: parts of one name: more than 3 (Limits.MaxParams)", "name=X sub1=a sub2=b unit=s = 3 iterations:1"},
		},
		{
			name:   "metadata of a unit",
			limits: format.Limits{MaxParams: 2},
			in:     "Unit s a=b c=d a=b\nUnit s e=f\nBenchmarkX 1 1 s\n",
			want:   []string{"FATAL in:2:1: metadata of one unit: more than 2 (Limits.MaxParams)"},
		},
		{
			name:   "all that is kept",
			limits: format.Limits{MaxHeaderBytes: 10},
			in:     "a: 123456789\nBenchmarkX 1 1 s\na: 123456\nb: 1234\nBenchmarkX 1 1 s\n",
			want:   []string{"a=123456789 name=X unit=s = 1 iterations:1", "FATAL in:4:1: bytes of configuration, unit metadata and unfinished lines: more than 10 (Limits.MaxHeaderBytes)"},
		},
		{
			name:   "packages at once",
			limits: format.Limits{MaxHeaderBytes: 2500},
			in: `{"Action":"output","Package":"a","Output":"BenchmarkX"}
{"Action":"output","Package":"b","Output":"BenchmarkX"}
{"Action":"pass","Package":"b"}
{"Action":"output","Package":"c","Output":"BenchmarkX"}
{"Action":"output","Package":"d","Output":"BenchmarkX"}`,
			want: []string{"FATAL in:5:1: bytes of configuration, unit metadata and unfinished lines: more than 2500 (Limits.MaxHeaderBytes)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(in)
				r.Limits = test.limits
				return formattest.All(r)
			})
		})
	}
}

// A line of 1 MiB is read with the default limits; a longer one is left out.
func TestLongLine(t *testing.T) {
	line := func(size int) string {
		const before, after = "BenchmarkX/", " 1 2 s"
		return before + strings.Repeat("x", size-len(before)-len(after)) + after + "\r\n"
	}
	var got []string
	for rec, err := range NewReader(strings.NewReader(line(1<<20) + line(1<<20+1) + line(40))).Records() {
		if err != nil {
			got = append(got, err.Error())
		} else {
			part, _ := rec.Params.Get("sub1")
			got = append(got, fmt.Sprint(len(part), rec.Value))
		}
	}
	want := []string{"1048559 2", "2:1: bytes of one line: more than 1048576 (Limits.MaxLineBytes)", "23 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A hostile input is a pattern that is repeated, with a number in it.
type hostile struct {
	pattern string
	n, max  int
	rest    string
}

func (h *hostile) Read(p []byte) (int, error) {
	if h.rest == "" {
		if h.n >= h.max {
			return 0, io.EOF
		}
		h.rest = strings.ReplaceAll(h.pattern, "#", fmt.Sprint(h.n))
		h.n++
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// Inputs that want to be kept in memory are refused before they take much.
func TestHostile(t *testing.T) {
	for _, pattern := range []string{
		"k#: v\n",
		"Unit u# a=b\n",
		"Unit u a#=b\n",
		"Unit x" + strings.Repeat(" y", 10_000) + "\n",
		"BenchmarkX 1 1 unit# 1 unit#ns\n",
		"BenchmarkX#/k#=# 1 1 s\n",
		"Benchmark" + strings.Repeat("/k#=a", 2000) + " 1 1 s\n",
		`{"Action":"output","Package":"p#","Output":"BenchmarkX"}` + "\n",
		`{"Action":"output","Package":"p","Output":"BenchmarkX"}` + "\n",
		"Benchmark",
	} {
		r := NewReader(&hostile{pattern: pattern, max: 3 << 20 / len(pattern)})
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for _, err := range r.Records() {
			if e, ok := errors.AsType[*format.Error](err); err != nil && !ok {
				t.Errorf("%q: %v", pattern, e)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
			t.Errorf("%.40q: %d MiB are kept", pattern, grown>>20)
		}
		runtime.KeepAlive(r)
	}
}
