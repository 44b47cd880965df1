package benchfmt

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// checkAlone checks that the lines of a text give the same records and errors as each line in a file
// of its own, with the configuration in force. Results are read with the help of earlier ones;
// that must not show.
func checkAlone(t *testing.T, lines []string, limits format.Limits) {
	t.Helper()
	read := func(text string) []string {
		var all []string
		r := NewReader(strings.NewReader(text))
		r.Limits = limits
		for rec, err := range r.Records() {
			if err != nil {
				all = append(all, err.(*format.Error).Message)
				continue
			}
			rec.Offset = 0
			all = append(all, formattest.Show(rec))
		}
		return all
	}

	var want []string
	config := ""
	for _, line := range lines {
		if key, _, ok := configLine([]byte(line)); ok && len(key) > 0 {
			config += line + "\n"
			continue
		}
		want = append(want, read(config+line+"\n")...)
	}
	if diff := cmp.Diff(want, read(strings.Join(lines, "\n")+"\n")); diff != "" {
		t.Errorf("(-alone +together):\n%s", diff)
	}
}

func TestNamesTogether(t *testing.T) {
	many := []string{}
	for i := range 3 * maxPatterns {
		many = append(many, fmt.Sprintf("X/k%d=%d-8", i%(2*maxPatterns), i), fmt.Sprintf("X/%d/k%d=v", i, i%5))
	}
	long := strings.Repeat("a", longName-3)
	for name, names := range map[string][]string{
		"one part":       {"X/a-8", "X/b-8", "X/b-8", "X/b-9", "X/b", "X/-8", "X/8", "X-8", "X", "Y", "Y-8"},
		"a common start": {"Abcdefghijklmnop/q-8", "Abcdefghijklmnop/q/r-8", "Abcdefghijklmnop-8", "Abcdefgh/q-8", "Abcdefgh"},
		"keys":           {"X/a=1/b=2-8", "X/a=1/b=3-8", "X/a=11/b=2-8", "X/a=1/c=2-8", "X/a=1/b-8", "X/a=/b=-8", "X/a/b=2"},
		"long keys": {"X/throughput=1", "X/throughput=2", "X/throughpuT=3", "X/throughp=4", "X/throughpu=5",
			"X/throughput=6"},
		"reserved keys":  {"X/name=1-8", "X/name=2-8", "X/unit=1", "X/sub1=x/y", "X/sub1=z/y", "X/gomaxprocs=2-3"},
		"repeated keys":  {"X/a=1/a=2", "X/a=3/a=4", "X/a=3/b=4", "X/a=3/a=4/a=5"},
		"equals signs":   {"X=1/a=b=c-8", "X=2/a=b=d-8", "X=2/=b", "X=2/=c", "X/==", "X/a==1"},
		"no base":        {"X=", "X-8", "-8", "-9", "/a-8", "/b-8", "", "-8", "/", "//", "X//", "X//y", "X/", "X/a"},
		"other texts":    {"Xé/a-8", "Xé/b-8", "X/é", "X/ü", "X\x7f/a", "X\x01/a", "X\x01/b", "X\u2003/a"},
		"many patterns":  many,
		"long names":     {"X/" + long, "X/" + long + "b", "X/" + long + "bcd", "X/" + long + "bce", "X/a"},
		"many parts":     {"X" + strings.Repeat("/a", 14), "X" + strings.Repeat("/a", 15) + "/b", "X" + strings.Repeat("/a", 15) + "/c", "X/a"},
		"too many parts": {"X" + strings.Repeat("/a", 25), "", "X" + strings.Repeat("/a", 25), "", "X/a", "X" + strings.Repeat("/b", 19)},
		"configuration":  {"X/a=1-8", "\na: 2", "X/a=3-8", "\nsub1: x", "X/a=4-8", "X/b-8", "\na:", "X/a=5-8", "Y", "\nname: n", "/z"},
		"many config":    {strings.Repeat("\nk1234567: 1", 1), "X/k1234567=2", "\nk1234567: 2", "X/k1234567=2", "X/k1234568=2"},
		"other values": {"X/a=1-8", "\nk: 1", "X/a=1-8", "\nk: 2", "X/a=1-8", "X/b-8", "\nk: 3",
			"X/a=1-8", "X/a=2-8", "X/b-8"},
		"processors": {"X/a=1-8", "X/a=1-16", "\nk: 1", "X/a=1-8", "X/a=1-16", "X/a=1-16", "X/a=16-16", "X/a=1-123456789",
			"X/a=1-123456788", "X/a=-8", "Y/a=-8", "Y/a=8", "Y/a=9-8"},
		"rather long": {"X/" + long[:395] + "/a", "X/" + long[:395] + "/b", "X/" + long[:397] + "/a",
			"X/" + long[:397] + "/b", "X/" + long[:397] + "/b-8", "X/" + long[:450] + "/a=1-8",
			"X/" + long[:450] + "/a=2-8", "X/" + long[:512] + "/a=2-8",
			"X/" + long[:512] + "/a=3-8"},
		"digits and dash": {"X-", "X--8", "X/a--8", "X/a-8-9", "X/a-8-10", "X/-", "X-8/-9", "X-8/a"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for i, s := range names {
				if line, ok := strings.CutPrefix(s, "\n"); ok {
					lines = append(lines, line)
					continue
				}
				lines = append(lines, fmt.Sprintf("Benchmark%s\t%8d\t%10d ns/op", s, i+1, i))
			}
			checkAlone(t, lines, format.Limits{MaxParams: 20})
		})
	}
}

