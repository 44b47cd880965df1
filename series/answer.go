package series

import (
	"context"
	"slices"
	"strings"

	"perfdata/format"
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
	Collector

	// NotIdentity lists the keys of params that are not part of the identity: see [Placer]. Promote
	// lists the keys of attrs that become params, unless a record has a param of that key.
	NotIdentity, Promote []string

	// Across is a param whose values are the sides, in the order in which they come. It is not part of
	// the identity. It may be empty.
	Across string

	// Charset is that of the trace IDs.
	Charset *traceid.Charset

	// List is the commits of the repository, the oldest first. If it is nil, the sources decide.
	List []Commit

	// Seen is called with each measurement that is added, and its commit. It may be nil.
	Seen func(rec *format.Record, commit string)

	// Commits are those of the Old side, in their order, and Order says how they were ordered. They are
	// set by Sort. A run that names no commit is a Commit without a hash: Runs has its name at the same
	// index. NewCommits are those of the New side, in their order.
	Commits    []Commit
	Runs       []string
	Order      Order
	NewCommits []Commit

	// Sides are the values of Across.
	Sides []string

	placer   Placer
	promoter promoter
	cells    cells
	each     func(*Series) error // of Each
	point    func(*Point) error  // of Points

	// Of the source that is read.
	question *Question
	side     int
	source   int // number
	history  bool
	run      string
	placed   []placedCell // of the commits of a source that knows their order
	filters  []*traceid.Query

	asked   int
	sources [2]int   // of the Old side, and of the others
	leftOut []string // keys of NotIdentity that measurements had

	bounds []string        // Question.First and Question.Until
	found  [][]string      // by the index of Question.Commits: the names that it named
	seen   map[string]bool // names of commits, for suggestions
	order  [2]*Order       // of the only source of the Old side, and of the others
}

// maxSeen is the number of names of commits that are kept for suggestions.
const maxSeen = 1000

// A cell is what a column of the collector stands for: a run at a commit.
type cell struct{ side, commit, run int }

// cells are the columns of an answer.
type cells struct {
	all     []cell
	index   map[cell]int
	last    cell
	column  int      // of last
	runs    []string // names
	run     int      // the last one
	byRun   map[string]int
	lines   [2]timeline // of the Old side, or of all if these are the values of a param; and of the others
	ranks   [2][]int    // of the commits of the lines, by number; negative for those that are left out
	known   [2]bool     // the order of the commits of the line is known
	names   [2][]string // of the commits, or else their runs, by rank
	across  bool        // the sides are the values of a param
	scratch []placedValue
}

// A placedCell is the column of a commit of a source that knows the order, and the number of the commit.
type placedCell struct {
	isWanted, hasColumn bool
	commit, column, run int
}

// side returns the side of a column.
func (c *cells) side(column int) int {
	if c == nil {
		return column
	}
	return c.all[column].side
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
	a.each = do
	if err := a.Ask(ctx, Old, q, source); err != nil {
		return err
	}
	return a.flush()
}

// Points calls do with each point that a source has for a question, in place of collecting it. The points
// have no Trace, and no N that is counted.
func (a *Answer) Points(ctx context.Context, q *Question, source Source, do func(*Point) error) error {
	a.point = do
	return a.Ask(ctx, Old, q, source)
}

// begin prepares for a source.
func (a *Answer) begin(side int, q *Question) {
	if a.Collector.cells == nil {
		a.Collector.cells = &a.cells
		a.cells.index, a.cells.byRun, a.seen = make(map[cell]int), make(map[string]int), make(map[string]bool)
		a.placer.Charset, a.placer.NotIdentity = a.Charset, a.NotIdentity
		if a.cells.across = a.Across != ""; a.cells.across {
			a.placer.NotIdentity = append(slices.Clone(a.placer.notIdentity()), a.Across)
		}
	}
	if len(a.found) < len(q.Commits) {
		a.found = make([][]string, len(q.Commits))
	}
	a.question, a.side, a.history, a.placed, a.run = q, side, false, nil, ""
	a.source++
	a.filters = a.filters[:0]
	for _, query := range q.Queries {
		a.filters = append(a.filters, a.Charset.Query(query))
	}
	line := a.cells.lineOf(side)
	if a.sources[line]++; a.sources[line] > 1 {
		a.order[line] = new(Order) // several sources: none of them decides
	}
	if side == Old && q.First+q.Until != "" {
		a.bounds = []string{q.First, q.Until}
	}
}

// History says that the source is a history, as [perfdata/format.Format] says, for the measurements that
// follow.
func (a *Answer) History() { a.history = true }

