package keyval

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func validate(in io.Reader) []string {
	return formattest.Faults(Format().Validate(in, format.Options{Name: "in"}))
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "empty",
			want: []string{},
		},
		{
			name: "valid",
			in:   "a{perf}=1\nb-c.d_e{attr}=x\n\na{perf}=1\nb-c.d_e{attr}=x\n\na{perf}=2+-1\n",
			want: []string{},
		},
		{
			name: "keys, in each iteration",
			in:   "a b{perf}=1\n\na b{perf}=2\n\na{b}{attr}=x\n{perf}=1\n",
			want: []string{
				`in:1:2: key "a b": only letters, digits and . - _ are allowed`,
				`in:3:2: key "a b": only letters, digits and . - _ are allowed`,
				`in:5:2: key "a{b}": only letters, digits and . - _ are allowed`,
				"in:6:1: the key is empty",
			},
		},
		{
			name: "repeated keys",
			in:   "a{perf}=1\nb{attr}=x\n a{perf}=2\nb{attr}=x\nc{perf}=1+-2\nc_dev{perf}=1\na{attr}=3\n\na{perf}=1\n",
			want: []string{
				`in:3:2: duplicate key "a" in this iteration: the last value is used`,
				`in:4:1: duplicate key "b" in this iteration: the last value is used`,
				`in:6:1: duplicate key "c_dev" in this iteration: the last value is used`,
			},
		},
		{
			name: "the first untyped line, and a missing line end",
			in:   "a{perf}=1\n b=2\nc=3\n\nc=x",
			want: []string{
				"in:2:2: warning: line without {perf} or {attr} is read as {perf}; further ones are not reported",
				`in:5:3: "x" is not a number`,
				"in:5:4: warning: the last line has no line end: the file may be truncated",
			},
		},
		{
			name: "errors of the Reader",
			in:   "x\n\xff\na{b}=1\na{perf}=1e999\n  ",
			want: []string{
				`in:1:1: missing "=": want key{perf}=value`,
				"in:2:1: the line is not valid UTF-8",
				`in:3:2: unknown tag "{b}": want {perf} or {attr}`,
				`in:4:9: number "1e999" is out of range`,
				"in:5:3: warning: the last line has no line end: the " +
					"file may be truncated",
			},
		},
		{
			name: "long lines",
			in:   strings.Repeat("x", 1<<20+1) + "\na{perf}=1\n" + strings.Repeat(" ", 1<<20+1) + "\n",
			want: []string{
				"in:1:1: bytes in one line: more than 1048576 (Limits.MaxLineBytes)",
				"in:3:1: bytes in one line: more than 1048576 (Limits.MaxLineBytes)",
			},
		},
		{
			name: "a long last line without its end",
			in:   "a{perf}=1\n" + strings.Repeat("x", 1<<20+1),
			want: []string{
				"in:2:1: bytes in one line: more than 1048576 (Limits.MaxLineBytes)",
				"in:2:1: warning: the last line has no line end: the file may be truncated",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, validate)
			// A break stops the validation.
			for range Format().Validate(strings.NewReader(test.in), format.Options{}) {
				break
			}
		})
	}
}

func TestTestdata(t *testing.T) {
	want := map[string][]string{
		"deviations.keyval": {"in:4:1: warning: line without {perf} or {attr} is read as {perf}; further ones " +
			"are not reported"},
		"faults.keyval": {
			`in:1:1: missing "=": want key{perf}=value`,
			`in:2:11: "fast" is not a number`,
			`in:4:1: duplicate key "fps" in this iteration: the last value is used`,
			`in:5:7: unknown tag "{count}": want {perf} or {attr}`,
			`in:7:3: key "ms page load": only letters, digits and . - _ are allowed`,
			`in:8:20: number "1e999" is out of range`,
			"in:9:20: missing value",
			`in:10:13: "0x10" is not a number`,
			`in:11:14: "3+-high": mean and deviation must be decimals without sign and exponent`,
			"in:13:15: warning: the last line has no line end: the file may be truncated",
		},
	}
	for name, text := range testFiles(t) {
		got := validate(strings.NewReader(text))
		if diff := cmp.Diff(append([]string{}, want[name]...), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if !sniff([]byte(text)) {
			t.Errorf("%s is not recognized", name)
		}
	}
}

func TestSniff(t *testing.T) {
	goFile := formattest.ReadFile(t, "append.go")
	for in, want := range map[string]bool{
		"":                             false,
		"\n \n":                        false,
		"a{perf}=1":                    true,
		"a{attr}=x":                    true,
		"\ufeff\n\na{perf}=1\ntext\n":  true,
		"a{perf}=1\nsome text\nmore\n": false,
		"a{perf}=1\nb{count}=1\nc d=1": true,
		"a=1\nb{perf}=2\n":             true,
		"a=1\nb{perf}=2\nc d\ne f\n":   true,
		"a{perf}=1\nb":                 true, // the prefix may end within the line
		"a=1\n":                        false,
		"PORT=8080\nHOST=x\n":          false,
		"a=1\nb\n":                     false,
		"a=x\nb=y\n":                   false,
		"a=1\nb c=2\n":                 false,
		"a=1\nb{count}=2\n":            false,
		"a{perf}=\xff\n":               false,
		"a{perf}=1\n\xff":              true,
		"a=1\x00\n":                    false,
		`{"a{perf}=1":1}`:              false,
		"[1,\na{perf}=1\n]":            false,
		"\"a\"\nb{perf}=1\n":           false,
		"{perf}=1":                     false,
		"goos: linux\na=1\n":           false,
		"BenchmarkA/b=1-8 1 2 ns/op\n": false,
		"BenchmarkA-8 1 2 ns/op\na{perf}=1\nb{perf}=1\n": false,
		goFile: false,
	} {
		if got := Format().Detect([]byte(in)).Yes; got != want {
			t.Errorf("%.40q: %v", in, got)
		}
	}
}

func TestInfo(t *testing.T) {
	info := Format()
	r := info.Open(nil, strings.NewReader("a=1\nlong=12345\n"), format.Options{Name: "name", Limits: format.Limits{MaxLineBytes: 5}})
	got := formattest.All(r)
	want := []string{"name:2:1: bytes in one line: more than 5 (Limits.MaxLineBytes)", "iteration=1 key=a = 1"}
	if diff := cmp.Diff(want, got); diff != "" || info.Name != "keyval" {
		t.Errorf("%s (-want +got):\n%s", info.Name, diff)
	}
}
