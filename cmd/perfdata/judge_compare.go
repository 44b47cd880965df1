package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

// compareCommand returns the command that compares two sets of results, with the numbers of
// benchstat, and adds verdicts. It needs no history: the repetitions of each side say how noisy a
// series is, so that one value decides nothing, unless it is exact.
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
be read, a limit ended the reading or nothing was compared, 2 for usage and I/O errors.`,
		Example: `  perfdata compare old.txt new.txt
  perfdata compare --as markdown main/*.json -- branch/*.json
  perfdata compare --by host 3f2a9c1..b07d112 perf.db
  perfdata compare --across level codecs.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.read(cmd, args); err != nil {
				return err
			}
			return c.judgeAll()
		},
	}
	c.judge = t.addJudgeFlags(cmd, "worse")
	addFunc(cmd, "confidence", "`P` of the intervals of medians (default 0.95)",
		setNumber(&c.options.Confidence, false, 1))
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
	// A..B could also be a file, or a path with a .. in it. Both are read as files.
	i := slices.IndexFunc(args, func(arg string) bool {
		a, b, ok := strings.Cut(arg, "..")
		_, err := os.Lstat(arg)
		return ok && a != "" && b != "" && b[0] != '/' && err != nil
	})
	// With --, the arguments are sets of files. A third dot, as git has it in A...B, changes
	// nothing.
	if i >= 0 && cmd.ArgsLenAtDash() < 0 {
		a, b, _ := strings.Cut(args[i], "..")
		question.Commits, args = []string{a, strings.TrimPrefix(b, ".")}, slices.Delete(slices.Clone(args), i, i+1)
	}

	// Two commits, or the values of a param, are the sides of one set of files, even if these are
	// two files without a --.
	old, new, err := c.sets(cmd, args)
	isOneSet := question.Commits != nil || c.answer.Across != ""
	switch {
	case err != nil:
		return err
	// Each of the two makes the sides of the table.
	case question.Commits != nil && c.answer.Across != "":
		return errors.New("want two commits, as in A..B FILE, or a param, as in --across level FILE, and not both")
	case c.answer.Across != "" && cmd.ArgsLenAtDash() > 0:
		return errors.New("want two sets of files, as in old.txt -- new.txt, or a param, as in --across level FILE, " +
			"and not both")
	case len(args) == 0:
		return errors.New("no FILE given, as in perfdata compare A..B FILE")
	case !isOneSet && (len(old) == 0 || len(new) == 0):
		return errors.New("want two sets of files, as in perfdata compare old.txt -- new.txt, or commits, as in A..B FILE, " +
			"or a param, as in --across level FILE")
	}

	if isOneSet {
		if err := c.ask(series.Old, &question, append(old, new...)); err != nil {
			return err
		}
		// The table has a column for the old side and one for a new side at least, even if the
		// param has one value or none.
		c.names = append(c.answer.Sides, make([]string, max(2-len(c.answer.Sides), 0))...)
		found, known := c.answer.Named()
		// Without these errors, all series of a misspelled commit would have vanished, and the
		// values of two commits that begin alike would be one sample.
		for i, name := range question.Commits {
			c.names[i] = judging.ShortCommit(name)
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

	c.noteSame(old, new)
	c.names = judging.SetNames(old, new)
	if err := c.ask(series.Old, &question, old); err != nil {
		return err
	}
	return c.ask(series.New, &question, new)
}

// judgeAll compares the values, and prints the result, which does not depend on the order of the
// inputs.
func (c *comparison) judgeAll() error {
	// The order comes first: by it, a side with several commits is cut at its last step.
	c.answer.Sort()
	c.checkList()
	all, err := c.settled()
	if err != nil {
		return err
	}

	report := compare.NewComparer(c.options).Compare(all, compare.Rule{By: c.by, Sides: c.answer.Sides})
	// Drift explains why a series is on one of two sides only. A param may have more than two
	// values, and no rename explains why a series lacks one of them.
	gone, err := drift.OfSeries(all, c.names, func(s *series.Series, side int) []float64 {
		if c.answer.Across != "" {
			return nil
		}
		return s.AppendSide(nil, side)
	})
	if err != nil {
		return err
	}
	// OfSeries takes each side for one file, so that a new side without values would be named as an
	// empty file.
	gone.EmptyFiles = 0 // an input without measurements was said

	w := judging.Judgments{
		Geomeans: report.Geomeans, Sides: c.names, Across: c.answer.Across, By: c.by, Options: c.options,
	}
	// This is not nil, so that JSON has an empty list and not null.
	warnings := []string{}
	for _, row := range report.Rows {
		trace := row.Series.Trace
		// Such a series has no verdict, and its row would be counted as unknown.
		if row.Reason != "" {
			c.skips.Add(judging.Skip{Trace: trace, Reason: row.Reason})
			continue
		}
		w.Rows = append(w.Rows, row)
		// An exact series has the same value in each run, or it is not exact.
		if row.Inexact {
			warnings = append(warnings, trace+": values that should be exact differ")
		}
		// The difference of two machines would pass for noise, or for a change.
		if row.Series.Machines {
			warnings = append(warnings, fmt.Sprintf("%s: values of several machines: --by %s tells them apart",
				trace, row.Series.Machine.Key))
		}
	}
	c.skipUndecided(report.Undecided)

	// The three reasons have different remedies: in the first case the values are at fault, in the
	// second the param, and in the third the params of the sets, of which hintOf knows some.
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

	// The table of a comparison of nothing still says which series are in one set only.
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

// hintOf returns the way out if the series of two sets differ in few params. Hosted runners, for
// example, may have another CPU each time: then no series is in both sets until the user says that
// the CPU does not matter.
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
	// Without the name, different benchmarks would be compared with each other. A hint with more
	// than three keys would do the same to sets that have little in common.
	keys = slices.DeleteFunc(keys, judging.NamesBenchmarks)
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) == 0 || len(keys) > 3 {
		return ""
	}
	return fmt.Sprintf("; --ignore %s compares those that differ only there", strings.Join(keys, ","))
}

// shifts returns what most series have in common, which may be due to the machine. Without it, a
// slower machine reads as a regression in each benchmark.
func (c *comparison) shifts(rows []*judgment.Judgment) []string {
	lines := []string{}
	// Ratios are compared as logarithms, so that twice as fast is as far from 1 as twice as slow.
	// The old side has no ratios. A drift within a side is found on any side that has three values
	// in each half.
	for side, name := range c.names {
		var moved, drifted []float64 // logarithms of ratios
		seen := make(map[*series.Series]bool)
		for _, row := range rows {
			if side > 0 && (row.Side == "" || row.Side == name) {
				moved = append(moved, math.Log(row.Ratio))
			}
			// The values are in the order of the inputs, and so usually in the order in which they
			// were measured. With several new sides, a series has several rows.
			if values := row.Series.AppendSide(nil, side); len(values) >= 6 && !seen[row.Series] {
				seen[row.Series] = true
				first, second := slices.Clone(values[:len(values)/2]), values[len(values)-len(values)/2:]
				drifted = append(drifted, math.Log(series.Median(second)/series.Median(first)))
			}
		}
		// A common change of less than about 2% is not worth a line. A drift within a side matters
		// if it could be the change that is looked for, so its bound is the threshold.
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
	// The ratio to a median of 0, or of one, has no finite logarithm.
	logs = slices.DeleteFunc(logs, func(log float64) bool { return log-log != 0 })
	middle := series.Median(slices.Clone(logs))
	// A logarithm within half of the median has its sign, so these series moved the same way.
	for _, log := range logs {
		if math.Abs(log-middle) <= math.Abs(middle)/2 {
			n++
		}
	}
	// Most of less than four series say little about the machine. Two thirds are taken for most.
	if len(logs) < 4 || math.Abs(middle) < size || 3*n < 2*len(logs) {
		return "", 0, 0
	}
	return judging.Percent(math.Exp(middle)), n, len(logs)
}

// driftCommand returns the command that compares IDs, and no values. For the other commands, a
// series that ends is not a regression; but its history is lost.
func (t *tool) driftCommand() *cobra.Command {
	var j *judge
	aliases := ""
	cmd := &cobra.Command{
		Use:   "drift OLD... -- NEW...",
		Short: "Say why series begin and end between two sets of files",
		Long: `Compare the trace IDs of two sets of files, and say why series vanished or appeared:
a param with another value in every file, a param that was added, removed or
changed, a benchmark that was renamed, a unit that changed, new files without
measurements. The IDs are of all params except commit, commit-time and the number
of the repetition.

Each line is one reason, with the number of series. What has no reason is named at
the end. If nothing drifted or appeared, nothing is printed.

  --as text      a line for each reason
  --as csv       a row for each reason: what it is, the param, its values, the series
  --as json      one object
  --as markdown  for a pull request
  --as github    annotations of GitHub Actions

--alias FILE continues series that were renamed. A line of FILE is a query, "->"
and the params that replace those of the measurements that it selects:

  test=schema_iter -> test=Schema_Iter

Exit status: 3 if series vanished or were renamed, params split series, or new
files have no measurements (--fail-on drift, the default), else 0. New series alone
are not drift.`,
		Example: `  perfdata drift monday.json -- tuesday.json
  perfdata drift -r --as json results/old -- results/new`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			old, new, err := j.sets(cmd, args)
			if err == nil && (len(old) == 0 || len(new) == 0) {
				err = errors.New("want two sets of files, as in perfdata drift old.json -- new.json")
			}
			if err != nil {
				return err
			}

			j.noteSame(old, new)
			return j.drift(old, new, aliases)
		},
	}
	// IDs have neither a direction nor noise, and belong to no commit, so the flags about these are
	// hidden.
	j = t.addJudgeFlags(cmd, "drift", "better", "exact", "threshold", "alpha", "commits", "by")
	cmd.Flags().StringVar(&aliases, "alias", "", "a `FILE` of params that continue others: QUERY -> key=value&...")
	return cmd
}

// drift reads two sets of inputs, and prints why their series differ.
func (j *judge) drift(old, new []string, aliasFile string) error {
	// Drift keeps much live memory, in large pieces without pointers, so frequent collections cost
	// little. A soft memory limit would cost as much as reading a million IDs once the live memory
	// exceeds it. So garbage is limited in percent of the memory in use.
	j.setMemoryLimit(math.MaxInt64)
	j.setGCPercent(10)
	// A date stays in the IDs, unlike in the other commands: systems that name series by all params
	// begin new ones each day if a file has it.
	j.answer.NotIdentity = append([]string{"commit", "commit-time"}, j.ignored...)
	aliases, err := readNamed(aliasFile, func(in io.Reader, name string) (*drift.Aliases, error) {
		return drift.ReadAliases(in, name, j.charset)
	})
	if err != nil {
		return err
	}

	// The collector keeps an ID and a magnitude of each series, and no values, so that it takes a
	// million IDs of each side.
	c, keys := drift.Collector{Charset: j.charset}, j.paramKeys()
	for side, names := range [][]string{old, new} {
		err := j.eachSource(names, func(name string, s series.Source) error {
			// A file is counted when it is open, so that one that cannot be opened is unread and
			// not empty.
			j.begin = func() { c.File(side, inputName(name)) }
			err := j.answer.Points(context.Background(), &series.Question{}, s, func(at *series.Point) error {
				// The series are not kept, so keys are looked for in each measurement. It has the
				// params that are ignored, too.
				keys.look(at.Record)
				keys.lookUnit(at.Record.Unit)
				// Aliases apply to both sides, so a line may stay in its file when the rename is in
				// the past.
				params, err := aliases.Apply(at.Identity)
				if err != nil {
					return err
				}
				return c.Add(params, at.Record.Value)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", inputName(name), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}

	j.reportKeys(&keys)
	// Each of these would pass as something else. Without old measurements, all series are new,
	// which is not drift. Without a new file, all series seem to have vanished.
	r, nothing := c.Report(), ""
	switch {
	case r.Vanished+r.Same+r.Appeared == 0:
		nothing = "nothing was compared: no measurement was read"
	case r.Vanished+r.Same == 0:
		nothing = "nothing was compared: the old files have no measurements"
	case r.NewFiles == 0:
		nothing = "nothing was compared: no new file could be read"
	}
	// The faults that were read are the reason, so that the general one is not said.
	if nothing != "" && j.status != statusOK {
		j.reportUnread()
		return nil
	}

	table := judging.Drift(r)
	// Like diff, text has nothing on standard output if nothing differs. The counts are a note.
	if j.form == "text" && len(r.Reasons())+r.Vanished+r.Appeared == 0 {
		j.note("%s", table.Summary)
		table.Summary = ""
	}
	j.conclude(table, nothing, make(map[string]int), r)
	return nil
}
