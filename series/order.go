package series

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Order says how commits are ordered. The zero Order is the order of at most one commit.
type Order struct {
	// By is what decides: "list", "number", "history", "time" or "source". The package comment explains it.
	By string

	// Unlisted counts the commits that the list or the histories lack, if these decide. Each is
	// placed after the last listed commit that is not newer, by UnlistedBy: by number or time if
	// all commits have one, by "store" if one source knows the order of all, such as a database, and
	// else by the first source of each.
	Unlisted   int
	UnlistedBy string
}

// What decides about an order.
const (
	byList    = "list"
	byNumber  = "number"
	byHistory = "history"
	byTime    = "time"
	bySource  = "source"
	byStore   = "store" // only of commits that a list lacks
)

// inWords says what decides, for people.
var inWords = map[string]string{
	byList:    "the list of commits",
	byNumber:  "the numbers of the commits",
	byHistory: "the history that a file holds",
	byTime:    "the times of the commits",
	bySource:  "the hours and paths of the files",
	byStore:   "the order of the database",
}

// IsGuess reports whether the order, or the place of some commits in it, may be wrong, because it
// is the order of the files.
func (o Order) IsGuess() bool { return o.By == bySource || o.Unlisted > 0 && o.UnlistedBy == bySource }

// String returns the order in words: "order of commits: by the hours and paths of the files, which
// is a guess".
func (o Order) String() string {
	text := "order of commits: by " + cmp.Or(inWords[o.By], o.By)
	switch {
	case o.By == "":
		return "order of commits: only one commit"
	case o.Unlisted == 1:
		text += ", which lacks one of them: it is placed by " + inWords[o.UnlistedBy]
	case o.Unlisted > 1:
		text += fmt.Sprintf(", which lacks %d of them: they are placed by %s", o.Unlisted, inWords[o.UnlistedBy])
	}
	if o.IsGuess() {
		text += ", which is a guess"
	}
	return text
}

// A Place has the facts that decide the place of a commit.
type Place struct {
	Name   string    // empty for results that name no commit: Source decides the place of these
	Listed int       // position in the list, from 1; 0 without a list, or if the list lacks it
	Time   time.Time // of the commit; zero if it is not known
	Source int       // position of the first source: different for each commit

	// InHistory says that the first source holds a history, as format.Format.IsHistory says. So the
	// order of such commits is the order of Source.
	InHistory bool
}

// Sort sorts commits, whose places the function returns, from the oldest to the newest. It returns
// how the commits that have names are ordered. The result does not depend on the order of commits
// before.
func Sort[T any](commits []T, place func(T) Place) Order {
	var listed, history, others, nameless []placed[T]
	for _, c := range commits {
		p := placed[T]{rank{Place: place(c)}, c}
		p.number, p.hasNumber = commitNumber(p.Name)

		switch {
		case p.Listed > 0:
			listed = append(listed, p)
		case p.Name == "":
			nameless = append(nameless, p)
		case p.InHistory:
			history = append(history, p)
		default:
			others = append(others, p)
		}
	}

	// Histories take the place of a list, unless there is one or all commits have numbers.
	var order Order
	listedBy := byList
	if len(listed) == 0 && len(history) > 0 && leastGuess(history, others) != byNumber {
		listed, listedBy = history, byHistory
	} else {
		others = append(others, history...)
	}
	by := leastGuess(listed, others)
	slices.SortFunc(listed, func(a, b placed[T]) int { return cmp.Or(a.Listed-b.Listed, a.Source-b.Source) })
	sortBy(others, by)
	sortBy(nameless, bySource)
	all := insert(insert(listed, others, by), nameless, bySource)

	switch {
	case len(listed) > 0 && len(others) > 0:
		order = Order{listedBy, len(others), by}
	case listedBy == byHistory && len(listed) == 1: // there is no order of one
	case len(listed) > 0:
		order.By = listedBy
	case len(others) > 1:
		order.By = by
	case len(all) > 1:
		order.By = bySource
	}

	for i := range all {
		commits[i] = all[i].commit
	}
	return order
}

// A placed is a commit with its place.
type placed[T any] struct {
	rank
	commit T
}

// A rank is a Place with the number of its commit.
type rank struct {
	Place
	number    int64
	hasNumber bool
}

// commitNumber returns the number of a commit position of Skia.
func commitNumber(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "CP:")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil
}

func sortBy[T any](commits []placed[T], by string) {
	slices.SortFunc(commits, func(a, b placed[T]) int { return compare(by, &a.rank, &b.rank) })
}

// leastGuess returns how to compare commits if some are not in a list: by what all have.
func leastGuess[T any](listed, others []placed[T]) string {
	numbers, times := true, true
	for _, commits := range [][]placed[T]{listed, others} {
		for i := range commits {
			numbers = numbers && commits[i].hasNumber
			times = times && !commits[i].Time.IsZero()
		}
	}
	switch {
	case numbers:
		return byNumber
	case times:
		return byTime
	}
	return bySource
}

// compare compares two commits by what decides, and where that is equal, by their sources.
func compare(by string, a, b *rank) int {
	c := 0
	switch by {
	case byNumber:
		c = cmp.Compare(a.number, b.number)
	case byTime:
		c = a.Time.Compare(b.Time)
	default:
		return a.Source - b.Source
	}
	return cmp.Or(c, a.Source-b.Source)
}

// insert returns both slices as one, in the order of each. Each of the others is after the last
// commit that is not newer than it, by time or source.
func insert[T any](commits, others []placed[T], by string) []placed[T] {
	if len(others) == 0 {
		return commits
	}
	// oldest[i] is the oldest of the commits from i on. The place of another is before the first i
	// from which on all commits are newer.
	newer := func(a, b *placed[T]) bool { return compare(by, &a.rank, &b.rank) > 0 }
	oldest := slices.Clone(commits)
	for i := len(oldest) - 2; i >= 0; i-- {
		if newer(&oldest[i], &oldest[i+1]) {
			oldest[i] = oldest[i+1]
		}
	}

	all := make([]placed[T], 0, len(commits)+len(others))
	i := 0
	for j := range others {
		for i < len(commits) && !newer(&oldest[i], &others[j]) {
			all = append(all, commits[i])
			i++
		}
		all = append(all, others[j])
	}
	return append(all, commits[i:]...)
}
