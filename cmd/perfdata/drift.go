package main

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"perfdata/internal/visible"
	"perfdata/series"
	"perfdata/series/drift"
)

var driftForms = []string{"text", "csv", "json"}

// driftGarbage is how much garbage there may be, in percent of the memory in use. Drift keeps much that
// is not garbage, in large pieces without pointers, so that to collect often costs little. A soft limit
// of the memory costs as much as the reading of a million IDs once what is kept is more than that.
const driftGarbage = 10

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

  --as text  a line for each reason
  --as csv   a row for each reason: what it is, the param, its values, the series
  --as json  one object

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
			if err != nil {
				return err
			}
			if len(old) == 0 || len(new) == 0 {
				return errors.New("want two sets of files, as in perfdata drift old.json -- new.json")
			}
			j.noteSame(old, new)
			report, err := j.drift(old, new, aliases)
			if err != nil {
				return err
			}
			return j.printDrift(report)
		},
	}
	j = t.addJudgeFlags(cmd, driftForms, failDrift)
	t.addJudgeReadingFlags(cmd)
	cmd.Flags().StringVar(&aliases, "alias", "", "a `FILE` of params that continue others: QUERY -> key=value&...")
	for _, name := range []string{"better", "exact", "threshold", "alpha", "commits", "by"} {
		cmd.Flags().MarkHidden(name) // they do not matter
	}
	return cmd
}

// drift reads two sets of inputs, and reports why their series differ.
func (j *judge) drift(old, new []string, aliasFile string) (*drift.Report, error) {
	j.setMemoryLimit(math.MaxInt64)
	j.setGCPercent(driftGarbage)
	j.notIdentity, j.withoutIDs = []string{"commit", "commit-time"}, true
	aliases, err := j.readAliases(aliasFile)
	if err != nil {
		return nil, err
	}

	c := drift.Collector{Charset: j.charset}
	for side, names := range [][]string{old, new} {
		j.begin = func(from *sourceInfo) { c.File(drift.Side(side), from.name) }
		err := j.read(names, func(at *series.Point, _ *sourceInfo) error {
			params := at.Identity
			if aliases != nil {
				var err error
				if params, err = aliases.Apply(params); err != nil {
					return err
				}
			}
			return c.Add(params, at.Record.Value)
		})
		if err != nil {
			return nil, err
		}
	}
	return c.Report(), nil
}

func (j *judge) readAliases(name string) (*drift.Aliases, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was read only
	return drift.ReadAliases(file, name, j.charset)
}

// printDrift prints a report, and makes drift the exit status.
func (j *judge) printDrift(r *drift.Report) error {
	if j.form == "json" {
		_, err := fmt.Fprintf(j.data, "%s\n", marshal(struct {
			*drift.Report
			Unjudged []unjudged `json:"unjudged"`
		}{r, j.listUnjudged()}))
		j.finish(r.HasDrifted() && j.failOn[failDrift])
		return err
	}
	if j.form == "csv" {
		j.finish(r.HasDrifted() && j.failOn[failDrift])
		return j.printDriftCSV(r)
	}

	lines := driftLines(r)
	summary := fmt.Sprintf("%s and %d new: %d vanished, %d appeared, %d the same",
		plural(r.OldFiles, "old file"), r.NewFiles, r.Vanished, r.Appeared, r.Same)
	if len(lines) == 0 && r.Vanished+r.Appeared == 0 {
		j.note("%s", summary)
	} else {
		fmt.Fprintln(j.stdout, summary)
	}
	for _, line := range lines {
		fmt.Fprintf(j.stdout, "  %s\n", visible.String(line))
	}
	j.printUnjudged()
	j.finish(r.HasDrifted() && j.failOn[failDrift])
	return nil
}

// driftLines returns a line for each reason of a report.
func driftLines(r *drift.Report) []string {
	var lines []string
	for _, reason := range r.Reasons() {
		if reason.Text != "" {
			lines = append(lines, reason.Text)
		}
	}
	return lines
}

func seriesText(n int) string { return fmt.Sprintf("%d series", n) }

// maxDriftLines is the number of series that cannot be judged, of those that are listed.
const maxDriftLines = 20

// printUnjudged lists what could not be judged, for people.
func (j *judge) printUnjudged() {
	if len(j.unjudged) == 0 {
		return
	}
	fmt.Fprintf(j.stdout, "\ncannot be judged:\n")
	for i := range j.unjudged {
		if i == maxDriftLines {
			break
		}
		fmt.Fprintf(j.stdout, "  %s\n", visible.String(j.unjudged[i].String()))
	}
	if more := len(j.unjudged) + j.left - maxDriftLines; more > 0 {
		fmt.Fprintf(j.stdout, "  %d more\n", more)
	}
}

// listUnjudged returns what could not be judged, for JSON.
func (j *judge) listUnjudged() []unjudged {
	all := append([]unjudged{}, j.unjudged...)
	if j.left > 0 {
		all = append(all, unjudged{Reason: fmt.Sprintf("%d more", j.left)})
	}
	return all
}
