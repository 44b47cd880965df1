package series

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// An Answer has the series that questions asked for, and their commits in order. Set its fields, ask,
// and then call Sort:
//
//	var a series.Answer
//	err := a.Ask(ctx, series.Old, &series.Question{Until: "3f2a9c1"}, database)
//	err = a.Ask(ctx, series.New, &series.Question{}, file)
//	a.Sort()
//	for _, s := range a.Series() {
//		old, new := s.Samples(series.Old), s.Samples(series.New)
//		...
//	}
//
// A value takes 16 bytes, and a series about 200 bytes and its params.
type Answer struct {
	// MaxValues is the largest number of values. If it is 0, it is 12,000,000, to which a source that knows
	// the order of its commits is not limited.
	MaxValues int

	// NotIdentity lists the keys of params that are not part of the identity: see [Placer]. Promote
	// lists the keys of attrs that become params, unless a record has a param of that key.
	NotIdentity, Promote []string

	// Across is a param whose values are the sides, in the order in which they come. It is not part of
	// the identity. It may be empty.
	Across string

	// Charset is the charset of the trace IDs.
	Charset *traceid.Charset

	// List is the commits of the repository, the oldest first. If it is nil, the sources decide.
	List []Commit

	// Seen is called with each measurement that is added, and its commit. It may be nil.
	Seen func(rec *format.Record, commit string)

	// Commits are the commits of the Old side, in their order, and Order says how they were
	// ordered. They are set by Sort. A run that names no commit is a Commit without a hash: Runs
	// has its name at the same index. NewCommits are the commits of the New side, in their order.
	Commits    []Commit
	Runs       []string
	Order      Order
	NewCommits []Commit

	// Sides are the values of Across.
	Sides []string

	placer  Placer
	values  values
	columns columns
	lines   [2]timeline // of the Old side, or of all if these are the values of a param; and of the others
	from    reading
	named   commitNames

	promoted promoted

	asked   int
	leftOut []string // keys of NotIdentity that measurements had
}

// A promoted is the last record with attrs as params.
type promoted struct {
	record        format.Record
	attrs, params traceid.Params // the attrs that became params, and all params
}

// A reading has the properties of the source that is being read.
type reading struct {
	question *Question
	filters  []*traceid.Query // of the question, in canonical form
	isWhole  []bool           // by the index of Question.Commits: it is a whole name of a commit of the source
	side     int
	number   int // of the source, from 1
	history  bool
	run      string
	placed   []placedCell        // of the commits of a source that knows their order
	each     func(*Series) error // of Each
	point    func(*Point) error  // of Points
}

// commitNames are the names of commits that questions and measurements have.
type commitNames struct {
	bounds []string        // Question.First and Question.Until
	found  [][]string      // by the index of Question.Commits: the names that it named
	seen   map[string]bool // for suggestions
}

// maxSeen is the number of names of commits that are kept for suggestions.
const maxSeen = 1000

// A cell is what a column stands for: a run at a commit.
type cell struct{ side, commit, run int }

// columns are the columns of an answer, which tell the values of a series apart.
type columns struct {
	all     []cell
	index   map[cell]int
	last    cell
	column  int      // of last
	runs    []string // names
	run     int      // the last one
	byRun   map[string]int
	scratch []placedValue
}

// A placedCell is the number of a commit of a source that knows the order, or -1 if it is not asked for, and
// the column of its last run.
type placedCell struct {
	hasColumn           bool
	commit, column, run int
}

// Ask adds the measurements of sources that a question asks for to a side. The question's Commits have
// sides of their own.
func (a *Answer) Ask(ctx context.Context, side int, q *Question, sources ...Source) error {
	for _, source := range sources {
		a.begin(side, q)
		if err := source.Ask(ctx, q, a); err != nil {
			return err
		}
	}
	return nil
}

// Each asks a source that knows the order of its commits, and has its measurements by series. It calls
// do with each series once, in place of collecting them: do must not keep its values.
func (a *Answer) Each(ctx context.Context, q *Question, source Source, do func(*Series) error) error {
	a.from.each = do
	if err := a.Ask(ctx, Old, q, source); err != nil {
		return err
	}
	return a.flush()
}

