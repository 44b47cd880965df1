package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/series"
	"perfdata/series/drift"
)

// driftGarbage is how much garbage there may be, in percent of the memory in use. Drift keeps much
// live memory, in large pieces without pointers, so frequent collections cost little. A soft memory
// limit would cost as much as reading a million IDs once the live memory exceeds it.
const driftGarbage = 10

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
	j = t.addJudgeFlags(cmd, "drift", "better", "exact", "threshold", "alpha", "commits", "by")
	cmd.Flags().StringVar(&aliases, "alias", "", "a `FILE` of params that continue others: QUERY -> key=value&...")
	return cmd
}

// drift reads two sets of inputs, and prints why their series differ.
func (j *judge) drift(old, new []string, aliasFile string) error {
	j.setMemoryLimit(math.MaxInt64)
	j.setGCPercent(driftGarbage)
	j.answer.NotIdentity = append([]string{"commit", "commit-time"}, j.ignored...)
	aliases, err := readNamed(aliasFile, func(in io.Reader, name string) (*drift.Aliases, error) {
		return drift.ReadAliases(in, name, j.charset)
	})
	if err != nil {
		return err
	}

	c := drift.Collector{Charset: j.charset}
	for side, names := range [][]string{old, new} {
		err := j.eachSource(names, func(name string, s series.Source) error {
			j.begin = func() { c.File(side, inputName(name)) }
			err := j.answer.Points(context.Background(), &series.Question{}, s, func(at *series.Point) error {
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

	r, nothing := c.Report(), ""
	switch {
	case r.Vanished+r.Same+r.Appeared == 0:
		nothing = "nothing was compared: no measurement was read"
	case r.Vanished+r.Same == 0:
		nothing = "nothing was compared: the old files have no measurements"
	case r.NewFiles == 0:
		nothing = "nothing was compared: no new file could be read"
	}
	if nothing != "" && j.status != statusOK {
		j.reportUnread()
		return nil
	}

	table := judging.Drift(r)
	if j.form == "text" && len(r.Reasons())+r.Vanished+r.Appeared == 0 {
		j.note("%s", table.Summary)
		table.Summary = ""
	}
	j.conclude(table, nothing, make(map[string]int), r)
	return nil
}
