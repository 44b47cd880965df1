package series

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A timeline numbers the commits of points as they come, and orders them when all are known. The zero
// timeline is empty. The package comment says how commits are ordered.
type timeline struct {
	numbers map[timelineKey]int
	commits []timelineCommit
	last    timelineKey
	number  int // of last

	date, made dated // of the last point

	sources int    // the number of them
	given   *Order // of the only source, if it knows one

	// Of sort and keep.
	isKnown bool     // the order is not a guess
	ranks   []int    // of the commits, by number; negative for commits that are left out
	names   []string // of the commits, or else their runs, by rank
}

// A dated is a text and the time that it gives: points of one run repeat it.
type dated struct {
	text string
	time time.Time
}

// A timelineKey tells commits apart. Measurements of a source that name no commit are one commit.
type timelineKey struct {
	name   string
	source int    // of measurements that name no commit; else 0
	run    string // the same
}

type timelineCommit struct {
	place    Place
	details  Commit // of a source that knows the order
	isPlaced bool   // its source knows the order
	isGuess  bool   // and that is a guess
	run      string // of measurements that name no commit
	source   int
	first    time.Time // the attr date of its first run; zero if it is not known
}

// add returns the number of a commit, from 0, or of a run of a source that names none, and whether it is new.
func (t *timeline) add(name, run string, source int, inHistory bool) (n int, isNew bool) {
	key := timelineKey{name: name}
	if name == "" {
		key.source, key.run = source, run
	}
	if key == t.last && len(t.commits) > 0 {
		return t.number, false
	}
	n, ok := t.numbers[key]
	if !ok {
		if t.numbers == nil {
			t.numbers = make(map[timelineKey]int)
		}
		n = len(t.commits)
		key.name, key.run = strings.Clone(key.name), strings.Clone(key.run)
		t.numbers[key] = n
		t.commits = append(t.commits, timelineCommit{
			place: Place{Name: key.name, InHistory: inHistory}, run: key.run, source: source,
		})
	}
	t.last, t.number = key, n
	return n, !ok
}

// addPoint returns the number of the commit of a point: that of the commit's first point among
// all. Sources are the numbers of files, in their order, and inHistory says that this one is a
// history, as [perfdata/format.Format] says.
func (t *timeline) addPoint(at *Point, source int, inHistory bool) int {
	n, _ := t.add(at.Commit, at.Run, source, inHistory)
	c := &t.commits[n]
	if c.source == source {
		if date := t.date.of(at, "date"); !date.IsZero() && (c.first.IsZero() || date.Before(c.first)) {
			c.first = date
		}
	}
	made := t.made.of(at, "commit-time")
	if given := at.Record.Source.Place(at.Record.Params); made.IsZero() && given != nil {
		made = given.Time
	}
	if !made.IsZero() && (c.place.Time.IsZero() || made.Before(c.place.Time)) {
		c.place.Time = made
	}
	return n
}

// addPlaced returns the number of a commit, or of a run that names none, of a source that knows the
// order of its commits, or guesses it. It adds missing commits, in that order.
func (t *timeline) addPlaced(c Commit, run string, source int, isGuess bool) int {
	n, isNew := t.add(c.Hash, run, source, false)
	if isNew {
		one := &t.commits[n]
		one.details, one.isPlaced, one.isGuess = c, true, isGuess
		if c.Hash != "" { // that of a run says nothing about a commit
			one.place.Time = c.Time
		}
	}
	return n
}

// commit returns the properties of a commit after sort: from the list that sort was given, which
// list must be, or otherwise its name and the properties that the points or their source have.
func (t *timeline) commit(number int, list []Commit) Commit {
	c := &t.commits[number]
	switch {
	case c.place.Listed > 0 && c.place.Listed <= len(list):
		return list[c.place.Listed-1]
	case c.isPlaced:
		return c.details
	}
	return Commit{Hash: c.place.Name, Time: c.place.Time}
}