func TestValuesTogether(t *testing.T) {
	const x = "BenchmarkX-8 \t       1\t"
	for name, values := range map[string][]string{
		"columns": {"1 a", "1 a\t2 b", "1 b", "1 a", "1 c 2 a 3 b", "1 b 2 b", "1 a", ""},
		"spaces": {"1 a", "1  a", " 1 a", "                1 a", "                 1 a", "\t1 a", "1\ta", "1 a ", "1 a\t",
			"1 a\r", "1 a\r\r", "1 a\rb", "1 a \r", "1 a\v2 a", "1 a\u00a0", "1 a\u20032 a"},
		"units": {"1 ns/op", "1 ns/o", "1 ns/ops", "1 B/op", "1 B/s", "1 é", "1 é", "1 \xff", "1 a\x7f", "1 allocs/op",
			"1 allocs/oq", "1 abcdefghijklmnop", "1 abcdefghijklmnopq", "1 abcdefghijklmnopr", "1 abcdefghijklmnopq",
			"1 abcdefghijklmnop", "1 " + strings.Repeat("u", 200), "1 " + strings.Repeat("u", 200), "1 " +
				strings.Repeat("u", 199), "1 " + strings.Repeat("u", 60), "1 " + strings.Repeat("u", 60),
			"1 " + strings.Repeat("u", 60+1), "1 " + strings.Repeat("u", 60+1)},
		"long units in turns": {"1 a 2 abcdefghijklmnop1", "1 a 2 abcdefghijklmnop2", "1 a 2 abcdefghijklmnop1"},
		"many": {strings.Repeat("1.5 ns/op\t 1234567890 allocs/op\t", 40),
			strings.Repeat("1.5 ns/op\t 1234567891 allocs/op\t", 40),
			strings.Repeat("1.5 ns/op\t 1234567891 allocs/op\t", 39) + "1 B/op"},
		"numbers": {"1 a", "007 a", "1.50 a", "-1 a", "+1 a", ".5 a", "5. a", "1e3 a", "1e-3 a", "0.1234567890123456789 a",
			"12345678901234567890 a", "1e999 a", "Inf a", "NaN a", "0x10 a", "1_0 a", "x a", "1a a", "1 ", "1",
			strings.Repeat("1", 40) + " a", "0." + strings.Repeat("1", 70) + " a"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, v := range values {
				lines = append(lines, x+"1 a", x+v, "BenchmarkX-8 \t       1 "+v)
			}
			checkAlone(t, lines, format.Limits{})
		})
	}

	t.Run("iterations", func(t *testing.T) {
		var lines []string
		for _, n := range []string{"1", "1", "12345678", "0", "00", "01", "+1", "-1", "1.0", "1e1", "x", "1x", "",
			"123456789", "1234567890", "123456789012345678", "9223372036854775807", "9223372036854775808",
			"9999999999999999999", "999999999999999999999", "2", "2\u00a0", "2\v"} {
			lines = append(lines, "BenchmarkX/a "+n+" 1 a", "BenchmarkX/b "+n+" 1 a", "BenchmarkX/b "+n+"\t1 a", "BenchmarkX/c\t")
		}
		lines = append(lines, "BenchmarkX/123456789         987654321 1 a", "BenchmarkX/c", "1 1 a", "BenchmarkX/c", "1 1 a")
		checkAlone(t, lines, format.Limits{})
		for res := range NewReader(strings.NewReader(strings.Join(lines, "\n"))).Results() {
			if res == nil {
				continue // checkAlone has the errors
			}
			line := lines[res.Line-1]
			if want, err := strconv.Atoi(strings.Fields(line)[1]); res.Iterations != want || err != nil {
				t.Errorf("%s: %d iterations, %v", line, res.Iterations, err)
			}
		}
	})
}

