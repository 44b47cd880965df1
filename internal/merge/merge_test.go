package merge

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errBroken = errors.New("broken")

// A list is a source of numbers. -1 fails.
type list struct {
	rest []int
	at   int
}

func (l *list) Next() error {
	if len(l.rest) == 0 {
		return io.EOF
	}
	if l.at, l.rest = l.rest[0], l.rest[1:]; l.at < 0 {
		return errBroken
	}
	return nil
}

func (l *list) Less(other *list) bool { return l.at < other.at }

func TestSorted(t *testing.T) {
	for _, test := range []struct {
		name  string
		lists [][]int
		want  []int
		err   error
	}{
		{name: "none"},
		{name: "one", lists: [][]int{{1, 2, 2}}, want: []int{1, 2, 2}},
		{name: "several", lists: [][]int{{1, 4, 7}, {2, 2}, {0, 8, 9, 10}, {5}}, want: []int{0, 1, 2, 2, 4, 5, 7, 8, 9, 10}},
		{name: "empty", lists: [][]int{{1}, {}}, err: io.ErrUnexpectedEOF},
		{name: "broken at first", lists: [][]int{{1}, {-1}}, err: errBroken},
		{name: "broken later", lists: [][]int{{1, 5}, {2, -1}}, want: []int{1, 2}, err: errBroken},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sources []*list
			for _, rest := range test.lists {
				sources = append(sources, &list{rest: rest})
			}
			var got []int
			var failed error
			for s, err := range Sorted(sources) {
				if err != nil {
					failed = err
					continue
				}
				got = append(got, s.at)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || failed != test.err {
				t.Errorf("error %v, want %v; (-want +got):\n%s", failed, test.err, diff)
			}
		})
	}
}

func TestSortedStops(t *testing.T) {
	s := &list{rest: []int{1, 2, 3}}
	for range Sorted([]*list{s}) {
		break
	}
	if len(s.rest) != 2 {
		t.Errorf("%d items are left, want 2", len(s.rest))
	}
}
