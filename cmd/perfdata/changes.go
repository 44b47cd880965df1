package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	changepoint "perfdata/series/change"
)

var (
	changesForms  = []string{"text", "csv", "json", "markdown"}
	changeMethods = []string{"finder", "edivisive", "stepfit"}
)

func (t *tool) changesCommand() *cobra.Command {
	c := &changeSearch{}
	cmd := &cobra.Command{
		Use:   "changes FILE...|STORE",
		Short: "Find the commits at which series changed",
		Long: `Find steps, slow trends and outliers of each series over the commits of files, of a
history such as data.js, or of a database, and put together the changes of many
series that one commit may have caused: a finding.

A line is a finding, those with the most and largest changes first: the commit, or the
range of commits, that caused it with a confidence of 95%, how many series got worse
or better, by how much (the median), and the params that they have in common. What
got worse and what got better at one commit are two findings.
Findings are of changes that exceed the threshold and whose q, which allows for the
number of series, is at most alpha. The other forms list all changes.

The value of a commit is the median of its repetitions. The order of the commits is
that of --commits, of a database, or of a history; otherwise it is that of their times
or of the files, as a note says.

  --as text      a line for each finding
  --as csv       a row for each change of a series
  --as json      one object: all series with their changes, and the findings
  --as markdown  a table of the findings

The methods are finder, which the documentation of the Go package series/change
explains, and to compare with, edivisive, that of Apache Otava, and stepfit, that of
Skia Perf: the Mann-Whitney U test of seven commits on each side.

Exit status: 0, or 3 with --fail-on worse if anything got worse at any time; 1 if
nothing of a file could be read, 2 for usage and I/O errors.`,
		Example: `  perfdata changes dev/bench/data.js
  perfdata changes --commits commits.txt --by host -r results
  perfdata changes --as json --match test=~^draw perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.judge = t.addJudgeFlags(cmd, changesForms, failNever)
	t.addJudgeReadingFlags(cmd)
	cmd.Flags().StringVar(&c.method, "method", changeMethods[0], "`METHOD` of finding changes: "+oneOf(changeMethods))
	complete(cmd, "method", changeMethods...)
	cmd.Flags().MarkHidden("exact") // one value is no change
	return cmd
}

// skiaRadius is the number of commits on each side of a step that Skia Perf fits.
const skiaRadius = 7

// A changeSearch is a run of the command changes.
type changeSearch struct {
	*judge
	method string
	finder changepoint.Finder
	otava  changepoint.EDivisive

	commits []string // in their order
	order   series.Order
	found   []foundSeries

	findings []changepoint.Finding
	all      []changepoint.Change
}

// A foundSeries is a series, its points, and where its values are in the order of the commits.
type foundSeries struct {
	series *series.Series
	changepoint.Series
}

func (c *changeSearch) run(cmd *cobra.Command, args []string) error {
	if !slices.Contains(changeMethods, c.method) {
		return unknownChoice("method", c.method, changeMethods)
	}
	listed, err := c.listed()
	if err != nil {
		return err
	}
	names, more, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	names = append(names, more...)
	if len(names) == 1 && isStore(names[0]) && listed == nil && len(c.by) == 0 {
		err = c.findStored(names[0])
	} else {
		err = c.findRead(names, listed)
	}
	if err != nil {
		return err
	}

	// The order of the series is that of files, or of a database: neither must matter.
	slices.SortStableFunc(c.found, func(a, b foundSeries) int { return strings.Compare(a.series.Trace, b.series.Trace) })
	c.group()
	if len(c.commits) > 1 {
		c.note("%v", c.order)
	}
	if err := c.print(); err != nil {
		return err
	}
	c.reportUnmatched("measurement")
	c.finish(c.fails())
	return nil
}

// findRead reads all values, because those of a series may be in any file, and finds the points.
func (c *changeSearch) findRead(names []string, listed []series.Commit) error {
	var timeline series.Timeline
	var collector series.Collector
	err := c.judge.read(names, func(at *series.Point, info *sourceInfo) error {
		return collector.Add(at, timeline.Add(at, info.number, info.isHistory))
	})
	if err != nil {
		return err
	}
	numbers, order := timeline.Sort(listed)
	c.order = order
	ranks := make([]int, len(numbers))
	for rank, n := range numbers {
		ranks[n] = rank
		c.commits = append(c.commits, timeline.Name(n))
	}

	var values []commitValue
	for _, s := range c.judged(collector.Series()) {
		values = values[:0]
		for column, v := range s.Values() {
			values = append(values, commitValue{ranks[column], v})
		}
		if err := c.find(s, values); err != nil {
			return err
		}
	}
	return nil
}

// judged returns the series of single values, or of the statistics that stand for them.
func (c *changeSearch) judged(all []*series.Series) []*series.Series {
	judged, _ := series.Judged(all, func(*series.Series) bool { return true })
	return judged
}

// A commitValue is a value, and the place of its commit.
type commitValue struct {
	commit int
	value  float64
}

// find finds the points of a series. The values of a commit become their median.
func (c *changeSearch) find(s *series.Series, values []commitValue) error {
	better, _, err := c.direction(s)
	if err != nil {
		return err
	}
	slices.SortStableFunc(values, func(a, b commitValue) int { return a.commit - b.commit })
	found := foundSeries{series: s, Series: changepoint.Series{Params: s.Identity, Better: better}}
	var medians, repetitions []float64
	for i, v := range values {
		repetitions = append(repetitions, v.value)
		if i+1 == len(values) || values[i+1].commit != v.commit {
			medians = append(medians, series.Median(repetitions))
			found.Commits = append(found.Commits, v.commit)
			repetitions = repetitions[:0]
		}
	}

	switch c.method {
	case "edivisive":
		found.Points = slices.Clone(c.otava.Find(medians))
	case "stepfit":
		skia := changepoint.StepFit{Method: changepoint.MannWhitneyStep, Interesting: float32(c.alpha)}
		found.Points = skia.Find(medians, skiaRadius)
	default:
		found.Points = slices.Clone(c.finder.Find(medians))
	}
	if len(found.Points) == 0 {
		found.Commits = nil // nobody asks
	}
	c.found = append(c.found, found)
	return nil
}

// group groups the points.
func (c *changeSearch) group() {
	all := make([]changepoint.Series, len(c.found))
	for i, f := range c.found {
		all[i] = f.Series
	}
	c.findings, c.all = changepoint.Findings(all, c.alpha, c.threshold)
}

func (c *changeSearch) fails() bool {
	for _, f := range c.findings {
		if c.failOn[failWorse] && f.Worse > 0 || c.failOn[failUnknown] && f.Worse+f.Better < len(f.Changes) {
			return true
		}
	}
	if !c.failOn[failSuspect] {
		return false
	}
	for _, x := range c.all {
		f := c.found[x.Series]
		p := f.Points[x.Point]
		if worsens(f.Better, p) && p.Exceeds(c.threshold) {
			return true
		}
	}
	return false
}

// worsens reports whether values are worse after a point.
func worsens(better format.Direction, p changepoint.Point) bool {
	switch better {
	case format.Lower:
		return p.After > p.Before
	case format.Higher:
		return p.After < p.Before
	}
	return false
}

// commitName returns the name of a commit by its place, as it is printed.
func (c *changeSearch) commitName(place int) string {
	if place < 0 || place >= len(c.commits) {
		return "the end"
	}
	if name := c.commits[place]; name != "" {
		return name
	}
	return "without a commit"
}
