package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/store"
)

// storeDiffCommand returns the command that compares two commits by their medians alone. It is for
// a look at a database; compare and check tell changes from noise.
func (t *tool) storeDiffCommand() *cobra.Command {
	var options store.DiffOptions
	var ignored []string
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
			named, err := commitsNamed(ctx, s, options.Trial, args)
			if err != nil {
				return err
			}

			// A trace has a line, and there may be a million.
			isEmpty := true
			changes := s.Diff(ctx, named[0], named[1], options)
			if len(ignored) > 0 {
				changes = diffWithout(ctx, s, named, options, ignored)
			}

			for c, err := range changes {
				if err != nil {
					return err
				}
				isEmpty = false
				line := fmt.Appendf(nil, "%s\t%s\t", c.Trace.ID, chars.Visible(c.Trace.Unit))
				line = append(appendValue(line, c.Old), '\t')
				line = appendValue(line, c.New)
				line = fmt.Appendf(line, "\t%+.1f%%\n", 100*(c.Ratio()-1))
				if _, err := t.data.Write(line); err != nil {
					return err
				}
			}

			if isEmpty { // also if each trace is at one of the commits only
				t.note("no trace that has values at both commits changed; --ignore cpu compares those that differ " +
					"only in that param")
			}
			return nil
		}),
	}
	cmd.Flags().Func("threshold", "the smallest `CHANGE` that is printed, such as 5%", setPart(&options.Threshold))
	cmd.Flags().Lookup("threshold").DefValue = "0%" // for the usage
	addFunc(cmd, "ignore", "the params `KEY,...` do not tell series apart, e.g. cpu where runners change it",
		setKeys(&ignored))
	addTrialFlag(cmd, &options.Trial)
	t.addOutputFlag(cmd)
	return cmd
}

// diffWithout iterates over the changes of the series without params that are not part of their
// identity.
func diffWithout(
	ctx context.Context, s *store.Store, commits []string, options store.DiffOptions, ignored []string,
) iter.Seq2[*store.Change, error] {
	return func(yield func(*store.Change, error) bool) {
		a := series.Answer{
			NotIdentity: append([]string{"commit", "commit-time", "date"}, ignored...), Charset: s.Charset(),
		}
		if err := a.Ask(ctx, series.Old, &series.Question{Trial: options.Trial, Commits: commits}, s); err != nil {
			yield(nil, err)
			return
		}

		named, _ := a.Named()
		for i, name := range commits {
			if len(named[i]) == 0 { // it cannot name several: commitsNamed would have said so
				yield(nil, fmt.Errorf("commit %q is not in the store", name))
				return
			}
		}

		a.Sort()
		all := a.Series()
		slices.SortFunc(all, byTrace)
		for _, one := range all {
			c := store.Change{Trace: store.Trace{ID: one.Trace, Params: one.Identity, Unit: one.Unit}}
			c.Old, c.New = series.Median(one.AppendSide(nil, series.Old)), series.Median(one.AppendSide(nil, series.New))
			isChange := c.Old != c.New && math.Abs(c.New-c.Old) >= options.Threshold*math.Abs(c.Old) // not of NaN
			if isChange && !yield(&c, nil) {
				return
			}
		}
	}
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

// setPart returns a function that sets a part, as in 5% or 0.05. Unlike --threshold of the commands
// that judge, it may be more than 100%: medians can double.
func setPart(part *float64) func(string) error {
	return func(text string) (err error) {
		number, isPercent := strings.CutSuffix(text, "%")
		*part, err = strconv.ParseFloat(number, 64)
		if isPercent {
			*part /= 100
		}
		if err != nil || !(*part >= 0) {
			return fmt.Errorf("%q: want a number that is not negative, such as 5%% or 0.05", text)
		}
		return nil
	}
}
