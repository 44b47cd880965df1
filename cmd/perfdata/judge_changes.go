package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/change/peers"
	"perfdata/series/posted"
)

// changesCommand returns the command that searches a whole history. It needs no new results, so a
// service can run it at any time.
func (t *tool) changesCommand() *cobra.Command {
	c := &changeSearch{method: "finder"}
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
  --as github    annotations of GitHub Actions

Each finding has an id in JSON and CSV, and in the address of the page that report
writes, as page.html#f-ID. With --posted FILE, findings keep the ids that they have in
FILE: the JSON of an earlier run, or an empty file. So a program posts each id once:

  perfdata changes --posted ids.json --as json -o ids.json perf.db

--since COMMIT prints only the findings that the history up to COMMIT did not show,
whenever they began: a step is found some commits late.

The methods are finder, which the documentation of the Go package series/change
explains, and to compare with, edivisive, that of Apache Otava, and stepfit, that of
Skia Perf: the Mann-Whitney U test of seven commits on each side.

Exit status: 0, or 3 with --fail-on worse if anything got worse at any time; 1 if
nothing of a file could be read, a limit ended the reading, or nothing was judged; 2 for
usage and I/O errors.`,
		Example: `  perfdata changes dev/bench/data.js
  perfdata changes --commits commits.txt --by host -r results
  perfdata changes --as json --match test=~^draw perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.judge = t.addJudgeFlags(cmd, "never", "exact") // one value is not a change
	addChoice(cmd, "method", "`METHOD` of finding changes: ", &c.method, []string{"finder", "edivisive", "stepfit"})
	cmd.Flags().StringVar(&c.postedFile, "posted", "", "a `FILE` with the JSON of an earlier run, whose ids findings keep")
	cmd.Flags().StringVar(&c.since, "since", "", "only findings that the history up to `COMMIT` did not show")
	return cmd
}

// A changeSearch is a run of the command changes.
type changeSearch struct {
	*judge
	method     string
	postedFile string
	since      string

	all             []*series.Series // also those that are not judged
	search, earlier change.Search    // earlier: of the history up to since
}

// run finds the changes of all series, and the params that they have in common.
func (c *changeSearch) run(cmd *cobra.Command, args []string) error {
	var otava peers.EDivisive
	// For Skia's Mann-Whitney U test, the bound of what is interesting is the largest p, and that
	// is alpha.
	skia := peers.StepFit{Method: peers.MannWhitneyStep, Interesting: float32(c.options.Alpha)}
	switch c.method {
	case "edivisive":
		c.search.Method = otava.Find
	case "stepfit":
		const radius = 7 // commits on each side of a step that Skia Perf fits
		c.search.Method = func(medians []float64) []change.Point { return skia.Find(medians, radius) }
	}
	// Both searches use one method: a finding is known only if the earlier history shows it by the
	// same rules.
	c.earlier.Method = c.search.Method
	// This comes before the inputs, so that a wrong file is an error at once. It may also be the
	// file of -o, which is replaced only at the end.
	before, err := c.readPosted(c.postedFile)
	if err != nil {
		return err
	}
	// A history has one side: two files, which are two sets elsewhere, are parts of it in their
	// order.
	names, more, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	names = append(names, more...)
	if len(names) == 1 && isStore(names[0]) && len(c.given)+len(c.by)+len(c.ignored) == 0 {
		// A store gives series by series, without holding the values of all. So a database may have
		// more values than fit in the memory that a command takes. The flags in the condition rule
		// this out. With --by or --ignore, a series is not one trace of the database, and its
		// values do not follow one another. With --match, commits at which nothing matches are left
		// out, and these are known only at the end.
		err = c.eachSource(names, func(_ string, s series.Source) error {
			return c.answer.Each(context.Background(), &series.Question{}, s, c.find)
		})
	} else if err = c.ask(series.Old, &series.Question{}, names); err == nil {
		c.answer.Sort()
		for _, s := range c.answer.Series() {
			if err == nil {
				err = c.find(s)
			}
		}
	}
	if err != nil {
		return err
	}

	found := c.search.Result(c.answer.Commits, c.options.Alpha, c.options.Threshold)
	// Without --since, the earlier search has no series, and so no finding is left out.
	earlier := c.earlier.Result(c.answer.Commits, c.options.Alpha, c.options.Threshold)
	c.checkKeys(c.all)
	c.checkList()
	w := judging.NewFindings(found, earlier, before)
	w.Order, w.Options = c.answer.Order, c.options
	if len(w.Commits) > 1 {
		// Every finding depends on the order, and CSV has no place for it, so that it is a note.
		c.note("%v", w.Order)
	}
	// A history without a finding is an answer. A history without a series is not: the files, or
	// the query, are wrong.
	nothing := ""
	if len(found.Series) == 0 {
		nothing = "nothing was judged: no measurement was read"
	}
	c.conclude(w.Table(), nothing, w.Counts(), nil)
	return nil
}

// find finds the points of a series.
func (c *changeSearch) find(s *series.Series) error {
	if err := c.settle(s); err != nil {
		return err
	}
	c.all = append(c.all, s)
	// A search keeps no values, so the earlier one may cut the samples of the other in place.
	samples := s.Samples(series.Old)
	c.search.Add(s, samples)
	if c.since != "" {
		// This is asked for each series, because a database names its commits only when it is read,
		// just before its first series.
		place, n := series.FindCommit(c.answer.Commits, c.since)
		if n != 1 {
			return fmt.Errorf("--since %s: %s in the history", c.since, message.Plural(n, "commit"))
		}
		isLater := func(one series.Sample) bool { return one.Commit > place }
		c.earlier.Add(s, slices.DeleteFunc(samples, isLater))
	}
	return nil
}

// readPosted reads a file of --posted, if there is one. It notes one that is empty, because it is
// likely not meant to be, except at the first run.
func (j *judge) readPosted(name string) ([]posted.Finding, error) {
	return readNamed(name, func(file io.Reader, name string) ([]posted.Finding, error) {
		in := bufio.NewReader(file)
		if _, err := in.Peek(1); err == io.EOF {
			j.note("--posted %s: it is empty, so that all ids are new", name)
		}
		all, err := posted.Read(in)
		if err != nil {
			return nil, fmt.Errorf("--posted %s: want the output of changes --as json: %w", name, err)
		}
		return all, nil
	})
}
