package accepted_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series/accepted"
	"perfdata/traceid"
)

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // the line, commit and reason of each change
		message    string
		cause      error
	}{
		{"none", "", nil, "", nil},
		{"comments and empty lines", "# QUERY COMMIT REASON\n\n  # more\n", nil, "", nil},
		{"changes", "unit=ns/op c1  checks  bounds\r\n\nname=A 3f2a", []string{"1 c1 checks bounds", "3 3f2a "}, "", nil},
		{"no commit", "name=A c1 x\nname=B\n", nil, "known.txt:2:1: want QUERY COMMIT REASON", format.ErrSyntax},
		{"no query", "name c1 x", nil, `known.txt:1:1: query term "name": did you mean name=*?`, format.ErrSyntax},
		{"too long", strings.Repeat("#", 1<<20+1), nil, "known.txt:1:1: the file has more than 1 MiB", format.ErrLimit},
		{"too many", strings.Repeat("#\n", 1<<19) + "#", nil, "known.txt:1:1: the file has more than 1 MiB", format.ErrLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, err := accepted.Read(strings.NewReader(test.text), "known.txt")
			var got []string
			for _, c := range all {
				got = append(got, fmt.Sprintf("%d %s %s", c.Line, c.Commit, c.Reason))
				if ok, err := c.Query.Match(traceid.Of("name", "A", "unit", "ns/op")); !ok || err != nil {
					t.Errorf("line %d: the query does not match: %v", c.Line, err)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if message := fmt.Sprint(err); err != nil && message != test.message || err == nil && test.message != "" {
				t.Errorf("error %v, want %q", err, test.message)
			}
			if !errors.Is(err, test.cause) {
				t.Errorf("error %v: want the cause %v", err, test.cause)
			}
		})
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := accepted.Read(failing{broken}, "known.txt"); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
