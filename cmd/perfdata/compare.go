package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/traceid"
)

var compareForms = []string{"text", "csv", "json", "markdown", "github"}

func (t *tool) compareCommand() *cobra.Command {
	var j *judge
	confidence := 0.95
	cmd := &cobra.Command{
		Use:   "compare OLD... -- NEW... | A..B FILE...",
		Short: "Compare two sets of files, or two commits: what got worse, and how sure that is",
		Long: `Compare the values of each series in two sets of files of any format. Files of a set
add up. With A..B as the first argument, compare two commits of the same files or of a
database; each may be the beginning of a hash. Two files need no --.

Medians, their intervals and p are those of benchstat. The ratio is the median of the
ratios of all pairs of values, with an interval of 1 - alpha. The verdicts are:

  worse    the interval is beyond the threshold, and p is below alpha
  better   the same, in the other direction
  changed  the same, and it is not known which direction is better
  worse?   p is below alpha, but not if adjusted for the number of such series (q)
  same     the interval is within the threshold
  unknown  anything else, with the number of values on each side that would decide

The direction is what the file says, else what the unit implies, else what --better
says, which overrides both. Of several statistics (the param stat), the single values,
the median or the mean is compared. Values in ns and ms are compared, too, as the
output says. Series that are in one set only are explained as drift does. perfdata help
verdicts has an example of each verdict.

  --as text      as benchstat prints it, the worst first
  --as csv       a row for each series and geometric mean
  --as json      one object
  --as markdown  for a pull request: what changed, and the rest folded
  --as github    annotations of GitHub Actions

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read, 2 for usage and I/O errors.`,
		Example: `  perfdata compare old.txt new.txt
  perfdata compare --as markdown main/*.json -- branch/*.json
  perfdata compare --by host 3f2a9c1..b07d112 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(confidence > 0 && confidence < 1) {
				return fmt.Errorf("--confidence %v: want a number between 0 and 1", confidence)
			}
			c := &comparison{judge: j, confidence: confidence}
			if err := c.read(cmd, args); err != nil {
				return err
			}
			if err := c.judgeAll(); err != nil {
				return err
			}
			return c.print()
		},
	}
	j = t.addJudgeFlags(cmd, compareForms, failWorse)
	t.addJudgeReadingFlags(cmd)
	cmd.Flags().Float64Var(&confidence, "confidence", confidence, "of the intervals of medians")
	cmd.Flags().MarkHidden("commits") // two sets have no order
	return cmd
}

// A comparison is a run of compare.
type comparison struct {
	*judge
	confidence float64

	all     series.Collector
	names   [2]string // of the sets
	report  *compare.Report
	drift   *drift.Report
	counts  map[string]int // of verdicts
	refused int            // rows that cannot be judged

	warnings []string
}

// read reads the sets, or the two commits.
func (c *comparison) read(cmd *cobra.Command, args []string) error {
	if a, b, ok := strings.Cut(args[0], ".."); ok && a != "" && b != "" && cmd.ArgsLenAtDash() < 0 && !exists(args[0]) {
		return c.readRange(a, strings.TrimPrefix(b, "."), args[1:])
	}
	old, new, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	if len(old) == 0 || len(new) == 0 {
		return errors.New("want two sets of files, as in perfdata compare old.txt -- new.txt, or commits, as in A..B FILE")
	}
	c.noteSame(old, new)
	for column, names := range [][]string{old, new} {
		c.names[column] = setName(names, []string{"old", "new"}[column])
		err := c.judge.read(names, func(at *series.Point, _ *sourceInfo) error { return c.all.Add(at, column) })
		if err != nil {
			return err
		}
	}
	if c.names[compare.Old] == c.names[compare.New] {
		c.names = [2]string{"old", "new"}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// setName returns the name of the only file of a set, or another one.
func setName(names []string, other string) string {
	if len(names) != 1 || names[0] == "-" {
		return other
	}
	return filepath.Base(names[0])
}

// readRange reads the values of two commits of files and stores.
func (c *comparison) readRange(a, b string, names []string) error {
	if len(names) == 0 {
		return errors.New("no FILE given, as in perfdata compare A..B FILE")
	}

	c.readsFolders, c.readsOnce = true, true
	names = c.walked(names)
	c.reportWalk()
	c.names = [2]string{a, b}
	var found [2][]string
	commits := make(map[string]bool)
	err := c.judge.read(names, func(at *series.Point, _ *sourceInfo) error {
		if len(commits) < maxSuggestible && !commits[at.Commit] {
			commits[strings.Clone(at.Commit)] = true
		}
		for column, name := range c.names {
			if at.Commit == "" || !strings.HasPrefix(at.Commit, name) {
				continue
			}
			if !slices.Contains(found[column], at.Commit) {
				found[column] = append(found[column], strings.Clone(at.Commit))
			}
			if err := c.all.Add(at, column); err != nil {
				return err
			}
		}
		return nil
	})

	for column, name := range c.names {
		switch {
		case err != nil:
		case len(found[column]) == 0:
			err = fmt.Errorf("no measurement has the commit %s%s", name, didYouMeanOr(name, sortedTexts(commits), "commits"))
		case len(found[column]) > 1:
			err = fmt.Errorf("%s is the beginning of several commits: %s", name, strings.Join(found[column], ", "))
		}
	}
	return err
}

func sortedTexts(set map[string]bool) []string {
	var all []string
	for text := range set {
		if text != "" {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// judgeAll compares what was read.
func (c *comparison) judgeAll() error {
	var failure error
	keep := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	rule := compare.Rule{
		By: c.by,
		Better: func(s *series.Series) (format.Direction, bool) {
			better, byUnit, err := c.direction(s)
			keep(err)
			return better, byUnit
		},
		Exact: func(s *series.Series) bool {
			exact, err := c.isExact(s)
			keep(err)
			return exact
		},
	}
	options := compare.Options{Threshold: c.threshold, Alpha: c.alpha, Confidence: c.confidence}
	all := c.all.Series()
	c.report = compare.NewComparer(options).Compare(all, rule)
	if failure != nil {
		return failure
	}
	if err := c.explain(all); err != nil {
		return err
	}

	c.counts = make(map[string]int)
	for _, row := range c.report.Rows {
		if row.Reason != "" {
			c.leaveOut(unjudged{Trace: row.Series.Trace, Reason: row.Reason})
			c.refused++
			continue
		}
		c.counts[row.VerdictText()]++
		if row.Inexact {
			c.warn(row, "values that should be exact differ")
		}
		if row.Series.Machines {
			c.warn(row, "values of several machines: --by "+row.Series.Machine.Key+" tells them apart")
		}
	}
	c.leaveOutStatistics(all)
	c.report.Rows = slices.DeleteFunc(c.report.Rows, func(row *compare.Row) bool { return row.Reason != "" })
	fails := c.failOn[failWorse] && c.counts["worse"] > 0 || c.failOn[failSuspect] && c.counts["worse?"] > 0 ||
		c.failOn[failUnknown] && c.counts["unknown"] > 0 || c.failOn[failDrift] && c.drift.HasDrifted()
	c.finish(fails)
	return nil
}

// warn notes what is odd about a row.
func (c *comparison) warn(row *compare.Row, text string) {
	if len(c.warnings) < maxUnjudged {
		c.warnings = append(c.warnings, row.Series.Trace+": "+text)
	}
}

// leaveOutStatistics notes the benchmarks whose statistics are not judged.
func (c *comparison) leaveOutStatistics(all []*series.Series) {
	if len(c.report.Others) == 0 {
		return
	}
	without := func(s *series.Series) string {
		return slices.DeleteFunc(s.Identity.Clone(), func(p traceid.Param) bool { return p.Key == "stat" }).ID()
	}
	judged := make(map[string]bool)
	others := make(map[*series.Series]bool)
	for _, s := range c.report.Others {
		others[s] = true
	}
	for _, s := range all {
		if !others[s] {
			judged[without(s)] = true
		}
	}
	for _, s := range c.report.Others {
		if id := without(s); !judged[id] {
			judged[id] = true
			c.leaveOut(unjudged{Trace: id, Reason: "it has several statistics, and neither median nor mean: choose by --match"})
		}
	}
}

// explain says why series are in one set only.
func (c *comparison) explain(all []*series.Series) error {
	var d drift.Collector
	for side := range 2 {
		d.File(drift.Side(side), c.names[side])
		for _, s := range all {
			for column, value := range s.Values() {
				if column == side {
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

// print prints the comparison in the form that was asked for.
func (c *comparison) print() error {
	switch c.form {
	case "csv":
		return c.printCSV()
	case "json":
		return c.printJSON()
	case "markdown":
		return c.printMarkdown()
	case "github":
		return c.printGitHub()
	}
	return c.printText()
}
