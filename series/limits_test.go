package series

import (
	"context"
	"errors"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/traceid"
)

func TestListLimits(t *testing.T) {
	for _, test := range []struct {
		name, list string
		limits     listLimits
		want       string
	}{
		{"as many commits as may be", "a\nb\n\n", listLimits{commits: 2, bytes: 100}, ""},
		{"too many commits", "a\nb\nc\n", listLimits{commits: 2, bytes: 100}, "list:3:1: too many commits: want at most 2"},
		{"as many bytes as may be", "a\nbb\n", listLimits{commits: 9, bytes: 5}, ""},
		{"too many bytes", "a\nbb\nc", listLimits{commits: 9, bytes: 5}, "list:3:1: list is too long: want at most 5 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readCommits(strings.NewReader(test.list), "list", test.limits)
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, format.ErrLimit) || err.Error() != test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A sourceFunc is a Source.
type sourceFunc func(to *Answer) error

func (f sourceFunc) Ask(_ context.Context, _ *Question, to *Answer) error { return f(to) }

// The default limit of values is not for a source that knows the order of its commits.
func TestDefaultMaxValues(t *testing.T) {
	for _, test := range []struct {
		name   string
		values int // before one is added
		place  int
		want   error
	}{
		{"the last value without a place", defaultMaxValues - 1, -1, nil},
		{"one more", defaultMaxValues, -1, format.ErrLimit},
		{"one more at the first commit", defaultMaxValues, 0, nil},
		{"one more at the second commit", defaultMaxValues, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var a Answer
			err := a.Ask(context.Background(), Old, new(Question), sourceFunc(func(to *Answer) error {
				to.values.len, to.values.chunks = test.values, make([][]value, defaultMaxValues/valueChunk+1)
				commits := []Commit{{Hash: "c1"}, {Hash: "c2"}}
				to.SetCommits(commits, make([]string, len(commits)), Order{})
				return to.Add(&format.Record{Params: traceid.Of("a", "b"), Commit: commits[max(test.place, 0)].Hash}, test.place)
			}))
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}
