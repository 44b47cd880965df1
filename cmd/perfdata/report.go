package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/report"
	"perfdata/series"
	"perfdata/store"
)

func (t *tool) reportCommand() *cobra.Command {
	j := &judge{tool: t, threshold: 0.05, alpha: 0.05}
	r := &reporter{judge: j}
	cmd := &cobra.Command{
		Use:   "report FILE... | OLD... -- NEW... | --trial ISSUE/PATCHSET STORE...",
		Short: "Write a page that shows what changed, and all series, for a browser",
		Long: `Write one page of HTML, which needs no server and no network. It begins with what
changed by more than the threshold, the worst first, with a plot of each: changes of
several series at the same commits are one finding. Then it has a chart of any
series over the commits, and a list of all series to search, narrow and sort. It
shows the value of each commit, the difference to the previous one, the number of
repetitions and their range, dates, authors and subjects where they are known, and
links to the commits. The address of the page has what it shows, so that it can be
sent to others. All can be done by keyboard, and each plot has its values as a table.

With --, the page also compares two sets of files, as perfdata compare does: a table
with the ratios, their intervals, and the verdicts, the worst first.

With --trial, it judges the values of a change under review as perfdata check
--trial does. The trial's values in the databases are the new side. The old side is
the rest of each series, since its last change. The chart shows the trial after the
last commit.

The value of a commit is the median of its repetitions. Values that are not integers
are rounded to seven digits.

The order of the commits is that of --commits, of a database, or of a history such
as data.js; otherwise it is that of their times or of the files, and the page says so.
With the list that this prints, the page has authors and subjects:

  git log --topo-order --format='%H %P%x09%ct%x09%an%x09%s'

Links to commits are those that the results give, or --commit-url.

Measurements that cannot be read are listed in the page, and the rest is shown. Exit
status 1 if nothing of an input can be read; 0 else, unless --strict is given.`,
		Example: `  perfdata report -o page.html dev/bench/data.js
  perfdata report -o page.html --commits commits.txt perf.db
  perfdata report -o page.html --commit-url 'https://host/{commit}' -r results
  perfdata report -o page.html old/*.txt -- new/*.txt
  perfdata report -o page.html --trial 1234/2 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}

	cmd.Flags().StringVar(&r.title, "title", "", "the `TEXT` above the page (default: the names of the files)")
	cmd.Flags().Var(textFlag{"url", r.setCommitURL}, "commit-url",
		"the `ADDRESS` of a commit, with {commit} for its hash, e.g. 'https://host/{commit}'")
	complete(cmd, "title")
	complete(cmd, "commit-url")
	cmd.Flags().Var(textFlag{"share", j.setThreshold}, "threshold", "`SHARE` that a finding must exceed (default 5%)")
	complete(cmd, "threshold")
	j.addSeriesFlags(cmd)
	t.addJudgeReadingFlags(cmd)
	addTrialFlag(cmd, &r.trial)
	return cmd
}

// A reporter reads series and writes a page of them.
type reporter struct {
	*judge
	title     string
	commitURL string // of --commit-url, or of the first measurement with a link to its commit

	timeline  series.Timeline
	collector series.Collector
	compares  bool
	sides     series.Collector // the values of a comparison
	names     [2]string        // of its sides
	stored    []series.Commit  // the commits of the stores, in their order
	order     string           // of the only store

	trial       store.Trial // whose values are compared with all others; empty for none
	trialValues series.Collector
}

// These bound the memory of the command, and the size of the page, which a browser must hold too.
const (
	maxReportValues = 2_500_000
	maxReportSeries = 100_000
)

func (r *reporter) setCommitURL(text string) error {
	r.commitURL = text
	return report.CheckCommitURL(text)
}

func (r *reporter) run(cmd *cobra.Command, args []string) error {
	if r.isTerminal(r.out) {
		return errors.New("the output is a page of HTML, and standard output is a terminal: use -o FILE")
	}
	r.prints = true
	listed, err := r.listed()
	if err != nil {
		return err
	}
	files, more, err := r.sets(cmd, args)
	if err != nil {
		return err
	}
	r.compares = cmd.ArgsLenAtDash() >= 0
	if r.compares && (len(files) == 0 || len(more) == 0 || r.trial != store.Trial{}) {
		return errors.New("want two sets of files, as in perfdata report -o page.html old.txt -- new.txt, " +
			"or the trial of a database, as in perfdata report -o page.html --trial 123/4 perf.db")
	}
	r.collector.MaxValues = maxReportValues
	for column, names := range [][]string{files, more} {
		if err := r.collect(names, column, len(args) == 1); err != nil {
			return err
		}
	}
	r.names = [2]string{setName(files, "old"), setName(more, "new")}
	files = append(files, more...)
	if err := r.readTrial(files); err != nil {
		return err
	}
	if listed == nil {
		listed = r.stored
	}

	page, err := r.page(listed)
	if err != nil {
		return err
	}
	page.Title = r.title
	if r.title == "" {
		page.Title = titleOf(files)
	}
	if err := report.Write(r.data, page); err != nil {
		return err
	}
	switch n := len(r.unjudged) + r.left; {
	case n == 0:
	case r.status == statusFailed && r.failure == nil: // then the page is not written
		r.failure = errors.New(r.unjudged[0].String())
	case n == 1:
		r.note("the page lists 1 fault")
	default:
		r.note("the page lists %d faults", n)
	}
	r.reportUnmatched("measurement")
	r.finish(false)
	return nil
}

// titleOf returns the title of a page about files.
func titleOf(files []string) string {
	if len(files) == 0 {
		return "no files"
	}
	title := filepath.Base(inputName(files[0]))
	if strings.Contains(files[0], "://") {
		title = "results" // the address may hold a password
	}
	if len(files) > 1 {
		title += fmt.Sprintf(" and %d more", len(files)-1)
	}
	return title
}

// collect reads the values of files and stores, which are the old or the new ones of a comparison. It
// may be the only one of all.
func (r *reporter) collect(files []string, column int, only bool) error {
	for _, name := range files {
		if isStore(name) {
			if err := r.readCommits(name, only); err != nil {
				return err
			}
		}
	}
	return r.read(files, func(at *series.Point, info *sourceInfo) error {
		if r.commitURL == "" {
			r.commitURL = report.CommitURLOf(at.Record.Links, at.Commit)
		}
		err := r.collector.Add(at, r.timeline.Add(at, info.number, info.isHistory))
		if err == nil && r.compares {
			err = r.sides.Add(at, column)
		}
		if err == nil && r.collector.Len() > maxReportSeries {
			err = fmt.Errorf("too many series: want at most %d", maxReportSeries)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w; --match selects some", info.name, err)
		}
		return err
	})
}

// readCommits reads the commits of a store.
func (r *reporter) readCommits(name string, only bool) error {
	return r.openStored(name, func(_ string, s *store.Store) error {
		commits, order, err := s.Commits(context.Background(), store.Trial{})
		if only {
			r.order = order.String()
		}
		for _, c := range commits {
			if c.Name == "" {
				continue
			}
			r.stored = append(r.stored, series.Commit{
				Hash: c.Name, Time: c.Time, Author: c.Listed.Author, Subject: c.Listed.Subject,
			})
		}
		return err
	})
}
