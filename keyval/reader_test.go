package keyval

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

var _ format.Reader = (*Reader)(nil)

func newReader(in io.Reader) *Reader {
	r := NewReader(in)
	r.Name = "in"
	return r
}

func readAll(in io.Reader) []string { return formattest.All(newReader(in)) }

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "empty file",
			want: []string{},
		},
		{
			name: "blank lines only",
			in:   "\n \n\r\n",
			want: []string{},
		},
		{
			name: "several iterations, attributes on any line",
			in:   "b{perf}=2\nhost{attr}=lumpy\na{perf}=1.5\n\na{perf}=3\nb{perf}=4\n\nz{attr}=2\na{attr}=1\nb{perf}=5",
			want: []string{
				"iteration=1 key=b = 2 host:lumpy", "iteration=1 key=a = 1.5 host:lumpy",
				"iteration=2 key=a = 3", "iteration=2 key=b = 4",
				"iteration=3 key=b = 5 a:1 z:2",
			},
		},
		{
			name: "every blank line ends an iteration",
			in:   "\n\na{perf}=1\n\n \t\nb{perf}=2\n",
			want: []string{"iteration=3 key=a = 1", "iteration=5 key=b = 2"},
		},
		{
			name: "repeated keys: the last value at the position of the first",
			in:   "a{perf}=1\nb{perf}=2\na=3\nc{attr}=x\nc{attr}=y\n\n",
			want: []string{"iteration=1 key=a = 3 c:y", "iteration=1 key=b = 2 c:y"},
		},
		{
			name: "deviations",
			in:   "a{perf}=12.5+-0.25\nb=7.+-1\nb_dev{perf}=9\na_dev=8\n",
			want: []string{
				"iteration=1 key=a = 12.5",
				"iteration=1 key=a_dev = 8",
				"iteration=1 key=b = 7",
				"iteration=1 key=b_dev = 9",
			},
		},
		{
			name: "malformed deviations",
			in:   "a=§1e3+-1\nb=§-1+-1\nc=§1+-\nd=§1+-1x\ne=§ 1+-1\nf=§.5+-1\ng=§1..+-1\nh=1\n",
			want: []string{
				`in:§: "1e3+-1": mean and deviation must be decimals without sign and exponent`,
				`in:§: "-1+-1": mean and deviation must be decimals without sign and exponent`,
				`in:§: "1+-": mean and deviation must be decimals without sign and exponent`,
				`in:§: "1+-1x": mean and deviation must be decimals without sign and exponent`,
				`in:§: " 1+-1": mean and deviation must be decimals without sign and exponent`,
				`in:§: ".5+-1": mean and deviation must be decimals without sign and exponent`,
				`in:§: "1..+-1": mean and deviation must be decimals without sign and exponent`,
				"iteration=1 key=h = 1",
			},
		},
		{
			name: "numbers",
			in:   "a=+1\nb=.5\nc=5.\nd=007\ne=1E3\nf=-0\ng=  1\nh=INF\ni=+infinity\nj=-nan\nk=1e-400\nl=-inf\nm=00\n",
			want: []string{
				"iteration=1 key=a = 1",
				"iteration=1 key=b = 0.5",
				"iteration=1 key=c = 5",
				"iteration=1 key=d = 7",
				"iteration=1 key=e = 1000",
				"iteration=1 key=f = -0",
				"iteration=1 key=g = 1",
				"iteration=1 key=h = +Inf",
				"iteration=1 key=i = +Inf",
				"iteration=1 key=j = NaN",
				"iteration=1 key=k = 0",
				"iteration=1 key=l = -Inf",
				"iteration=1 key=m = 0",
			},
		},
		{
			name: "malformed numbers",
			in: "a{perf}=§0x10\na=§1_000\na=§fast\na{perf}=§\na=§ \na=§--1\na=§1e\na=§.\na=§infin\na=§1 2\n" +
				"a=§1p3\na=§+-1\na=§nan(1)\n",
			want: []string{
				`in:§: "0x10" is not a number`,
				`in:§: "1_000" is not a number`,
				`in:§: "fast" is not a number`,
				`in:§: missing value`,
				`in:§: missing value`,
				`in:§: "--1" is not a number`,
				`in:§: "1e" is not a number`,
				`in:§: "." is not a number`,
				`in:§: "infin" is not a number`,
				`in:§: "1 2" is not a number`,
				`in:§: "1p3" is not a number`,
				`in:§: "+-1": mean and deviation must be decimals without sign and exponent`,
				`in:§: "nan(1)" is not a number`,
			},
		},
		{
			name: "lines that are not keyvals do not end an iteration",
			in:   "a{perf}=1\n  §just some text\n\tb§{count}=4\nc{perf}=§\xff1\nd{perf}=2\n\n§{}=1\na{x-y}=1\n",
			want: []string{
				`in:§: missing "=": want key{perf}=value`,
				`in:§: unknown tag "{count}": want {perf} or {attr}`,
				"in:§: the line is not valid UTF-8",
				"iteration=1 key=a = 1", "iteration=1 key=d = 2",
				`in:§: unknown tag "{}": want {perf} or {attr}`,
				"iteration=2 key=a{x-y} = 1",
			},
		},
		{
			name: "keys",
			in:   "{perf}=1\na{b}{perf}=2\nb{perf} = 3\n=4\né{perf}=5\na}=6\n",
			want: []string{
				"iteration=1 key= = 4",
				"iteration=1 key=a{b} = 2",
				"iteration=1 key=b{perf}  = 3",
				"iteration=1 key=é = 5",
				"iteration=1 key=a} = 6",
			},
		},
		{
			name: "values of attributes",
			in:   "cmd{attr}=a=b=c\nempty{attr}=\nlead{attr}=  x \nv{perf}=1\n",
			want: []string{"iteration=1 key=v = 1 cmd:a=b=c empty: lead:  x"},
		},
		{
			name: "line ends",
			in: "a{perf}=1\r\nb{attr}=x\r\n\r\na{perf}=2\r\nb{attr}=y\r\n\r\na{perf}=3\nb{attr}=y\r\n\n" +
				"a{perf}=4\r\r\nb{attr}=y\n\r\n",
			want: []string{
				"iteration=1 key=a = 1 b:x",
				"iteration=2 key=a = 2 b:y",
				"iteration=3 key=a = 3 b:y",
				"iteration=4 key=a = 4 b:y",
			},
		},
		{
			name: "a byte order mark is skipped",
			in:   "\ufeffa{perf}=1\n",
			want: []string{"iteration=1 key=a = 1"},
		},
		{
			name: "UTF-16",
			in:   "\xff\xfea\x00",
			want: []string{"FATAL in:1:1: the input is UTF-16: want UTF-8"},
		},
		{
			name: "a last iteration with nothing but faults",
			in:   "a=1\n\nx=§y\n",
			want: []string{"iteration=1 key=a = 1", `in:§: "y" is not a number`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := test.in, test.want
			if strings.Contains(in, "§") {
				in, want = formattest.Marked(in, want...)
			}
			formattest.CheckRead(t, test.name, in, want, readAll)
		})
	}
}

func TestReaderParams(t *testing.T) {
	r := newReader(strings.NewReader("a=1\n\na=2\n"))
	r.Params = traceid.Params{
		{Key: "test", Value: "t"},
		{Key: "key", Value: "mine"},
		{Key: "iteration", Value: "7"},
		{Key: "host", Value: "h"},
	}
	h, err := r.FileHeader()
	if diff := cmp.Diff(Header{Params: params("host", "h", "test", "t")}, h.Native); diff != "" || err != nil {
		t.Errorf("header: %v (-want +got):\n%s", err, diff)
	}
	want := []string{"host=h iteration=1 key=a test=t = 1", "host=h iteration=2 key=a test=t = 2"}
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
