package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/store"
)

// storeDiffCommand returns the command that compares two commits by their medians alone. It is for
// a look at a database; compare and check tell changes from noise.
func (t *tool) storeDiffCommand() *cobra.Command {
	var trial store.Trial
	var ignored []string
	threshold := 0.0
	cmd := &cobra.Command{
		Use:   "diff DATABASE COMMIT COMMIT",
		Short: "Print what changed from one commit to another",
		Long: `Print a line for each trace whose median has changed from the first commit to the
second: the trace, its unit, both medians, and the change in percent, separated by
tabs. Traces that lack values at one of the commits are left out.

The commits are as perfdata store commits prints them; each may be the beginning of a
hash. The command shows differences, and does not test whether they are noise.`,
		Example: "  perfdata store diff --threshold 5% perf.db 7cd9055 3a1f09c",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			named, err := commitsNamed(ctx, s, trial, args)
			if err != nil {
				return err
			}

			isEmpty := true
			question := &series.Question{Trial: trial, Commits: named}
			err = eachDiff(ctx, s, question, ignored, func(one *series.Series) error {
				before := series.Median(one.AppendSide(nil, series.Old))
				after := series.Median(one.AppendSide(nil, series.New))
				if before == after || !(math.Abs(after-before) >= threshold*math.Abs(before)) { // also NaN
					return nil
				}
				isEmpty = false
				line := fmt.Appendf(nil, "%s\t%s\t", one.Trace, chars.Visible(one.Unit))
				line = append(appendValue(line, before), '\t')
				line = appendValue(line, after)
				line = fmt.Appendf(line, "\t%+.1f%%\n", 100*(after/before-1))
				_, err := t.data.Write(line)
				return err
			})
			if err == nil && isEmpty { // also if each trace is at one of the commits only
				t.note("no trace that has values at both commits changed; --ignore cpu compares those that differ " +
					"only in that param")
			}
			return err
		}),
	}
	// Unlike with the commands that judge, it may be more than 100%: medians can double.
	cmd.Flags().Func("threshold", "the smallest `CHANGE` that is printed, such as 5%",
		setNumber(&threshold, true, math.Inf(1)))
	cmd.Flags().Lookup("threshold").DefValue = "0%" // for the usage
	addFunc(cmd, "ignore", "the params `KEY,...` do not tell series apart, e.g. cpu where runners change it",
		setKeys(&ignored))
	addTrialFlag(cmd, &trial)
	return cmd
}

// eachDiff calls do with the series that have values at the commits of a question, in the order of
// their traces, without params that are not part of their identity.
func eachDiff(
	ctx context.Context, s *store.Store, q *series.Question, ignored []string, do func(*series.Series) error,
) error {
	a := series.Answer{Charset: s.Charset()}
	if len(ignored) == 0 { // there may be a million series: they are not held in memory
		if err := a.Each(ctx, q, s, do); err != nil {
			return err
		}
		return checkFound(&a, q)
	}

	a.NotIdentity = append([]string{"commit", "commit-time", "date"}, ignored...)
	if err := cmp.Or(a.Ask(ctx, series.Old, q, s), checkFound(&a, q)); err != nil {
		return err
	}
	all := a.Series()
	slices.SortFunc(all, byTrace)
	for _, one := range all {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// checkFound returns an error if the store lacks a commit of a question. It cannot have several:
// see commitsNamed.
func checkFound(a *series.Answer, q *series.Question) error {
	found, _ := a.Named()
	for i, name := range q.Commits {
		if len(found[i]) == 0 {
			return fmt.Errorf("commit %q is not in the store", name)
		}
	}
	return nil
}

// commitsNamed returns the names of the commits of a store that texts mean, each of which may be
// the beginning of a hash. A text that means none stays as it is: it may be the name of a commit.
func commitsNamed(ctx context.Context, s *store.Store, trial store.Trial, texts []string) ([]string, error) {
	stored, _, err := s.Commits(ctx, trial)
	if err != nil {
		return nil, err
	}
	list := make([]series.Commit, len(stored))
	for i := range stored {
		list[i].Hash = stored[i].Name
	}
	named := slices.Clone(texts)
	for i, text := range texts {
		switch index, n := series.FindCommit(list, text); {
		case n == 1:
			named[i] = list[index].Hash
		case n > 1:
			return nil, fmt.Errorf("%s is the beginning of %d commits", text, n)
		}
	}
	return named, nil
}
