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
	var listed, history, others, nameless []rank
	for i, c := range commits {
		r := rank{Place: place(c), index: i}
		digits, isPosition := strings.CutPrefix(r.Name, "CP:") // a commit position of Skia
		n, err := strconv.ParseInt(digits, 10, 64)
		r.number, r.hasNumber = n, isPosition && err == nil

		switch {
		case r.Listed > 0:
			listed = append(listed, r)
		case r.Name == "":
			nameless = append(nameless, r)
		case r.InHistory:
			history = append(history, r)
		default:
			others = append(others, r)
		}
	}

	// Histories take the place of a list, unless there is one or all commits have numbers.
	listedBy := byList
	if len(listed) == 0 && len(history) > 0 && leastGuess(history, others) != byNumber {
		listed, listedBy = history, byHistory
	} else {
		others = append(others, history...)
	}
	by := leastGuess(listed, others)
	slices.SortFunc(listed, func(a, b rank) int { return cmp.Or(a.Listed-b.Listed, a.Source-b.Source) })
	all := insert(insert(listed, others, by), nameless, bySource)
	before := slices.Clone(commits)
	for i, r := range all {
		commits[i] = before[r.index]
	}

	switch {
	case len(listed) > 0 && len(others) > 0:
		return Order{listedBy, len(others), by}
	case listedBy == byHistory && len(listed) == 1:
		return Order{} // there is no order of one
	case len(listed) > 0:
		return Order{By: listedBy}
	case len(others) > 1:
		return Order{By: by}
	case len(all) > 1:
		return Order{By: bySource}
	}
	return Order{}
}

// A rank is the Place of a commit, with its number and its index.
type rank struct {
	Place
	number    int64
	hasNumber bool
	index     int
}

// leastGuess returns how to compare commits if some are not in a list: by what all have.
func leastGuess(listed, others []rank) string {
	lacksNumber := func(r rank) bool { return !r.hasNumber }
	lacksTime := func(r rank) bool { return r.Time.IsZero() }
	switch {
	case !slices.ContainsFunc(listed, lacksNumber) && !slices.ContainsFunc(others, lacksNumber):
		return byNumber
	case !slices.ContainsFunc(listed, lacksTime) && !slices.ContainsFunc(others, lacksTime):
		return byTime
	}
	return bySource
}

// compare compares two commits by what decides, and where that is equal, by their sources.
func compare(by string, a, b rank) int {
	c := 0
	switch by {
	case byNumber:
		c = cmp.Compare(a.number, b.number)
	case byTime:
		c = a.Time.Compare(b.Time)
	}
	return cmp.Or(c, a.Source-b.Source)
}

// insert sorts the others, and returns both slices as one, in the order of each. Each of the others is after
// the last commit that is not newer than it, by what decides.
func insert(commits, others []rank, by string) []rank {
	slices.SortFunc(others, func(a, b rank) int { return compare(by, a, b) })
	if len(others) == 0 {
		return commits
	}

	// oldest[i] is the oldest of the commits from i on. The place of another is before the first i
	// from which on all commits are newer.
	oldest := slices.Clone(commits)
	for i := len(oldest) - 2; i >= 0; i-- {
		if compare(by, oldest[i], oldest[i+1]) > 0 {
			oldest[i] = oldest[i+1]
		}
	}

	all := make([]rank, 0, len(commits)+len(others))
	i := 0
	for _, other := range others {
		for i < len(commits) && compare(by, oldest[i], other) <= 0 {
			all = append(all, commits[i])
			i++
		}
		all = append(all, other)
	}
	return append(all, commits[i:]...)
}