// FuzzTogether checks that earlier lines have no effect on how a result line is read.
func FuzzTogether(f *testing.F) {
	f.Add("X/a=1/b-8 1 1 ns/op 2 B/op|X/a=2/c-8 1 1 ns/op 2 B/op|k: v|X/a=2/c-8 12 1.5 ns/op|a: 2|X/a=3-8 1 1 allocs/op")
	f.Add("A/throughput=1 1 1 a|A/throughpuT=1 1 1 a|B/throughput=1/x=y/z-8 1 1 a|B/throughput=1/x=yy/z-8 1 1 a")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\n") {
			return
		}
		lines := strings.Split(text, "|")
		for i, line := range lines {
			if _, _, ok := configLine([]byte(line)); !ok || !utf8.ValidString(line) {
				lines[i] = "Benchmark" + line
			}
		}
		checkAlone(t, lines, format.Limits{MaxParams: 10})
	})
}

// A line that has not arrived completely is followed by old text in memory. Names in that text
// are not used for later lines.
func TestNameOfUnfinishedLine(t *testing.T) {
	const in = "l-intermediate.draw-16 510231 343319 ns/op 9256.351 MB/s 7.547240139923003\tB/op\n" +
		"BenchmarkXrasterize_upload-factorial/0=tessellate/n=stream_rect_matrix_layer/render-clip-8\t918\t18 ns/op\t" +
		"3766.2827 MB/s\t0.028369429659902523 B/op\t2725\tallocs/op\n" +
		"BenchmarkXrender.tabl/=b-8\t7848\t2.914e-08 ns/op\t224215 MB/s\t9\tB/op\t8.8191e-09 allocs/op\t" +
		"167196138 p99-ns\n" +
		"BenchmarkXre-8\t7\t3 p\t0 s\t3 p\t8 p\t3\ts"
	want := formattest.All(NewReader(strings.NewReader(in)))
	for seed := range uint64(quick.Of(500, 150)) {
		got := formattest.All(NewReader(&pieces{strings.NewReader(in), rand.New(rand.NewPCG(seed, 1))}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-whole +in pieces):\n%s", seed, diff)
		}
	}
}

// Of a line that has not arrived up to the blank after its number, the name is not kept.
func TestNameKept(t *testing.T) {
	const known, line = "BenchmarkX 1 1 s\n", "BenchmarkOther 12 1 s\n"
	for n := range len(line) + 1 {
		r := newReader(strings.NewReader(known))
		formattest.All(r)
		text := append([]byte(line), make([]byte, room)...)[:n+room]
		want := "X"
		if n > len("BenchmarkOther 12") {
			want = "Other"
		}
		if r.readPlain(&r.text, text, 0); r.names.text != want {
			t.Errorf("%q: the last name is %q, want %q", line[:n], r.names.text, want)
		}
	}
}

// The patterns of names with long keys are bounded by their size, and not only by their number.
func TestLongPatterns(t *testing.T) {
	long := strings.Repeat("k", maxPatternBytes/8)
	var in strings.Builder
	for i := range 8 {
		fmt.Fprintf(&in, "BenchmarkX/%d%s=v 1 1 s\n", i, long)
	}
	r := newReader(strings.NewReader(in.String()))
	for _, err := range r.Records() {
		if n := len(r.names.patterns); err != nil || n == 0 || n > 4 {
			t.Fatalf("%d patterns, %v", n, err)
		}
	}
}

// pieces reads a few bytes at once.
type pieces struct {
	in     io.Reader
	random *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) { return p.in.Read(b[:min(1+p.random.IntN(10), len(b))]) }

func TestNameParams(t *testing.T) {
	for name, want := range map[string]string{
		"":                      "",
		"X":                     "name=X",
		"X-8":                   "name=X gomaxprocs=8",
		"X-90":                  "name=X gomaxprocs=90",
		"X-09":                  "name=X gomaxprocs=09",
		"X-":                    "name=X-",
		"X8":                    "name=X8",
		"-8":                    "gomaxprocs=8",
		"8":                     "name=8",
		"X/a":                   "name=X sub1=a",
		"X/a-19":                "name=X sub1=a gomaxprocs=19",
		"X/":                    "name=X sub1=",
		"X//b=1":                "name=X sub1= b=1",
		"X//":                   "name=X sub1= sub2=",
		"//a":                   "sub1= sub2=a",
		"X/a=1/b=2/a=3":         "name=X a=1 b=2 sub1=a=3",
		"X/=1/name=y":           "name=X sub1==1 sub2=name=y",
		"X/a/b/c/d/e/f/g/h/i/j": "name=X sub1=a sub2=b sub3=c sub4=d sub5=e sub6=f sub7=g sub8=h sub9=i sub10=j",
	} {
		t.Run(name, func(t *testing.T) {
			var parts nameParts
			line := make([]byte, len(prefix)+len(name), 200)
			copy(line[copy(line, prefix):], name)
			parts.find(line)
			var n nameDecoder
			n.read(&parts, line, name, nil)
			var got []string
			for _, o := range n.pattern.own {
				if o.at >= 0 {
					got = append(got, o.key+"="+n.pattern.params[o.at].Value)
				}
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
