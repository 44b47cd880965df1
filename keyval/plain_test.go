package keyval

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func TestReadPlain(t *testing.T) {
	for _, test := range []struct {
		name   string
		in     string
		limits format.Limits
		want   []string
	}{
		{
			name:   "empty",
			limits: format.Limits{},
		},
		{
			name:   "verbatim values, and the last value of a repeated key",
			in:     "b=007\na-b.c_d=x = y\t \r\nb=1.50\ne=\nl= x\n",
			limits: format.Limits{},
			want:   []string{"a-b.c_d=x = y", "b=1.50", "e=", "l= x"},
		},
		{
			name:   "comments and blank lines",
			in:     "# a comment\n\n  # another\na=1 # behind\nb=#\n \t\n",
			limits: format.Limits{},
			want:   []string{"a=1", "b="},
		},
		{
			name:   "lines that are not keyvals",
			in:     "no keyval\n=1\n a=1\na{perf}=1\nb=\xff\nc=1",
			limits: format.Limits{},
			want: []string{
				`in:1:1: missing "=": want key=value`,
				"in:2:1: the key is empty",
				`in:3:1: key " a": only letters, digits and . - _ are allowed`,
				`in:4:2: key "a{perf}": only letters, digits and . - _ are allowed`,
				"in:5:3: the line is not valid UTF-8",
				"c=1",
			},
		},
		{
			name:   "a long line",
			in:     "a=1\nb=0123456789\nc=1\n",
			limits: format.Limits{MaxLineBytes: 5},
			want:   []string{"in:2:1: bytes in one line: more than 5 (Limits.MaxLineBytes)", "a=1", "c=1"},
		},
		{
			name:   "many keys",
			in:     "a=1\nb=2\na=3\nc=4\nd=5\n",
			limits: format.Limits{MaxParams: 2},
			want:   []string{"FATAL in:4:1: keys in the file: more than 2 (Limits.MaxParams)", "a=3", "b=2"},
		},
		{
			name:   "a large file",
			in:     "a=1\nb=2\nc=3\n",
			limits: format.Limits{MaxHeaderBytes: 8},
			want:   []string{"FATAL in:3:1: bytes in the file: more than 8 (Limits.MaxHeaderBytes)", "a=1", "b=2"},
		},
		{
			name:   "UTF-16",
			in:     "\xff\xfea\x00",
			limits: format.Limits{},
			want:   []string{"FATAL in:1:1: the input is UTF-16: want UTF-8"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(in io.Reader) []string { return readPlain(in, test.limits) }
			formattest.CheckRead(t, test.name, test.in, test.want, read)
		})
	}
	got := readPlain(strings.NewReader(strings.Repeat("x\n", 5000)+"a=1\n"), format.Limits{})
	if want := "FATAL in:1001:1: more than 1000 errors: the rest of the file is left out"; len(got) != 1001 ||
		got[1000] != want {
		t.Errorf("%d lines, the last %s, want %s", len(got), got[len(got)-1], want)
	}
	broken := io.MultiReader(strings.NewReader("a=1\n"), iotest.ErrReader(errors.New("broken")))
	if diff := cmp.Diff([]string{"FATAL in:2:1: reading failed: broken", "a=1"},
		readPlain(broken, format.Limits{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func readPlain(in io.Reader, limits format.Limits) (got []string) {
	values, faults := ReadPlain(in, "in", limits)
	for _, e := range faults {
		got = append(got, formattest.ShowError(e))
	}
	for key, value := range values.All() {
		got = append(got, key+"="+value)
	}
	return got
}

// FuzzPlain checks that values that are written again are read back equal.
func FuzzPlain(f *testing.F) {
	f.Add("a=1 # x\nb==c\n\na=\xff\n")
	f.Fuzz(func(t *testing.T, in string) {
		values, faults := ReadPlain(strings.NewReader(in), "", format.Limits{})
		for _, e := range faults {
			formattest.CheckError(t, in, e)
		}
		var text strings.Builder
		for key, value := range values.All() {
			text.WriteString(key + "=" + value + "\n")
		}
		back, faults := ReadPlain(strings.NewReader(text.String()), "", format.Limits{})
		if !back.Equal(values) || len(faults) > 0 {
			t.Errorf("%q read back as %q, %v", values, back, faults)
		}
	})
}

// The ends of the ranges of characters that a tag may have.
func TestIsWord(t *testing.T) {
	for _, c := range "azAZ09_" {
		if !isWord([]byte{byte(c)}) {
			t.Errorf("%q is not part of a word", c)
		}
	}
	for _, c := range "`{@[/:-.^ " {
		if isWord([]byte{byte(c)}) {
			t.Errorf("%q is part of a word", c)
		}
	}
}