// Points calls do with each point that a source has for a question, in place of collecting it. The points
// have no Trace, and no N that is counted.
func (a *Answer) Points(ctx context.Context, q *Question, source Source, do func(*Point) error) error {
	a.from.point = do
	return a.Ask(ctx, Old, q, source)
}

// begin prepares for a source.
func (a *Answer) begin(side int, q *Question) {
	if a.values.byTrace == nil {
		a.values.byTrace, a.named.seen = make(map[string]*Series), make(map[string]bool)
		a.columns.index, a.columns.byRun = make(map[cell]int), make(map[string]int)
		a.placer.Charset, a.placer.NotIdentity = a.Charset, a.NotIdentity
		if a.Across != "" {
			a.placer.NotIdentity = append(slices.Clone(a.placer.notIdentity()), a.Across)
		}
	}

	last := &a.from
	a.from = reading{
		question: q, filters: last.filters[:0], side: side, number: last.number + 1, each: last.each, point: last.point,
	}
	for _, query := range q.Queries {
		a.from.filters = append(a.from.filters, a.Charset.Query(query))
	}
	a.from.isWhole = make([]bool, len(q.Commits))

	line := a.lineOf(side)
	if line.sources++; line.sources > 1 {
		line.given = new(Order) // several sources: none of them decides
	}
	if len(a.named.found) < len(q.Commits) {
		a.named.found = make([][]string, len(q.Commits))
	}
	if side == Old && q.First+q.Until != "" {
		a.named.bounds = []string{q.First, q.Until}
	}
}

// History says that the source is a history, as [perfdata/format.Format] says, for the measurements that
// follow.
func (a *Answer) History() { a.from.history = true }

// SetCommits tells the answer the commits of a source that knows their order, with the names of the
// runs of commits without a hash. Wanted reports which of them are asked for, by their places from
// 0.
func (a *Answer) SetCommits(commits []Commit, runs []string, order Order) (wanted func(place int) bool) {
	placed, q := make([]placedCell, len(commits)), a.from.question
	a.from.placed = placed
	line, first, until := a.lineOf(a.from.side), 0, len(commits)
	if a.List == nil {
		if i, n := FindCommit(commits, q.First); n == 1 {
			first = i
		}
		if i, n := FindCommit(commits, q.Until); n == 1 {
			until = i + 1
		}
	}

	for side, text := range q.Commits {
		a.from.isWhole[side] = slices.ContainsFunc(commits, func(c Commit) bool { return c.Hash == text })
	}
	for i := range commits {
		isWanted := first <= i && i < until && (a.List != nil || q.Last == 0 || i >= until-q.Last)
		if len(q.Commits) > 0 {
			a.notice(commits[i].Hash)
			isWanted = false
			for side := range q.Commits {
				isWanted = isWanted || a.isOf(side, commits[i].Hash)
			}
		}
		if placed[i].commit = -1; isWanted {
			placed[i].commit = line.addPlaced(commits[i], runs[i], a.from.number, order.IsGuess())
		}
	}

	if line.given == nil && a.List == nil {
		line.given = &order
	}
	if a.from.each != nil && a.Sort() != 1 {
		return func(int) bool { return false } // a bound names no commit
	}
	return func(place int) bool { return placed[place].commit >= 0 }
}

// FindCommit returns the index of the commit that a name, or the beginning of a hash, means, and
// the number of commits that it may mean. The empty text means none, and in particular not a run
// that names no commit. A commit that two sets have, one after the other, is one.
func FindCommit(commits []Commit, text string) (index, n int) {
	return findCommit(text, len(commits), func(i int) string { return commits[i].Hash })
}

// findCommit is FindCommit for a number of commits, whose names the function returns.
func findCommit(text string, commits int, name func(i int) string) (index, n int) {
	for i := range commits {
		if c := name(i); text != "" && strings.HasPrefix(c, text) {
			if c == text {
				return i, 1
			}
			if n == 0 || c != name(index) {
				index = i
				n++
			}
		}
	}
	return index, n
}

// lineOf returns the timeline of a side.
func (a *Answer) lineOf(side int) *timeline {
	if side == Old || a.Across != "" {
		return &a.lines[Old]
	}
	return &a.lines[New]
}