// of returns a time that a param or attr of a point gives, or zero if it is not known.
func (d *dated) of(at *Point, key string) time.Time {
	text, ok := at.Record.Params.Get(key)
	if !ok {
		if text, ok = at.Record.Attrs.Get(key); !ok {
			return time.Time{}
		}
	}
	if text != d.text {
		d.text = text
		d.time, _ = time.Parse(time.RFC3339, text) // zero after an error
	}
	return d.time
}

// sort returns the numbers of the commits, the oldest first, and how they are ordered. The list of
// the repository's commits, the oldest first, may be nil: then that of sources that know the order takes
// its place. All commits are left out until keep is called.
func (t *timeline) sort(list []Commit) ([]int, Order) {
	numbers := make([]int, len(t.commits))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return t.commits[a].source - t.commits[b].source })
	t.sortHistories(numbers)

	find := finder(list)
	placed := 0
	for rank, n := range numbers {
		place := &t.commits[n].place
		place.Source, place.Listed = rank, 0
		if list == nil && t.commits[n].isPlaced {
			placed++
			place.Listed = placed
		}

		if i, ok := find(place.Name); ok {
			place.Listed = i + 1
			if made := list[i].Time; !made.IsZero() {
				place.Time = made
			}
		}
	}

	order := Sort(numbers, func(n int) Place { return t.commits[n].place })
	isOther := func(c timelineCommit) bool {
		return c.place.Name != "" && (!c.isPlaced || c.isGuess || c.source != t.commits[0].source)
	}
	if order.UnlistedBy == bySource && !slices.ContainsFunc(t.commits, isOther) {
		order.UnlistedBy = byStore // one source knows the order: its numbers are in it
	}
	if t.given != nil && t.given.By != "" {
		order = *t.given
	}
	t.isKnown = order.By != "" && !order.IsGuess()
	t.ranks, t.names = slices.Repeat([]int{-1}, len(numbers)), nil
	return numbers, order
}

// keep sets the ranks of sorted commits, and returns the commits.
func (t *timeline) keep(numbers []int, list []Commit) (commits []Commit) {
	for rank, n := range numbers {
		t.ranks[n] = rank
		t.names = append(t.names, cmp.Or(t.commits[n].place.Name, t.commits[n].run))
		commits = append(commits, t.commit(n, list))
	}
	return commits
}

// sortHistories sorts the commits of each history by their first runs. A commit without a date
// stays after its predecessor. The numbers are sorted by source.
func (t *timeline) sortHistories(numbers []int) {
	dates := make(map[int]time.Time)
	var last time.Time
	for i, n := range numbers {
		c := &t.commits[n]
		if i == 0 || c.source != t.commits[numbers[i-1]].source {
			last = time.Time{}
		}
		if c.place.InHistory && !c.first.IsZero() {
			last = c.first
		}
		if c.place.InHistory {
			dates[n] = last
		}
	}
	slices.SortStableFunc(numbers, func(a, b int) int {
		return cmp.Or(t.commits[a].source-t.commits[b].source, dates[a].Compare(dates[b]))
	})
}

// finder returns a function that returns the index of the commit of a list with a hash, or with the only hash
// that a name abbreviates.
func finder(list []Commit) func(name string) (index int, ok bool) {
	byHash := make([]int, len(list))
	for i := range list {
		byHash[i] = i
	}
	slices.SortFunc(byHash, func(a, b int) int { return strings.Compare(list[a].Hash, list[b].Hash) })
	compareHash := func(i int, name string) int { return strings.Compare(list[i].Hash, name) }
	return func(name string) (index int, ok bool) {
		i, found := slices.BinarySearchFunc(byHash, name, compareHash)
		isShort := func(i int) bool { // the name abbreviates the hash
			return i < len(list) && len(name) >= minAbbreviation && strings.HasPrefix(list[byHash[i]].Hash, name) &&
				strings.Trim(list[byHash[i]].Hash, "0123456789abcdef") == ""
		}
		if name == "" || !found && (!isShort(i) || isShort(i+1)) {
			return 0, false
		}
		return byHash[i], true
	}
}

// minAbbreviation is the length of the shortest abbreviation of a hash, as in git.
const minAbbreviation = 4
