package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/store"
)

// storeCommitsCommand returns the command about the order of commits. Nothing in a file of results
// says which commit comes first; a list of the repository does.
func (t *tool) storeCommitsCommand() *cobra.Command {
	var trial store.Trial
	repository, forget := "", false
	cmd := &cobra.Command{
		Use:   "commits DATABASE [LIST]",
		Short: "Print the commits in their order, or give the list that decides the order",
		Long: `Print a line for each commit with measurements, the oldest first: the commit, its
time and its subject, separated by tabs. A note on standard error says how they are
ordered, and whether that is a guess.

With LIST, a file or - for standard input, give the database the commits of the
repository, as one of these prints them:

  git log --topo-order --format='%H %P%x09%ct%x09%an%x09%s'
  git rev-list --reverse HEAD

After that, values are in the order of the list, including values of commits that were
measured late. Commits of an earlier list are kept, unless --forget is given.`,
		Example: "  git rev-list --reverse HEAD | perfdata store commits perf.db -\n  perfdata store commits perf.db",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			if len(args) > 0 {
				return t.setCommits(ctx, s, repository, args[0], forget)
			}
			if forget {
				return s.DeleteCommits(ctx, repository)
			}

			commits, order, err := s.Commits(ctx, trial)
			if err != nil {
				return err
			}
			t.note("%v", order)
			for _, c := range commits {
				// The columns stay where they are without a time: a script cuts lines at the tabs.
				when := ""
				if !c.Time.IsZero() {
					when = c.Time.Format(time.RFC3339)
				}
				subject := chars.Visible(c.Listed.Subject)
				if _, err := fmt.Fprintf(t.data, "%s\t%s\t%s\n", commitText(c.Name, c.Run), when, subject); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	addTrialFlag(cmd, &trial)
	cmd.Flags().StringVar(&repository, "repository", "", "the `NAME` of the repository of LIST, if there are several")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget the list that was given before")
	return cmd
}

// printList prints what became of a list that a store was given.
func printList(out io.Writer, name string, summary store.ListSummary) {
	kept := ""
	if summary.Kept > 0 {
		kept = fmt.Sprintf(", and %d that only an earlier list has", summary.Kept)
	}
	// Listed has the kept commits, too. They are subtracted, because the line is about the file that
	// the user gave.
	fmt.Fprintf(out, "%s: a list of %s%s\n", chars.Visible(inputName(name)),
		message.Plural(summary.Listed-summary.Kept, "commit"), kept)
}

// setCommits gives a store the list of commits in a file. With forget, the list replaces the earlier
// one; otherwise, commits that only the earlier list has are kept: see store.SetCommits.
func (t *tool) setCommits(ctx context.Context, s *store.Store, repository, name string, forget bool) error {
	// A fault in the list is one of an input, and nothing is changed.
	list, err := t.readList(name)
	if name == "" { // as from a variable of a script that is not set: an empty list would be one
		err = errors.New("the name of LIST is empty")
	}
	if err != nil {
		// The exit status is 1 for a fault in the list, and 2 for a file that cannot be read.
		t.report(err)
		return nil
	}

	set := s.SetCommits
	if forget {
		set = s.ReplaceCommits
	}
	summary, err := set(ctx, repository, list)
	if err != nil {
		return err
	}
	printList(t.data, name, summary)
	// If the list is of another repository, or the files name their commits otherwise, these numbers
	// show that the list has none of the measured commits.
	fmt.Fprintf(t.data, "measured commits: %d in a list, %d in none, %d ambiguous\n",
		summary.Matched, summary.Unmatched, summary.Ambiguous)
	// A short hash that was unique when it was recorded may not be any more. The store places such a
	// commit as if no list had it, and returns the first 20 names.
	if len(summary.AmbiguousNames) > 0 {
		t.note("each is the beginning of several hashes: %s", strings.Join(summary.AmbiguousNames, ", "))
	}
	return nil
}

// readList reads a list of commits from a file, or from standard input, if it has a name. It is
// read to its end before anything is changed, because it may come from a slow program.
// series.ReadCommits bounds the memory: it refuses a list of more than 5,000,000 commits or 1 GiB.
func (t *tool) readList(name string) ([]series.Commit, error) {
	if name == "-" {
		t.noteTerminal()
		return series.ReadCommits(t.stdin, inputName(name))
	}
	return readNamed(name, series.ReadCommits)
}

// commitText returns a commit for people, or the run of measurements that name none. Without a
// commit, only the run tells the measurements of two files apart.
func commitText(commit, run string) string {
	return chars.Visible(cmp.Or(commit, "(no commit, run "+run+")"))
}

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
				// The threshold is a share of the first median, so that one value serves traces of any unit. If
				// the first median is 0, every change is above it, and is printed as infinite.
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
			// Without the note, a user could not tell equal medians from commits that share no trace. A
			// change of the CPU between two runs is a reason for the latter.
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
	// The check runs before the first series is passed on, or at the end if there is none. A text that
	// is the beginning of several hashes selects the values of all these commits, so a difference
	// would be one of a mixture.
	check := sync.OnceValue(func() error { // when the store has told its commits, which it does first
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
	})

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

	// The first three keys are the default of the field, which the list replaces. Without the ignored
	// params, several series of the store become one, so all of them are held until the last is read.
	a.NotIdentity = append([]string{"commit", "commit-time", "date"}, ignored...)
	if err := cmp.Or(a.Ask(ctx, series.Old, q, s), check()); err != nil {
		return err
	}
	for _, one := range slices.SortedFunc(slices.Values(a.Series()), byTrace) {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}