// notice keeps the name of a commit.
func (a *Answer) notice(commit string) {
	if commit != "" && len(a.named.seen) < maxSeen && !a.named.seen[commit] {
		a.named.seen[strings.Clone(commit)] = true
	}
	found := a.named.found
	for side := range a.from.question.Commits {
		if a.isOf(side, commit) && !slices.Contains(found[side], commit) {
			found[side] = append(found[side], strings.Clone(commit))
		}
	}
}

// isOf reports whether a commit is the one of a side that the question means. A text that is a
// name of a commit does not stand for others that begin so: CP:72 is not CP:727.
func (a *Answer) isOf(side int, commit string) bool {
	text := a.from.question.Commits[side]
	return text == commit || text != "" && !a.from.isWhole[side] && strings.HasPrefix(commit, text)
}

// Named returns the names of the commits that the texts of Question.Commits meant, for each, and up to
// 1,000 names of all commits, sorted.
func (a *Answer) Named() (found [][]string, all []string) {
	return a.named.found, slices.Sorted(maps.Keys(a.named.seen))
}

// Begin begins a run of the source, such as a file. The name tells runs apart.
func (a *Answer) Begin(run string) { a.from.run = run }

// Add adds a measurement of a source, if the question asks for it. The place is the place of its
// commit among the commits of SetCommits, from 0, or -1. The cause of an error is [ErrNoIdentity]
// or [format.ErrLimit]; after the first, other measurements can be added.
func (a *Answer) Add(rec *format.Record, place int) error {
	rec = a.promote(rec)
	for _, q := range a.from.filters {
		if ok, err := q.Match(a.Charset.Canonical(rec.Params)); err != nil || !ok {
			return err
		}
	}
	if a.from.point != nil {
		at := a.placer.Identify(rec)
		if len(at.Identity) == 0 {
			return ErrNoIdentity
		}
		return a.from.point(at)
	}

	at, err := a.placer.Locate(rec)
	if err != nil {
		return err
	}
	at.Run = a.from.run
	for _, p := range at.moved {
		if !slices.Contains(a.leftOut, p.Key) {
			a.leftOut = append(a.leftOut, p.Key)
		}
	}

	if len(a.from.question.Commits) == 0 {
		return a.addTo(a.from.side, at, place)
	}
	if place < 0 {
		a.notice(at.Commit)
	}
	for side := range a.from.question.Commits { // two texts may name one commit
		if a.isOf(side, at.Commit) {
			if err := a.addTo(side, at, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTo adds a point to a side.
func (a *Answer) addTo(side int, at *Point, place int) error {
	if a.Across != "" {
		value, ok := at.Record.Params.Get(a.Across)
		if !ok {
			return nil
		}
		if side = slices.Index(a.Sides, value); side < 0 {
			side = len(a.Sides)
			a.Sides = append(a.Sides, strings.Clone(value))
		}
	}

	a.asked++
	if a.Seen != nil {
		a.Seen(at.Record, at.Commit)
	}
	column := a.column(at, side, place)
	if last := a.values.last; a.from.each != nil && last != nil && last.Trace != string(at.Trace) {
		if err := a.flush(); err != nil {
			return err
		}
	}

	most := a.MaxValues
	if most == 0 && place < 0 {
		most = defaultMaxValues
	}
	if most > 0 && a.values.len >= most {
		return message.LimitError(fmt.Sprintf("too many values: want at most %d", most))
	}
	a.add(at, column)
	return nil
}

// Asked returns the number of measurements that were added.
func (a *Answer) Asked() int { return a.asked }

// LeftOut reports whether a measurement had a param with a key of NotIdentity.
func (a *Answer) LeftOut(key string) bool { return slices.Contains(a.leftOut, key) }

// flush calls do of Each with the current series, and forgets it.
func (a *Answer) flush() error {
	if a.values.last == nil {
		return nil
	}
	err := a.from.each(a.values.last)
	v := &a.values // keeps its memory
	clear(v.byTrace)
	v.all, v.last, v.len = v.all[:0], nil, 0
	for i := range v.chunks {
		v.chunks[i] = v.chunks[i][:0]
	}
	v.chunks = v.chunks[:min(len(v.chunks), 1)]
	return err
}

// column returns the column of a point.
func (a *Answer) column(at *Point, side, place int) int {
	cols := &a.columns
	if len(cols.runs) == 0 || cols.runs[cols.run] != at.Run {
		n, ok := cols.byRun[at.Run]
		if !ok {
			n = len(cols.runs)
			cols.runs = append(cols.runs, strings.Clone(at.Run))
			cols.byRun[cols.runs[n]] = n
		}
		cols.run = n
	}

	c := cell{side: side, run: cols.run}
	if place < 0 {
		c.commit = a.lineOf(a.from.side).addPoint(at, a.from.number, a.from.history)
		return cols.columnOf(c)
	}
	p := &a.from.placed[place]
	if !p.hasColumn || p.run != c.run || cols.all[p.column].side != side {
		c.commit = p.commit
		p.column, p.run, p.hasColumn = cols.columnOf(c), c.run, true
	}
	return p.column
}

// columnOf returns the column of a cell.
func (c *columns) columnOf(one cell) int {
	if len(c.all) > 0 && one == c.last {
		return c.column
	}
	column, ok := c.index[one]
	if !ok {
		column = len(c.all)
		c.all, c.index[one] = append(c.all, one), column
	}
	c.last, c.column = one, column
	return column
}

// Sort orders the commits, and sets Commits, Order and NewCommits. Call it when everything was asked. It returns how
// many commits the first of Question.First and Until that does not name one may mean, or else 1.
func (a *Answer) Sort() (named int) { return a.SortOf(nil) }

// SortOf is Sort for the commits of the series for which a function returns true. Those at which only others
// were measured are left out, with the values at them.
func (a *Answer) SortOf(counts func(*Series) bool) (named int) {
	numbers, _ := a.lines[New].sort(a.List)
	a.NewCommits = a.lines[New].keep(numbers, a.List)
	line := &a.lines[Old]
	numbers, a.Order = line.sort(a.List)
	a.Commits, a.Runs = nil, nil
	for i, text := range a.named.bounds {
		found, n := findCommit(text, len(line.commits), func(n int) string { return line.commits[n].place.Name })
		at := slices.Index(numbers, found)
		if listed, one := FindCommit(a.List, text); n == 0 && one == 1 { // a commit that was not measured
			isAfter := func(n int) bool { return line.commits[n].place.Listed > listed+1 }
			if at = slices.IndexFunc(numbers, isAfter); at < 0 {
				at = len(numbers)
			}
			n, at = 1, at-i
		}

		switch {
		case text == "":
		case n != 1:
			return n
		case i == 0:
			numbers = numbers[at:]
		default:
			numbers = numbers[:at+1]
		}
	}

	used := make([]bool, len(line.commits))
	mark := func(column int) {
		if c := &a.columns.all[column]; c.side == Old || a.Across != "" {
			used[c.commit] = true
		}
	}
	for column := range a.columns.all {
		if counts == nil {
			mark(column)
		}
	}

	for _, s := range a.values.all {
		if counts != nil && counts(s) {
			for column := range s.placed() {
				mark(column)
			}
		}
	}

	numbers = slices.DeleteFunc(numbers, func(n int) bool { return !used[n] && a.from.each == nil })
	a.Commits = line.keep(numbers, a.List)
	for _, n := range numbers {
		a.Runs = append(a.Runs, line.commits[n].run)
	}
	return 1
}

// promote returns a record whose attrs with the keys of Promote are params, unless it has a param of that
// key. The next call overwrites it.
func (a *Answer) promote(rec *format.Record) *format.Record {
	p := &a.promoted
	p.attrs = p.attrs[:0]
	for i := 0; i < len(rec.Attrs) && len(a.Promote) > 0; i++ {
		if slices.Contains(a.Promote, rec.Attrs[i].Key) {
			p.attrs = append(p.attrs, rec.Attrs[i])
		}
	}
	if len(p.attrs) == 0 {
		return rec
	}

	p.params = traceid.AppendMerge(p.params[:0], p.attrs, rec.Params)
	p.record = *rec
	p.record.Params = p.params
	return &p.record
}
