package benchfmt

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

func TestLimits(t *testing.T) {
	output := func(pkg string, texts ...string) (events string) {
		for _, text := range texts {
			events += `{"Action":"output","Package":"` + pkg + `","Output":"` + text + `"}` + "\n"
		}
		return events
	}
	x := strings.Repeat("x", 1500)
	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   []string
	}{
		{
			name:   "a line of any kind that is too long",
			limits: format.Limits{MaxLineBytes: 20},
			in: "k: 78901234567890\nBenchmarkX 1 3456 s\nBenchmarkX 1 34567 sx\nk: 789012345678901234\n" +
				"BenchmarkX 1 2 s\n# 345678901234567890x\nUnit s a=b c=d e=f gh\n" +
				`BenchmarkX 1 3 s` + "\n",
			want: []string{
				"k=78901234567890 name=X unit=s = 3456 iterations:1",
				"in:3:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"in:4:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"name=X unit=s = 2 iterations:1", // k is deleted
				"in:6:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"in:7:1: bytes of one line: more than 20 (Limits.MaxLineBytes)",
				"name=X unit=s = 3 iterations:1",
			},
		},
		{
			name:   "a line assembled from events",
			limits: format.Limits{MaxLineBytes: 80},
			in: `{"Action":"output","Package":"a","Output":"BenchmarkXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":"XXXXXXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":"XXXXXXXXXXXXXXXXXXXXXXXXXXXXX"}` + "\n" +
				`{"Action":"output","Package":"a","Output":" 1 1 s\nBenchmarkX 1 1 s\n"}` + "\n" +
				`{"Action":"output","Package":"a",` +
				`"Output":" 1 1 s\nBenchmarkXBenchmarkXBenchmarkXBench 1 1 s\n"}` + "\n",
			want: []string{
				"in:1:1: a: bytes of one line: more than 80 (Limits.MaxLineBytes)",
				"name=X unit=s = 1 iterations:1",
				"in:5:1: bytes of one line: more than 80 (Limits.MaxLineBytes)",
			},
		},
		{
			name:   "lines of events as long as allowed, and one byte longer",
			limits: format.Limits{MaxLineBytes: 60},
			in: output("a", "Benchmark"+x[:4], x[:10], x[:10], x[:10], x[:10], "x 1 2 s", `\n`) +
				output("a", "Benchmark"+x[:4], x[:10], x[:10], x[:10], x[:10], "x 1 3 s", `\r`, `\n`) +
				output("a", "Benchmark"+x[:4], x[:10], x[:10], x[:10], x[:10], "xx 1 4 s", `\n`),
			want: []string{
				"name=" + x[:45] + " unit=s = 2 iterations:1", "name=" + x[:45] + " unit=s = 3 iterations:1",
				"in:16:1: a: bytes of one line: more than 60 (Limits.MaxLineBytes)",
			},
		},
		{
			name:   "a line of events without end",
			limits: format.Limits{MaxLineBytes: 60, MaxHeaderBytes: 1400},
			in:     strings.Repeat(output("a", x[:10]), 50),
			want:   []string{"in:1:1: a: bytes of one line: more than 60 (Limits.MaxLineBytes)"},
		},
		{
			name:   "memory of long lines of packages whose next line has not begun",
			limits: format.Limits{MaxHeaderBytes: 6000},
			in: output("a", "Benchmark"+x, ` 1 1 s\n`) + output("b", "Benchmark"+x, ` 1 2 s\n`) +
				output("c", "Benchmark"+x, ` 1 3 s\n`),
			want: []string{
				"name=" + x + " unit=s = 1 iterations:1", "name=" + x + " unit=s = 2 iterations:1",
				"name=" + x + " unit=s = 3 iterations:1",
			},
		},
		{
			name:   "memory of packages that end",
			limits: format.Limits{MaxHeaderBytes: 4000},
			in: strings.Repeat(output(x[:400], "k: "+x[:400]+`\nBenchmark`+x[:400])+
				`{"Action":"pass","Package":"`+x[:400]+`"}`+"\n", 20),
			want: []string{},
		},
		{
			name:   "keys of the configuration",
			limits: format.Limits{MaxParams: 2},
			in:     "a: 1\nb: 2\nb:\nc: 3\nBenchmarkX 1 1 s\nd: 4\nBenchmarkX 1 1 s\n",
			want: []string{
				"a=1 c=3 name=X unit=s = 1 iterations:1",
				"FATAL in:6:1: keys of the configuration: more than 2 (Limits.MaxParams)",
			},
		},
		{
			name:   "parts of a name",
			limits: format.Limits{MaxParams: 3},
			in:     "BenchmarkX/a/b 1 1 s\nBenchmarkX/a/b/c 1 2 s\nBenchmarkX/a/b 1 3 s\n",
			want: []string{
				"name=X sub1=a sub2=b unit=s = 1 iterations:1",
				"in:2:1: parts of one name: more than 3 (Limits.MaxParams)",
				"name=X sub1=a sub2=b unit=s = 3 iterations:1",
			},
		},
		{
			name:   "metadata of a unit",
			limits: format.Limits{MaxParams: 2},
			in:     "Unit s a=b c=d a=b\nUnit s e=f x\nBenchmarkX 1 1 s\n",
			want:   []string{"FATAL in:2:1: metadata of one unit: more than 2 (Limits.MaxParams)"},
		},
		{
			name:   "all bytes that are kept",
			limits: format.Limits{MaxHeaderBytes: 400},
			in:     "a: 1\nb: 2\nc: 3\nBenchmarkX 1 1 s\na:\nd: 4\nBenchmarkX 1 1 s\na: 1\nBenchmarkX 1 1 s\n",
			want: []string{
				"a=1 b=2 c=3 name=X unit=s = 1 iterations:1", "b=2 c=3 d=4 name=X unit=s = 1 iterations:1",
				"FATAL in:8:1: bytes of configuration," +
					" unit metadata and unfinished lines: more than 400 (Limits.MaxHeaderBytes)",
			},
		},
		{
			name:   "packages at once",
			limits: format.Limits{MaxHeaderBytes: 2500},
			in: `{"Action":"output","Package":"a","Output":"BenchmarkX"}
{"Action":"output","Package":"b","Output":"BenchmarkX"}
{"Action":"pass","Package":"b"}
{"Action":"output","Package":"c","Output":"BenchmarkX"}
{"Action":"output","Package":"d","Output":"BenchmarkX"}`,
			want: []string{"FATAL in:5:1: bytes of configuration," +
				" unit metadata and unfinished lines: more than 2500 (Limits.MaxHeaderBytes)"},
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

// With the default limits, a line of 1 MiB is read, and a longer one is left out.
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
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A hostile input is a repeated pattern with a number in it.
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

// Inputs that try to fill memory take a bounded amount of it, or are an error. The limits of lines and
// of what is kept are lower than the default ones, as are the inputs that try to exceed them.
func TestHostile(t *testing.T) {
	if formattest.Race {
		t.Skip("the memory of the race detector would be measured, too")
	}
	long := strings.Repeat("x", 250_000)
	output := func(pkg, text string) string {
		return `{"Action":"output","Package":"` + pkg + `","Output":"` + text + `"}` + "\n"
	}
	var line strings.Builder // has many spellings of one unit
	line.WriteString("BenchmarkX 1")
	for i := range 1 << 13 {
		line.WriteString(" 1 ")
		for bit := range 13 {
			line.WriteString([...]string{"*ns", "*sec"}[i>>bit&1])
		}
	}
	metadata := "Unit " + strings.Repeat("*ns", 13)
	for i := range 999 {
		metadata += fmt.Sprintf(" k%d=v", i)
	}
	for _, test := range []struct {
		name    string
		pattern string
		size    int // of the input, in MiB; 0 is 1
		refused string
	}{
		{
			name:    "keys of the configuration",
			pattern: "k#: v\n",
			refused: "MaxParams",
		},
		{
			name:    "long values of the configuration",
			pattern: "k#: " + long + "\n",
			size:    10,
			refused: "MaxHeaderBytes",
		},
		{
			name:    "units with metadata",
			pattern: "Unit u# a=b\n",
			refused: "",
		},
		{
			name:    "metadata of a unit",
			pattern: "Unit u a#=b\n",
			refused: "MaxParams",
		},
		{
			name:    "faults of metadata",
			pattern: "Unit x" + strings.Repeat(" y", 10_000) + "\n",
		},
		{
			name:    "long faults of metadata",
			pattern: "Unit u k=#" + long + "\n",
			size:    8,
		},
		{
			name:    "spellings of a unit",
			pattern: metadata + "\n" + line.String() + "\n",
		},
		{
			name:    "units",
			pattern: "BenchmarkX 1 1 unit# 1 unit#ns\n",
		},
		{
			name:    "long units",
			pattern: "BenchmarkX 1 1 #" + long + "\n",
			size:    8,
		},
		{
			name:    "long names",
			pattern: "Benchmark#" + long + " 1 1 s\n",
			size:    8,
		},
		{
			name:    "keys of names",
			pattern: "BenchmarkX#/k#=# 1 1 s\n",
		},
		{
			name:    "parts of a name",
			pattern: "Benchmark" + strings.Repeat("/k#=a", 2000) + " 1 1 s\n",
		},
		{
			name: "names that override a long key",
			pattern: "k#" + long[:225_000] + ": v\n" +
				"BenchmarkX/k#" + long[:225_000] + "=1 1 1 s\n" +
				"k#" + long[:225_000] + ":\n",
			size: 20,
		},
		{
			name:    "a line without end",
			pattern: "Benchmark",
		},
		{
			name:    "a line of a package without end",
			pattern: output("p", "BenchmarkX"),
		},
		{
			name:    "packages whose lines don't end",
			pattern: output("p#", "BenchmarkX"),
		},
		{
			name:    "packages whose long lines don't end",
			pattern: output("p#", "Benchmark"+long),
			size:    8,
			refused: "MaxHeaderBytes",
		},
		{
			name:    "packages with a long line in two events",
			pattern: output("p#", long) + output("p#", `\n`),
			size:    8,
		},
		{
			name:    "packages with a long line in two events, and CRLF",
			pattern: output("p#", long+`\r`) + output("p#", `\n`),
			size:    8,
		},
		{
			name:    "packages with a long result",
			pattern: output("p#", "Benchmark"+long+` 1 1 ns/op\n`),
			size:    8,
		},
		{
			name:    "packages with a long result in two events",
			pattern: output("p#", "Benchmark"+long) + output("p#", ` 1 1 ns/op\n`),
			size:    8,
		},
		{
			name:    "packages with many parts of a name",
			pattern: output("p#", "Benchmark"+strings.Repeat("/k", 990)+` 1 1 ns/op\n`),
		},
		{
			name:    "packages with a long configuration",
			pattern: output("p#", "k: "+long+`\n`),
			size:    8,
			refused: "MaxHeaderBytes",
		},
		{
			name:    "packages with many keys",
			pattern: output("p#", strings.Repeat(`a: b\nc: d\ne: f\ng: h\ni: j\n`, 10)),
			size:    5,
		},
		{
			name:    "packages with long names",
			pattern: output("#"+long, "x"),
			size:    8,
			refused: "MaxHeaderBytes",
		},
		{
			name:    "packages with long names that end",
			pattern: output("#"+long, `BenchmarkX 1 x\n`) + `{"Action":"pass","Package":"#` + long + `"}` + "\n",
			size:    20,
		},
		{
			name: "ordinary packages that end",
			pattern: output("p#", `pkg: p#\nBenchmarkX`) + output("p#", ` 1 1 ns/op\n`) +
				`{"Action":"pass","Package":"p#"}` + "\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.size > 0 && quick.Test() {
				t.Skip("it reads many megabytes")
			}
			size := cmp.Or(test.size<<20, quick.Of(1<<20, 1<<18))
			limits := format.Limits{MaxLineBytes: 256 << 10, MaxHeaderBytes: 4 << 20}
			for _, way := range []string{"validated", "read"}[quick.Of(0, 1):] {
				in := &formattest.HeapReader{
					In:    &hostile{pattern: test.pattern, max: 1 + size/len(test.pattern)},
					Every: size/8 + 1,
				}
				last := ""
				if way == "read" {
					r := NewReader(in)
					r.Limits = limits
					last = lastFault(r.Records())
					runtime.KeepAlive(r)
				} else {
					for e := range Format().Validate(in, format.Options{Name: "in", Limits: limits}) {
						if e.Severity != format.Warning {
							last = e.Error()
						}
					}
				}
				if grown := in.Growth(); grown > 6<<20 {
					t.Errorf("%s: %d MiB are in use", way, grown>>20)
				}
				if !strings.Contains(last, test.refused) {
					t.Errorf("%s: the last error is %q, want %s", way, last, test.refused)
				}
			}
		})
	}
}

func lastFault(records iter.Seq2[*format.Record, error]) (last string) {
	for _, err := range records {
		if err != nil {
			last = err.Error()
		}
	}
	return last
}

// The size of the configuration is its present size, not its greatest.
func TestConfigurationShrinks(t *testing.T) {
	for name, lines := range map[string]string{
		"values":  "key: value\nkey: v\n",
		"removed": "key: value\nkey:\n",
	} {
		t.Run(name, func(t *testing.T) {
			in := strings.Repeat(lines, 5000) + "BenchmarkA 1 1 ns/op\n"
			r := NewReader(strings.NewReader(in))
			r.Limits.MaxHeaderBytes = 1000
			records := 0
			for _, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				records++
			}
			if records != 1 {
				t.Errorf("%d records", records)
			}
		})
	}
}
