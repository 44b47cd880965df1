package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

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
			isEmpty := true
			question := &series.Question{Trial: trial, Commits: args}
			err := eachDiff(ctx, s, question, ignored, func(one *series.Series) error {
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
// their traces, without params that are not part of their identity. Each text of the question may be
// the beginning of a hash, and must name one commit.
func eachDiff(
	ctx context.Context, s *store.Store, q *series.Question, ignored []string, do func(*series.Series) error,
) error {
	a := series.Answer{Charset: s.Charset()}
	check := sync.OnceValue(func() error { return checkNamed(&a, q) }) // a store tells its commits first
	if len(ignored) == 0 {
		// There may be a million series: they are not held in memory.
		var fault error // of the texts, without what the store says of errors
		err := a.Each(ctx, q, s, func(one *series.Series) error {
			if fault = check(); fault != nil {
				return fault
			}
			return do(one)
		})
		return firstError(fault, err, check())
	}

	a.NotIdentity = append([]string{"commit", "commit-time", "date"}, ignored...)
	if err := cmp.Or(a.Ask(ctx, series.Old, q, s), check()); err != nil {
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

// checkNamed returns an error unless each text of a question names one commit of the store.
func checkNamed(a *series.Answer, q *series.Question) error {
	found, _ := a.Named()
	for i, text := range q.Commits {
		switch {
		case len(found[i]) == 0:
			return fmt.Errorf("commit %q is not in the store", text)
		case len(found[i]) > 1:
			return fmt.Errorf("%s is the beginning of %d commits", text, len(found[i]))
		}
	}
	return nil
}
