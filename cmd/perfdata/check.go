package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/check"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/store"
)

var checkForms = []string{"text", "json", "markdown", "github"}

func (t *tool) checkCommand() *cobra.Command {
	var j *judge
	c := &checking{}
	cmd := &cobra.Command{
		Use:   "check HISTORY... -- NEW...",
		Short: "Judge new results against their history: what got worse",
		Long: `Judge the values of NEW against those of HISTORY: files, folders, a data.js, or a
database, with the results of several commits. One new value is enough.

A new value is compared with the values since the last change of its series, and not
with the last run. It is worse if it exceeds the threshold, and lies farther from the
others than values of these histories do by chance; p says how often they do, and q is
p adjusted for the number of series. If the last commits of the history have the
new level already, the first of them is named. perfdata help verdicts has an example
of each verdict; a series with fewer than five values is unknown.

--known FILE lists changes that are accepted. A line is a query, a commit and a
reason, separated by blanks; values before the commit are left out:

  name=Sort 3f2a9c1 sorts are stable now

For a change under review, --base COMMIT leaves out what is after the commit that it
is based on. With a database, --trial ISSUE/PATCHSET takes the new values from it.

What drifted, compared with the last five commits, is printed as drift prints it.

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read, 2 for usage and I/O errors.`,
		Example: `  perfdata check data.js -- new.json
  perfdata check --commits commits.txt perf.db -- bench.txt
  perfdata check --base 3f2a9c1 --trial 1234/2 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.judge = j
			if err := c.read(cmd, args); err != nil {
				return err
			}
			if err := c.judgeAll(); err != nil {
				return err
			}
			return c.print()
		},
	}
	j = t.addJudgeFlags(cmd, checkForms, failWorse)
	t.addJudgeReadingFlags(cmd)
	addTrialFlag(cmd, &c.trial)
	cmd.Flags().StringVar(&c.base, "base", "", "the `COMMIT` of the history that the new values are based on")
	cmd.Flags().StringVar(&c.knownFile, "known", "", "a `FILE` of accepted changes: QUERY COMMIT REASON")
	complete(cmd, "base")
	return cmd
}

// A checking is a run of check.
type checking struct {
	*judge
	trial     store.Trial
	base      string
	knownFile string

	all      series.Collector
	history  series.Timeline
	new      series.Timeline
	order    series.Order
	ranks    []int // of the commits of the history, by number; negative for those that are left out
	sorted   []int // numbers of the commits, the oldest first
	known    []knownChange
	rows     []*checkRow
	drift    *drift.Report
	counts   map[string]int
	accepted int // findings that are known
}

// A checkRow is the judgment of a series.
type checkRow struct {
	series  *series.Series
	better  format.Direction
	byUnit  bool
	exact   bool
	commits []int // numbers of the commits of the history that have a value
	known   string
	check.Result
}

// read reads the history and the new values.
func (c *checking) read(cmd *cobra.Command, args []string) error {
	old, new, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	isTrial := c.trial != store.Trial{}
	if len(old) == 0 || (len(new) == 0) != isTrial {
		return errors.New("want a history and new results, as in perfdata check data.js -- new.json, " +
			"or the trial of a database, as in perfdata check --trial 123/4 perf.db")
	}
	c.noteSame(old, new)
	list, err := c.listed()
	if err != nil {
		return err
	}

	err = c.judge.read(old, func(at *series.Point, from *sourceInfo) error {
		return c.all.Add(at, c.history.Add(at, from.number, from.isHistory))
	})
	if err != nil {
		return err
	}
	add := func(at *series.Point, from *sourceInfo) error {
		return c.all.Add(at, c.history.Len()+c.new.Add(at, from.number, from.isHistory))
	}

	if isTrial {
		err = c.readTrials(old, c.trial, add)
	} else {
		err = c.judge.read(new, add)
	}
	if err != nil {
		return err
	}
	c.sorted, c.order = c.history.Sort(list)
	if err := c.readKnown(); err != nil {
		return err
	}
	return c.rank()
}

// rank sets the ranks of the commits, up to the base.
func (c *checking) rank() error {
	last := len(c.sorted) - 1
	if c.base != "" {
		n, ok := c.history.Find(c.base)
		if !ok {
			return fmt.Errorf("--base %s: %s in the history", c.base, plural(n, "commit"))
		}
		last = slices.Index(c.sorted, n)
	}
	c.sorted = c.sorted[:last+1]
	c.ranks = make([]int, c.history.Len())
	for i := range c.ranks {
		c.ranks[i] = -1
	}
	for rank, n := range c.sorted {
		c.ranks[n] = rank
	}
	return nil
}

// judgeAll judges the series that have new values.
func (c *checking) judgeAll() error {
	all := c.all.Series()
	judged, _ := series.Judged(all, func(s *series.Series) bool { return c.isIn(s, false) && c.isIn(s, true) })
	var inputs []check.Series
	for _, s := range judged {
		if !c.isIn(s, false) || !c.isIn(s, true) {
			continue // drift says so
		}
		row := &checkRow{series: s}
		var err error
		if row.better, row.byUnit, err = c.direction(s); err != nil {
			return err
		}
		if row.exact, err = c.isExact(s); err != nil {
			return err
		}
		input, err := c.values(row)
		if err != nil {
			return err
		}
		inputs = append(inputs, input)
		c.rows = append(c.rows, row)
	}

	checker := check.Checker{Options: compare.Options{Threshold: c.threshold, Alpha: c.alpha, Confidence: 0.95}}
	for i, result := range checker.Judge(inputs) {
		c.rows[i].Result = result
	}
	if err := c.explain(all); err != nil {
		return err
	}
	c.count()
	return nil
}

// isIn reports whether a series has values in the history, or new ones.
func (c *checking) isIn(s *series.Series, isNew bool) bool {
	for column := range s.Values() {
		if n := c.history.Len(); isNew == (column >= n) && (isNew || c.ranks[column] >= 0) {
			return true
		}
	}
	return false
}

// values returns the medians of the commits of a series, the oldest first.
func (c *checking) values(row *checkRow) (check.Series, error) {
	type value struct {
		rank, column int
		value        float64
	}
	var values []value
	for column, v := range row.series.Values() {
		rank := len(c.ranks) + column
		if column < c.history.Len() {
			rank = c.ranks[column]
		}
		if rank >= 0 {
			values = append(values, value{rank, column, v})
		}
	}
	slices.SortStableFunc(values, func(a, b value) int { return a.rank - b.rank })

	from, known, err := c.knownFrom(row.series)
	if err != nil {
		return check.Series{}, err
	}
	row.known = known
	out := check.Series{Better: row.better, Exact: row.exact}
	var repetitions []float64
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n].rank == values[0].rank {
			n++
		}
		repetitions = repetitions[:0]
		for _, v := range values[:n] {
			repetitions = append(repetitions, v.value)
		}
		median := series.Median(repetitions)
		switch first := values[0]; {
		case first.column >= c.history.Len():
			out.New = append(out.New, median)
		case first.rank >= from:
			out.History = append(out.History, median)
			row.commits = append(row.commits, first.column)
		}
		values = values[n:]
	}
	return out, nil
}

// recentCommits is the number of commits of the history with which series are compared for drift.
const recentCommits = 5

// explain says which series vanished or appeared since the last commits.
func (c *checking) explain(all []*series.Series) error {
	var d drift.Collector
	for _, isNew := range []bool{false, true} {
		side := drift.Old
		if isNew {
			side = drift.New
		}
		d.File(side, "")
		for _, s := range all {
			for column, value := range s.Values() {
				recent := column < len(c.ranks) && c.ranks[column] >= len(c.sorted)-recentCommits
				if isNew == (column >= len(c.ranks)) && (isNew || recent) {
					if err := d.Add(s.Identity, value); err != nil {
						return err
					}
					break
				}
			}
		}
	}
	c.drift = d.Report()
	return nil
}

// count counts the verdicts, sorts the rows, and sets the exit status.
func (c *checking) count() {
	c.counts = make(map[string]int)
	for _, row := range c.rows {
		if row.isAccepted() {
			c.accepted++
			continue
		}
		c.counts[row.VerdictText()]++
	}
	slices.SortStableFunc(c.rows, func(a, b *checkRow) int {
		return cmp.Or(verdictRank(a)-verdictRank(b), cmp.Compare(-math.Abs(math.Log(a.Ratio)), -math.Abs(math.Log(b.Ratio))),
			cmp.Compare(a.series.Trace, b.series.Trace))
	})
	c.finish(c.failOn[failWorse] && c.counts["worse"] > 0 || c.failOn[failSuspect] && c.counts["worse?"] > 0 ||
		c.failOn[failUnknown] && c.counts["unknown"] > 0 || c.failOn[failDrift] && c.drift.HasDrifted())
}

// isAccepted reports whether a row is a change that is known.
func (r *checkRow) isAccepted() bool { return r.known != "" && r.Verdict.IsDifferent() }

// verdictRank returns the place of a verdict: worse, changed, better, unknown and same.
func verdictRank(r *checkRow) int {
	if r.isAccepted() {
		return int(judgment.Worse) + 1
	}
	if r.Verdict == judgment.Unknown {
		return int(judgment.Worse - judgment.Better)
	}
	return int(judgment.Worse - r.Verdict)
}

// since returns the first commit of the history that has the new level, or nothing.
func (c *checking) since(row *checkRow) string {
	if row.Verdict.IsDifferent() && row.Since < len(row.commits) {
		return c.history.Name(row.commits[row.Since])
	}
	return ""
}
