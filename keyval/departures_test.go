package keyval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
)

// TestDepartures shows each departure of doc.go by its number.
func TestDepartures(t *testing.T) {
	read := func(in string) []string { return readAll(strings.NewReader(in)) }
	for _, test := range []struct {
		number string
		got    []string
		want   []string
	}{
		{
			number: "K1",
			got:    read("a{perf}=1e999\n"),
			want:   []string{`in:1:9: number "1e999" is out of range`},
		},
		{
			number: "K2",
			got:    read("a{attr}=\xff\nb=1\n"),
			want:   []string{"in:1:9: the line is not valid UTF-8", "iteration=1 key=b = 1"},
		},
		{
			number: "K2",
			got:    read("a=1\n" + strings.Repeat(" ", 1<<20+1) + "\nb=1\n"),
			want: []string{
				"in:2:1: bytes in one line: more than 1048576 (Limits.MaxLineBytes)",
				"iteration=1 key=a = 1",
				"iteration=1 key=b = 1",
			},
		},
		{
			number: "K3",
			got:    read("\ufeffa=1\n"),
			want:   []string{"iteration=1 key=a = 1"},
		},
		{
			number: "K4",
			got:    read("a=1+-2 ms\n"),
			want:   []string{`in:1:3: "1+-2 ms": mean and deviation must be decimals without sign and exponent`},
		},
		{
			number: "K4",
			got:    read("a=1e5+-2\nb=3+-1e3\nc=1+-2+-3\n"),
			want: []string{
				`in:1:3: "1e5+-2": mean and deviation must be decimals without sign and exponent`,
				`in:2:3: "3+-1e3": mean and deviation must be decimals without sign and exponent`,
				`in:3:3: "1+-2+-3": mean and deviation must be decimals without sign and exponent`},
		},
		{
			number: "K5",
			got:    readPlain(strings.NewReader("# comment\n\na=1\nb\n"), format.Limits{}),
			want:   []string{`in:4:1: missing "=": want key=value`, "a=1"},
		},
		{
			number: "K6",
			got:    readPlain(strings.NewReader("a=1.50\nb=007\n"), format.Limits{}),
			want:   []string{"a=1.50", "b=007"},
		},
	} {
		t.Run(test.number, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	name := filepath.Join(t.TempDir(), "keyval")
	if err := os.WriteFile(name, []byte("a{perf}=1"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := AppendIteration(name, iteration(nil, map[string]float64{"a": 2})); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if diff := cmp.Diff([]string{"iteration=1 key=a = 1", "iteration=2 key=a = 2"},
		read(string(text))); diff != "" || err != nil {
		t.Errorf("K10: %v (-want +got):\n%s", err, diff)
	}
}