// SetCommits tells the answer the commits of a source that knows their order, with the names of the runs
// of those without a hash. Wanted reports which of them are asked for, by their places from 0.
func (a *Answer) SetCommits(commits []Commit, runs []string, order Order) (wanted func(place int) bool) {
	a.placed = make([]placedCell, len(commits))
	line, first, until := a.line(), 0, len(commits)
	if a.List == nil {
		if i, n := FindCommit(commits, a.question.First); n == 1 {
			first = i
		}
		if i, n := FindCommit(commits, a.question.Until); n == 1 {
			until = i + 1
		}
	}
	for i := range commits {
		p := &a.placed[i]
		p.isWanted = first <= i && i < until && (a.List != nil || a.question.Last == 0 || i >= until-a.question.Last)
		p.commit = -1
		if len(a.question.Commits) > 0 {
			a.notice(commits[i].Hash)
			p.isWanted = slices.ContainsFunc(a.question.Commits, func(text string) bool { return names(text, commits[i].Hash) })
		}
		if p.isWanted {
			p.commit = line.addPlaced(commits[i], runs[i], a.source, order.IsGuess())
		}
	}
	if n := a.cells.lineOf(a.side); a.order[n] == nil && a.List == nil {
		a.order[n] = &order
	}
	if a.each != nil && a.Sort() != 1 {
		return func(int) bool { return false } // a bound names no commit
	}
	return func(place int) bool { return a.placed[place].isWanted }
}

// FindCommit returns the index of the commit that a name, or the beginning of a hash, means, and the number of
// those that it may mean. The empty text means none: not a run that names no commit.
func FindCommit(commits []Commit, text string) (index, n int) {
	if text == "" {
		return 0, 0
	}
	for i := range commits {
		switch {
		case commits[i].Hash == text:
			return i, 1
		case names(text, commits[i].Hash):
			index = i
			n++
		}
	}
	return index, n
}

// line returns the timeline of the current side.
func (a *Answer) line() *timeline { return &a.cells.lines[a.cells.lineOf(a.side)] }

// lineOf returns the index of the timeline of a side.
func (c *cells) lineOf(side int) int {
	if side == Old || c.across {
		return Old
	}
	return New
}

// notice keeps the name of a commit.
func (a *Answer) notice(commit string) {
	if commit != "" && len(a.seen) < maxSeen && !a.seen[commit] {
		a.seen[strings.Clone(commit)] = true
	}
	for i, text := range a.question.Commits {
		if names(text, commit) && !slices.Contains(a.found[i], commit) {
			a.found[i] = append(a.found[i], strings.Clone(commit))
		}
	}
}

// Named returns the names of the commits that the texts of Question.Commits meant, for each, and up to
// 1,000 names of all commits, sorted.
func (a *Answer) Named() (found [][]string, all []string) {
	for name := range a.seen {
		all = append(all, name)
	}
	slices.Sort(all)
	return a.found, all
}

// Begin begins a run of the source, such as a file. The name tells runs apart.
func (a *Answer) Begin(run string) { a.run = run }

