package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
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
			// First, so that a list can be replaced by one command.
			if forget {
				if err := s.DeleteCommits(ctx, repository); err != nil || len(args) == 0 {
					return err
				}
			}

			if len(args) > 0 {
				return t.setCommits(ctx, s, repository, args[0])
			}
			return t.printCommits(ctx, s, trial)
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
	fmt.Fprintf(out, "%s: a list of %s%s\n", chars.Visible(inputName(name)),
		message.Plural(summary.Listed-summary.Kept, "commit"), kept)
}

// setCommits gives a store the list of commits in a file.
func (t *tool) setCommits(ctx context.Context, s *store.Store, repository, name string) error {
	// A fault in the list is one of an input, and nothing is changed.
	list, err := t.readList(name)
	if err != nil {
		t.report(err)
		return nil
	}

	summary, err := s.SetCommits(ctx, repository, list)
	if err != nil {
		return err
	}
	printList(t.data, name, summary)
	fmt.Fprintf(t.data, "measured commits: %d in a list, %d in none, %d ambiguous\n",
		summary.Matched, summary.Unmatched, summary.Ambiguous)
	// A short hash that was unique when it was recorded may not be any more.
	if len(summary.AmbiguousNames) > 0 {
		t.note("each is the beginning of several hashes: %s", strings.Join(summary.AmbiguousNames, ", "))
	}
	return nil
}

// readList reads a list of commits from a file, or from standard input. It is read to its end
// before anything is changed, because it may come from a slow program.
func (t *tool) readList(name string) ([]series.Commit, error) {
	if name == "-" {
		t.noteTerminal()
		return series.ReadCommits(t.stdin, inputName(name))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was read only, so an error does not matter
	return series.ReadCommits(file, name)
}

// printCommits prints a line for each commit.
func (t *tool) printCommits(ctx context.Context, s *store.Store, trial store.Trial) error {
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
		_, err := fmt.Fprintf(t.data, "%s\t%s\t%s\n", commitText(c.Name, c.Run), when, chars.Visible(c.Listed.Subject))
		if err != nil {
			return err
		}
	}
	return nil
}

// commitText returns a commit for people, or the run of measurements that name none.
func commitText(commit, run string) string {
	if commit == "" {
		commit = "(no commit, run " + run + ")"
	}
	return chars.Visible(commit)
}
