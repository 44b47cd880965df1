package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/compare"
	"perfdata/series/judgment"
	"perfdata/store"
)

// reportCommand returns the command that writes a page. It has the flags of the commands that
// judge, but no --as and no --fail-on: to fail a build, check and compare have their verdicts.
func (t *tool) reportCommand() *cobra.Command {
	j := &judge{tool: t, options: compare.DefaultOptions()}
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
links to the commits. The address of the page contains what it shows, so it can be
sent to others. Everything works by keyboard, and each plot has its values as a table.

With --, the page also compares two sets of files, as perfdata compare does: a table
with the ratios, their intervals, and the verdicts, the worst first.

With --trial, it judges the values of a change under review as perfdata check
--trial does. The trial's values in the databases are the new side. The old side is
the rest of each series, since its last change. The chart shows the trial after the
last commit.

The value of a commit is the median of its repetitions. Values that are not integers
are rounded to seven digits.

The order of the commits comes from --commits, a database, or a history such as
data.js; otherwise it follows their times or the files, and the page says so.
With the list that this prints, the page has authors and subjects:

  git log --topo-order --format='%H %P%x09%ct%x09%an%x09%s'

Links to commits come from the results, or from --commit-url. The address of a
finding is page.html#f-ID, with the id that perfdata changes --as json gives it.

A finding that is accepted in the file of --known is shown apart, with the reason, and
a change of a trial has the reason beside its verdict. The button "Accept…" at a
finding copies its lines for that file, which perfdata check also reads.

Measurements that cannot be read are listed in the page, and the rest is shown. The
exit status is 1 if nothing of an input can be read or a limit ended the reading, and
otherwise 0, unless --strict is given.`,
		Example: `  perfdata report -o page.html dev/bench/data.js
  perfdata report -o page.html --commits commits.txt perf.db
  perfdata report -o page.html --commit-url 'https://host/{commit}' -r results
  perfdata report -o page.html old/*.txt -- new/*.txt
  perfdata report -o page.html --trial 1234/2 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}

	cmd.Flags().StringVar(&r.title, "title", "", "the `TEXT` above the page (default: the names of the files)")
	cmd.Flags().StringVar(&r.postedFile, "posted", "",
		"a `FILE` with the JSON of perfdata changes, whose ids findings keep")
	cmd.Flags().StringVar(&r.knownFile, "known", "", "a `FILE` of accepted changes: QUERY COMMIT REASON")
	addFunc(cmd, "commit-url", "the `ADDRESS` of a commit, with {commit} for its hash, e.g. 'https://host/{commit}'",
		func(text string) error {
			r.commitURL = text
			return report.CheckCommitURL(text) // a browser could run some
		})
	j.addSeriesFlags(cmd)
	addTrialFlag(cmd, &r.trial)
	return cmd
}

// A reporter reads series and writes a page of them.
type reporter struct {
	*judge
	title      string
	postedFile string
	knownFile  string
	commitURL  string // of --commit-url, or of the first measurement with a link to its commit

	compares bool
	names    []string // of the sides of a comparison

	trial store.Trial // whose values are compared with all others; empty for none
}

// run reads all inputs, and writes the page at the end: it begins with findings over all series.
func (r *reporter) run(cmd *cobra.Command, args []string) error {
	// This is known before anything is read, and reading may take long.
	if r.isTerminal(r.out) {
		return errors.New("the output is a page of HTML, and standard output is a terminal: use -o FILE")
	}
	// Two arguments are two sets only with --: a page of two files is as likely.
	files, more, err := r.sets(cmd, args)
	if err != nil {
		return err
	}
	isTrial := r.trial != store.Trial{}
	r.compares = cmd.ArgsLenAtDash() >= 0
	if r.compares && (len(files) == 0 || len(more) == 0 || isTrial) {
		return errors.New("want two sets of files, as in perfdata report -o page.html old.txt -- new.txt, " +
			"or the trial of a database, as in perfdata report -o page.html --trial 123/4 perf.db")
	}
	if !r.compares {
		files, more = append(files, more...), nil
	}
	// This bounds the memory of the command, and the size of the page: one with more values could
	// be written, but no browser would show it. At 16 bytes each, they take 40 MB.
	r.answer.MaxValues = 2_500_000
	if err := r.collect(files, more, isTrial); err != nil {
		return err
	}
	r.names = judging.SetNames(files, more)
	files = append(files, more...)
	r.answer.Sort()
	all, err := r.settled()
	if err != nil {
		return err
	}
	r.checkList()

	page, err := r.page(all)
	if err != nil {
		return err
	}
	page.Title = cmp.Or(r.title, titleOf(files))
	// A page without values is written, too: it lists the faults, and the status tells a script
	// that it is empty.
	if err := report.Write(r.data, page); err != nil {
		return err
	}
	r.reportUnread()
	// Faults are in the page. Without the page, the first one is in the error.
	if r.status == statusFailed && r.failure == nil && len(r.skips.All) > 0 { // then the page is not written
		r.failure = errors.New(r.skips.All[0].String())
	}
	nothing := ""
	switch {
	case r.answer.Len() > 0:
	case isTrial:
		nothing = fmt.Sprintf("--trial %s/%s: it has no values", r.trial.Issue, r.trial.Patchset)
	default:
		nothing = "nothing to show: no measurement was read"
	}
	// No verdict is counted, so the status is never 3: people read the page, and check fails
	// builds.
	r.finish(nothing, nil)
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
	switch {
	case len(files) == 2 && !strings.Contains(files[0]+files[1], "://"):
		title += " and " + filepath.Base(inputName(files[1]))
	case len(files) > 1:
		title += fmt.Sprintf(" and %d more", len(files)-1)
	}
	return title
}

// collect asks files and stores, which are the old or the new ones of a comparison, or have the
// trial.
func (r *reporter) collect(files, more []string, isTrial bool) (err error) {
	// A trial without values is likely a typo, so it is looked for before all else is read.
	if isTrial {
		err = r.ask(series.New, &series.Question{Trial: r.trial}, files)
	}
	// One link is enough, because those of all commits differ in the hash only.
	r.answer.Seen = func(rec *format.Record, commit string) {
		if r.commitURL == "" {
			r.commitURL = report.CommitURLOf(rec.Links, commit)
		}
	}
	// The rest of the database, the mainline, is the old side of a trial too.
	if err == nil && (!isTrial || r.answer.Len() > 0) {
		err = r.ask(series.Old, &series.Question{}, files)
	}
	if err == nil {
		err = r.ask(series.New, &series.Question{}, more)
	}
	const most = 100_000 // series, for the same reason as values
	switch {
	case err == nil && r.answer.Len() > most:
		return fmt.Errorf("too many series: want at most %d; --match selects some", most)
	case errors.Is(err, format.ErrLimit):
		return fmt.Errorf("%w; --match selects some", err)
	}
	return err
}

// page makes the page of the series that were read. The two sets of a comparison are one sequence
// of commits in the charts, so a page looks the same with and without a comparison.
func (r *reporter) page(all []*series.Series) (*report.Page, error) {
	page := &report.Page{CommitURL: r.commitURL, Commits: report.CommitsOf(&r.answer), Charset: r.charset}
	// Unlike the other forms of judgments, a page is read without the output of the command, so it
	// also has the faults of files.
	page.Problems = r.skips.Lines(true, true)
	var err error
	// FindChanges needs both files: it takes over ids, and gives accepted findings their reasons.
	if page.Posted, err = r.readPosted(r.postedFile); err != nil {
		return nil, err
	}
	if page.Accepted, err = readNamed(r.knownFile, accepted.Read); err != nil {
		return nil, err
	}
	known := r.findKnown(r.knownFile, page.Accepted)

	isTrial := r.trial != (store.Trial{})
	// A commit that both sets have is on the axis twice, so that the values of a set stay together.
	if r.compares {
		page.Commits = append(page.Commits, r.answer.NewCommits...)
	} else if isTrial { // the series of the trial alone are after the others, in the chart too
		ofTrial := func(s *series.Series) bool { return !s.Has(series.Old) }
		history := slices.DeleteFunc(slices.Clone(all), ofTrial)
		all = append(history, slices.DeleteFunc(slices.Clone(all), func(s *series.Series) bool { return !ofTrial(s) })...)
	}

	// A chart is only as good as the order of its commits, so the page says where it is from.
	if len(r.answer.Commits) > 1 || isTrial && len(page.Commits) > 1 {
		page.Notes = append(page.Notes, r.answer.Order.String())
	}
	// With two sets, the axis is not the order of the repository, for which a reader would take it.
	if r.compares {
		page.Notes = append(page.Notes, fmt.Sprintf("the commits of %s come after those of %s", r.names[1], r.names[0]))
	}

	// The lines are in the order of all, by whose index findings and rows name them from here on.
	for _, s := range all {
		line := report.LineOf(s)
		if r.compares {
			line.Points = report.AppendPoints(line.Points, s.Samples(series.New), len(r.answer.Commits))
		}
		page.Series = append(page.Series, line)
	}
	// This precedes the search, which notes that nothing was found unless the page has a
	// comparison: the table may say otherwise.
	if r.compares {
		r.compare(page, all)
	}
	// Changes are looked for in the history: the trial has one commit, and its judgment is the
	// table.
	page.FindChanges(r.options.Alpha, r.options.Threshold)
	if isTrial {
		return page, r.judgeTrial(page, all, known)
	}
	return page, nil
}

// compare adds the comparison of the two sets to a page of all series.
func (r *reporter) compare(page *report.Page, all []*series.Series) {
	found := compare.NewComparer(r.options).Compare(all, compare.Rule{})
	page.Comparison = &report.Comparison{Old: r.names[0], New: r.names[1]}
	r.addJudgments(page, all, found.Rows)
	w := judging.Judgments{Rows: found.Rows, Sides: r.names}
	// The table shows medians, and not the commits that they are of, so that the notes say it.
	for _, line := range judging.Shown(w.Levels()) {
		page.Notes = append(page.Notes, judging.SinceStep+": "+line)
	}
	// These series have no row, as there is nothing to compare, so that only a note tells of them.
	for i, only := range [][]*series.Series{found.OnlyOld, found.OnlyNew} {
		if n := len(only); n > 0 {
			page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", n, r.names[i]))
		}
	}
}

// addJudgments adds judgments to the table of a page of all series. A series that cannot be judged
// has a line with the reason in place of a row.
func (r *reporter) addJudgments(page *report.Page, all []*series.Series, rows []*judgment.Judgment) {
	// Judgments are sorted by what they say, so the line of each is looked up by its series.
	index := make(map[*series.Series]int, len(all))
	for i, s := range all {
		index[s] = i
	}
	for _, j := range rows {
		if j.Reason != "" {
			page.Problems = append(page.Problems, j.Series.Trace+": "+j.Reason)
			continue
		}
		page.Comparison.Rows = append(page.Comparison.Rows, report.Row{Line: index[j.Series], Judgment: j})
	}
}

// judgeTrial adds the values of the trial to a page of all series, after the last commit, and what
// the command check says of them with the same accepted changes.
func (r *reporter) judgeTrial(page *report.Page, all []*series.Series, known []knownChange) error {
	name := "trial " + r.trial.Issue + "/" + r.trial.Patchset
	page.Comparison = &report.Comparison{Old: "history", New: name}
	c := &checking{judge: r.judge, known: known}
	rows, err := c.judgeSeries(all)
	if err != nil {
		return err
	}
	r.addJudgments(page, all, rows)

	// The trial is one more commit, to which the chart gives a place. Its name has a blank, so the
	// page does not take it for a hash and makes no link of it.
	at, only := len(page.Commits), 0
	page.Commits = append(page.Commits, series.Commit{Hash: name})
	for i, s := range all {
		// The check has no judgment of a series without a history, so these are counted for a note.
		if !s.Has(series.Old) {
			only++
		}
		// A point is the median of all values, of whatever runs of the trial.
		if values := s.AppendSide(nil, series.New); len(values) > 0 {
			page.Series[i].Points = append(page.Series[i].Points, report.PointOf(at, values))
		}
	}
	if only > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", only, name))
	}
	return nil
}