// Add adds a measurement of a source, if the question asks for it. The place is that of its commit among
// those of SetCommits, from 0, or -1. The cause of an error is [ErrNoIdentity] or [format.ErrLimit]; after
// the first, other measurements can be added.
func (a *Answer) Add(rec *format.Record, place int) error {
	rec = a.promoter.promote(rec, a.Promote)
	for _, q := range a.filters {
		if ok, err := q.Match(a.Charset.Canonical(rec.Params)); err != nil || !ok {
			return err
		}
	}
	if a.point != nil {
		at := a.placer.Identify(rec)
		if len(at.Identity) == 0 {
			return ErrNoIdentity
		}
		return a.point(at)
	}
	at, err := a.placer.Locate(rec)
	if err != nil {
		return err
	}
	at.Run = a.run
	for _, p := range at.moved {
		if !slices.Contains(a.leftOut, p.Key) {
			a.leftOut = append(a.leftOut, p.Key)
		}
	}
	if len(a.question.Commits) == 0 {
		return a.addTo(a.side, at, place)
	}
	if place < 0 {
		a.notice(at.Commit)
	}
	for side, text := range a.question.Commits { // two texts may name one commit
		if names(text, at.Commit) {
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
	if a.each != nil && a.last != nil && a.last.Trace != string(at.Trace) {
		if err := a.flush(); err != nil {
			return err
		}
	}
	if place >= 0 && a.MaxValues == 0 {
		return a.add(at, column)
	}
	return a.Collector.Add(at, column)
}

// Asked returns the number of measurements that were added.
func (a *Answer) Asked() int { return a.asked }

// LeftOut reports whether a measurement had a param with a key of NotIdentity.
func (a *Answer) LeftOut(key string) bool { return slices.Contains(a.leftOut, key) }

// flush calls do of Each with the current series.
func (a *Answer) flush() error {
	if a.last == nil {
		return nil
	}
	err := a.each(a.last)
	a.Collector.reset()
	return err
}

// column returns the column of a point.
func (a *Answer) column(at *Point, side, place int) int {
	c := cell{side: side, run: a.cells.runOf(at.Run)}
	if place < 0 {
		c.commit = a.line().addPoint(at, a.source, a.history)
		return a.cells.columnOf(c)
	}
	p := &a.placed[place]
	if !p.hasColumn || p.run != c.run || a.cells.all[p.column].side != side {
		c.commit = p.commit
		p.column, p.run, p.hasColumn = a.cells.columnOf(c), c.run, true
	}
	return p.column
}

// runOf returns the number of a run.
func (c *cells) runOf(name string) int {
	if len(c.runs) > 0 && c.runs[c.run] == name {
		return c.run
	}
	n, ok := c.byRun[name]
	if !ok {
		n = len(c.runs)
		name = strings.Clone(name)
		c.runs, c.byRun[name] = append(c.runs, name), n
	}
	c.run = n
	return n
}

// columnOf returns the column of a cell.
func (c *cells) columnOf(one cell) int {
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
	numbers, _ := a.sortLine(New)
	a.NewCommits = a.setRanks(New, numbers)
	numbers, a.Order = a.sortLine(Old)
	a.Commits, a.Runs = nil, nil
	line := &a.cells.lines[Old]
	for i, text := range a.bounds {
		n, ok := line.find(text)
		at := slices.Index(numbers, n)
		if listed, one := FindCommit(a.List, text); !ok && n == 0 && one == 1 {
			ok, at = true, line.countUntil(numbers, listed)-i // that of a commit that was not measured
		}
		switch {
		case text == "":
		case !ok:
			return n
		case i == 0:
			numbers = numbers[at:]
		default:
			numbers = numbers[:at+1]
		}
	}

	used := make([]bool, len(line.commits))
	mark := func(column int) {
		if c := &a.cells.all[column]; c.side == Old || a.Across != "" {
			used[c.commit] = true
		}
	}
	for column := range a.cells.all {
		if counts == nil {
			mark(column)
		}
	}
	for _, s := range a.all {
		if counts != nil && counts(s) {
			for column := range s.Values() {
				mark(column)
			}
		}
	}
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return !used[n] && a.each == nil })
	a.Commits = a.setRanks(Old, numbers)
	for _, n := range numbers {
		a.Runs = append(a.Runs, line.commits[n].run)
	}
	return 1
}

// sortLine returns the numbers of the commits of a timeline in their order, and how they were ordered. The ranks
// are those of commits that are left out.
func (a *Answer) sortLine(i int) ([]int, Order) {
	c := &a.cells
	numbers, order := c.lines[i].sort(a.List)
	if a.order[i] != nil && a.order[i].By != "" {
		order = *a.order[i]
	}
	c.ranks[i], c.names[i] = slices.Repeat([]int{-1}, len(numbers)), nil
	c.known[i] = order.By != "" && !order.IsGuess()
	return numbers, order
}

// setRanks sets the ranks of the commits of a timeline, and returns the commits.
func (a *Answer) setRanks(i int, numbers []int) (commits []Commit) {
	line := &a.cells.lines[i]
	for rank, n := range numbers {
		a.cells.ranks[i][n] = rank
		a.cells.names[i] = append(a.cells.names[i], line.commits[n].title())
		commits = append(commits, line.commit(n, a.List))
	}
	return commits
}

// A promoter makes attrs of records params, unless the record has a param of that key.
type promoter struct {
	rec    format.Record
	attrs  traceid.Params
	params traceid.Params
}

// promote returns a record that has the attrs with the keys as params. The next call overwrites it.
func (p *promoter) promote(rec *format.Record, keys []string) *format.Record {
	if len(keys) == 0 {
		return rec
	}
	p.attrs = p.attrs[:0]
	for _, attr := range rec.Attrs {
		if slices.Contains(keys, attr.Key) {
			p.attrs = append(p.attrs, attr)
		}
	}
	if len(p.attrs) == 0 {
		return rec
	}
	p.rec = *rec
	p.params = traceid.AppendMerge(p.params[:0], p.attrs, rec.Params)
	p.rec.Params = p.params
	return &p.rec
}
