package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/internal/hint"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
)

func (t *tool) compareCommand() *cobra.Command {
	c := &comparison{}
	cmd := &cobra.Command{
		Use:   "compare OLD... -- NEW... | A..B FILE... | --across KEY FILE...",
		Short: "Compare two sets of files, or two commits: what got worse, and how sure that is",
		Long: `Compare the values of each series in two sets of files of any format. Files of a set
add up. With A..B among the arguments, compare two commits of the same files or of a
database; each may be the beginning of a hash. Two files need no --. With --across KEY,
compare the series that differ only in a param: its first value with each other one.

If a set has several commits whose order is known (from --commits, a database, a history
or their times), the values since the last step of each series are compared, because
older values have another level. The output says so.

Medians, their intervals and p are computed as in benchstat, and the change is the change
of the medians. Its interval is around the Hodges-Lehmann estimate, the median of the
ratios of all pairs of values, with a confidence of 1 - alpha. The verdicts are:

  worse    the interval is beyond the threshold, and p is below alpha
  better   the same, in the other direction
  changed  as above, but it is not known which direction is better
  worse?   p is below alpha, but not if adjusted for the number of such series (q)
  same     the interval is within the threshold
  unknown  anything else, with the number of values on each side that would decide

--better decides which direction is better; without it, the file does, and otherwise
the unit. If there are several statistics (the param stat), the single values, the median
or the mean is compared. Values in ns are compared with values in ms, and the output says
so. Series that are in one set only are explained as drift explains them. perfdata help
verdicts has an example of each verdict.

  --as text      as benchstat prints it, the worst first
  --as csv       a row for each series and geometric mean
  --as json      one object
  --as markdown  for a pull request: what changed, and the rest folded
  --as github    annotations of GitHub Actions

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read or nothing was compared, 2 for usage and I/O errors.`,
		Example: `  perfdata compare old.txt new.txt
  perfdata compare --as markdown main/*.json -- branch/*.json
  perfdata compare --by host 3f2a9c1..b07d112 perf.db
  perfdata compare --across level codecs.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if confidence := c.options.Confidence; !(confidence > 0 && confidence < 1) {
				return fmt.Errorf("--confidence %v: want a number between 0 and 1", confidence)
			}
			if err := c.read(cmd, args); err != nil {
				return err
			}
			return c.judgeAll()
		},
	}
	c.judge = t.addJudgeFlags(cmd, "worse")
	cmd.Flags().Float64Var(&c.options.Confidence, "confidence", c.options.Confidence, "of the intervals of medians")
	cmd.Flags().StringVar(&c.answer.Across, "across", "",
		"compare the series that differ only in the param `KEY`: its first value with each of the others")
	return cmd
}

// A comparison is a run of compare. It has one table, whatever is compared: two sets of files, two
// commits of a history, or the values of a param. Each series has its values on two or more sides.
type comparison struct {
	*judge
	names []string // of the sides
}

// read reads the sets, or the two commits, or the values of a param.
func (c *comparison) read(cmd *cobra.Command, args []string) error {
	var question series.Question
	// A..B could also be a file, or a path with a .. in it.
	i := slices.IndexFunc(args, func(arg string) bool {
		a, b, ok := strings.Cut(arg, "..")
		_, err := os.Lstat(arg)
		return ok && a != "" && b != "" && b[0] != '/' && err != nil
	})
	if i >= 0 && cmd.ArgsLenAtDash() < 0 {
		a, b, _ := strings.Cut(args[i], "..")
		question.Commits, args = []string{a, strings.TrimPrefix(b, ".")}, slices.Delete(slices.Clone(args), i, i+1)
	}

	old, new, err := c.sets(cmd, args)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return errors.New("no FILE given, as in perfdata compare A..B FILE")
	case question.Commits != nil || c.answer.Across != "":
		if err := c.ask(series.Old, &question, append(old, new...)); err != nil {
			return err
		}
		c.names = append(c.answer.Sides, make([]string, max(2-len(c.answer.Sides), 0))...)
		for i, name := range question.Commits {
			c.names[i] = judging.ShortCommit(name)
		}
		return c.checkNamed(question.Commits)
	case len(old) == 0 || len(new) == 0:
		return errors.New("want two sets of files, as in perfdata compare old.txt -- new.txt, or commits, as in A..B FILE, " +
			"or a param, as in --across level FILE")
	}

	c.noteSame(old, new)
	c.names = judging.SetNames(old, new)
	if err := c.ask(series.Old, &question, old); err != nil {
		return err
	}
	return c.ask(series.New, &question, new)
}

// checkNamed returns an error if a text does not name one commit.
func (c *comparison) checkNamed(commits []string) error {
	found, known := c.answer.Named()
	for i, name := range commits {
		switch n := len(found[i]); {
		case n == 0 && (len(known) > 0 || len(c.skips.All) == 0): // else nothing could be read, which is said
			c.reportUnread()
			return fmt.Errorf("no measurement has the commit %s%s", name, hint.DidYouMeanOr(name, known, "commits"))
		case n > 1:
			return fmt.Errorf("%s is the beginning of several commits: %s", name, strings.Join(found[i], ", "))
		}
	}
	return nil
}

// judgeAll compares the values, and prints the result, which does not depend on the order of the
// inputs.
func (c *comparison) judgeAll() error {
	c.answer.Sort()
	c.checkList()
	all, err := c.settled()
	if err != nil {
		return err
	}

	report := compare.NewComparer(c.options).Compare(all, compare.Rule{By: c.by, Sides: c.answer.Sides})
	gone, err := drift.OfSeries(all, c.names, func(s *series.Series, side int) []float64 {
		if c.answer.Across != "" {
			return nil
		}
		return s.AppendSide(nil, side)
	})
	if err != nil {
		return err
	}
	gone.EmptyFiles = 0 // an input without measurements was said

	w := judging.Judgments{
		Geomeans: report.Geomeans, Sides: c.names, Across: c.answer.Across, By: c.by, Options: c.options,
	}
	warnings := []string{}
	for _, row := range report.Rows {
		trace := row.Series.Trace
		if row.Reason != "" {
			c.skips.Add(judging.Skip{Trace: trace, Reason: row.Reason})
			continue
		}
		w.Rows = append(w.Rows, row)
		// An exact series has the same value in each run, or it is not exact.
		if row.Inexact {
			warnings = append(warnings, trace+": values that should be exact differ")
		}
		if row.Series.Machines {
			warnings = append(warnings, fmt.Sprintf("%s: values of several machines: --by %s tells them apart",
				trace, row.Series.Machine.Key))
		}
	}
	c.skipUndecided(report.Undecided)

	counts, nothing := w.Counts(), ""
	switch {
	case len(w.Rows) > 0:
	case len(report.Rows) > 0:
		nothing = "nothing was compared: no series that is in both sets can be judged"
	case c.answer.Across != "":
		nothing = "nothing was compared: no series has several values of " + c.answer.Across
	default:
		nothing = "nothing was compared: no series is in both sets" + hintOf(gone)
	}

	var t *judging.Table
	if len(w.Rows) > 0 || c.status == statusOK && len(all) > 0 { // else an unread side has not vanished
		t = c.table(&w, gone, counts, warnings)
	}
	c.conclude(t, nothing, counts, gone)
	return nil
}

// table returns what the comparison says.
func (c *comparison) table(
	w *judging.Judgments, gone *drift.Report, counts map[string]int, warnings []string,
) *judging.Table {
	t, shifts := w.Table(), c.shifts(w.Rows)
	t.Summary = cmp.Or(judging.Summary(counts), "nothing to compare: no series that is in both sets can be judged")
	t.Footer = fmt.Sprintf("threshold %.3g%%, alpha %.3g", c.options.Threshold*100, c.options.Alpha)
	t.Compared = fmt.Sprintf(", %s compared with %s", strings.Join(c.names[1:], ", "), c.names[0])
	if c.answer.Across == "" {
		t.Sections = append(t.Sections, judging.DriftSection("in one set only", fmt.Sprintf(": %d in %s, %d in %s",
			gone.Vanished, c.names[0], gone.Appeared, c.names[1]), gone))
	}
	t.Sections = append(t.Sections, judging.Section{Title: judging.SinceStep, Lines: w.Levels()},
		judging.Section{Title: "all together", Lines: shifts}, judging.Section{Title: "warning", Lines: warnings})
	t.Rest = struct {
		Geomean  []judgment.Geomean `json:"geomean"`
		Drift    *drift.Report      `json:"drift"`
		Counts   map[string]int     `json:"counts"`
		Together []string           `json:"together"`
		Warnings []string           `json:"warnings"`
	}{append([]judgment.Geomean{}, w.Geomeans...), gone, counts, shifts, warnings}
	return t
}

// hintOf returns the way out if the series of two sets differ in few params.
func hintOf(r *drift.Report) string {
	keys := slices.Concat(r.SplittingKeys, r.AddingKeys, r.RemovingKeys)
	if r.Changed != nil {
		for _, change := range append(r.AlsoChanged, *r.Changed) {
			keys = append(keys, change.Key)
		}
	}
	for _, move := range r.Moves {
		if move.Kind == "replaced" { // such as a pool of machines
			keys = append(keys, move.Key)
		}
	}
	keys = slices.DeleteFunc(keys, judging.NamesBenchmarks)
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) == 0 || len(keys) > 3 {
		return ""
	}
	return fmt.Sprintf("; --ignore %s compares those that differ only there", strings.Join(keys, ","))
}

// shifts returns what most series have in common, which may be due to the machine.
func (c *comparison) shifts(rows []*judgment.Judgment) []string {
	lines := []string{}
	for side, name := range c.names {
		var moved, drifted []float64 // logarithms of ratios
		for _, row := range rows {
			if side > 0 && (row.Side == "" || row.Side == name) {
				moved = append(moved, math.Log(row.Ratio))
			}
			if values := row.Series.AppendSide(nil, side); len(values) >= 6 {
				first, second := slices.Clone(values[:len(values)/2]), values[len(values)-len(values)/2:]
				drifted = append(drifted, math.Log(series.Median(second)/series.Median(first)))
			}
		}
		if change, n, of := together(moved, 0.02); n > 0 {
			lines = append(lines, fmt.Sprintf("%d of %d series moved the same way, by about %s: the machine may be the reason",
				n, of, change))
		}
		if change, n, of := together(drifted, math.Log1p(c.options.Threshold)); n > 0 {
			lines = append(lines, fmt.Sprintf("the values of %s change by about %s from its first half to its second, "+
				"in %d of %d series", name, change, n, of))
		}
	}
	return lines
}

// together returns the median change of logarithms of ratios, and how many are about as large, if
// these are most, and the median is at least a size.
func together(logs []float64, size float64) (change string, n, of int) {
	logs = slices.DeleteFunc(logs, func(log float64) bool { return log-log != 0 })
	middle := series.Median(slices.Clone(logs))
	for _, log := range logs {
		if math.Abs(log-middle) <= math.Abs(middle)/2 {
			n++
		}
	}
	// Most of less than four series say little about the machine.
	if len(logs) < 4 || math.Abs(middle) < size || 3*n < 2*len(logs) {
		return "", 0, 0
	}
	return judging.Percent(math.Exp(middle)), n, len(logs)
}
