package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/series"
	"perfdata/series/check"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/store"
	"perfdata/traceid"
)

func (t *tool) checkCommand() *cobra.Command {
	var j *judge
	c := &checking{}
	cmd := &cobra.Command{
		Use:   "check HISTORY... -- NEW...",
		Short: "Judge new results against their history: what got worse",
		Long: `Judge the values of NEW against those of HISTORY: files, folders, a data.js, or a
database, with the results of several commits. One new value is enough.

New values are compared with the values since the last change of their series, and
not with the last run. They are worse if the change exceeds the threshold, and they
lie farther from the others than such values do by chance; p says how often they do,
and q is p adjusted for the number of series. More new values decide more. A change
that exceeds the threshold and lies in the usual range is within noise.

A regression fails one commit: the first at which it is certain. From then on, the
results are "worse since" the commit at which it began, and fail with --fail-on known
only. perfdata help verdicts has an example of each verdict.

--known FILE lists changes that are accepted. A line is a query, a commit and a
reason, separated by blanks; values before the commit are left out:

  name=Sort 3f2a9c1 sorts are stable now

For a change under review, --base COMMIT leaves out what is after the commit that it
is based on. With a database, --trial ISSUE/PATCHSET takes the new values from it.

Series that were renamed or vanished since the last five commits are named as drift
names them: of the history, those whose params agree with the ones that all new
series share.

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read or nothing was judged (--allow-new), 2 for usage and I/O errors.`,
		Example: `  perfdata check data.js -- new.json
  perfdata check --commits commits.txt perf.db -- bench.txt
  perfdata check --base 3f2a9c1 --trial 1234/2 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.judge = j
			if err := c.read(cmd, args); err != nil {
				return err
			}
			return c.judgeAll()
		},
	}
	j = t.addJudgeFlags(cmd, failWorse)
	t.addJudgeReadingFlags(cmd)
	addTrialFlag(cmd, &c.trial)
	cmd.Flags().StringVar(&c.base, "base", "", "the `COMMIT` of the history that the new values are based on")
	cmd.Flags().StringVar(&c.knownFile, "known", "", "a `FILE` of accepted changes: QUERY COMMIT REASON")
	cmd.Flags().BoolVar(&c.allowNew, "allow-new", false,
		"exit with 0 if all series are new, so that nothing can be judged")
	complete(cmd, "base")
	return cmd
}

// A checking is a run of check.
type checking struct {
	*judge
	trial     store.Trial
	base      string
	knownFile string
	allowNew  bool

	known    []knownChange
	rows     []*judgment.Judgment
	drift    *drift.Report
	recent   int // commits with which series are compared for drift
	counts   map[string]int
	accepted int // findings that are accepted
}

// read reads the new values, and then the history of their series.
func (c *checking) read(cmd *cobra.Command, args []string) error {
	old, new, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	isTrial := c.trial != store.Trial{}
	if len(old) == 0 || (len(new) == 0) != isTrial {
		return errors.New("want a history and new results, as in perfdata check data.js -- new.json, " +
			"or the trial of a database, as in perfdata check --trial 123/4 perf.db")
	}
	c.noteSame(old, new)
	if c.answer.List, err = c.listed(); err != nil {
		return err
	}

	question := &series.Question{Trial: c.trial}
	if isTrial {
		new = old
	}
	if err := c.ask(series.New, question, new); err != nil {
		return err
	}
	if isTrial && c.answer.Len() == 0 {
		return fmt.Errorf("--trial %s/%s: the database has no measurement of it", c.trial.Issue, c.trial.Patchset)
	}
	shared, listed, err := c.answer.Shared(series.New, c.by...)
	if err != nil {
		return err
	}
	question = &series.Question{Until: c.base}
	if slices.ContainsFunc(old, isStore) {
		question.Queries = []*traceid.Query{listed}
	}
	if err := c.ask(series.Old, question, old); err != nil {
		return err
	}
	isNew := func(s *series.Series) bool { return s.Has(series.New) }
	if n := c.answer.SortOf(isNew); n != 1 {
		return fmt.Errorf("--base %s: %s in the history", c.base, plural(n, "commit"))
	}
	if len(c.answer.Commits) == 0 { // nothing can be judged: drift says why
		c.answer.Sort()
	}
	c.checkList()
	if err := c.readKnown(); err != nil {
		return err
	}
	return c.explain(old, shared)
}

// judgeAll judges what was read.
func (c *checking) judgeAll() error {
	all := c.answer.Series()
	if err := c.judgeSeries(all); err != nil {
		return err
	}
	c.checkKeys(all)
	if err := c.table().print(); err != nil {
		return err
	}
	c.reportUnmatched("measurement")
	c.finish(c.nothing(), c.failsOn(c.counts, c.drift.HasDrifted()))
	return nil
}

// judgeSeries judges the series that have new values, the traces in their order, so that the results do not
// depend on that of the inputs.
func (c *checking) judgeSeries(all []*series.Series) error {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })
	isIn := func(s *series.Series, side int) bool { return len(s.Samples(side)) > 0 }
	judged, others := series.Judged(all, func(s *series.Series) bool { return isIn(s, series.Old) && isIn(s, series.New) })
	var inputs []check.Input
	for _, s := range judged {
		if !isIn(s, series.Old) || !isIn(s, series.New) {
			continue // drift says so
		}
		j := &judgment.Judgment{Series: s}
		var err error
		if j.Better, j.ByUnit, err = c.direction(s); err != nil {
			return err
		}
		if j.Exact, err = c.isExact(s); err != nil {
			return err
		}
		from, accepted, err := c.knownFrom(s)
		if err != nil {
			return err
		}
		history := series.CloneSamples(s.Samples(series.Old))
		history = slices.DeleteFunc(history, func(s series.Sample) bool { return s.Commit < from })
		j.Accepted = accepted
		inputs = append(inputs, check.Input{
			History: history, New: series.CloneSamples(s.Samples(series.New)), Better: j.Better, Exact: j.Exact,
		})
		c.rows = append(c.rows, j)
	}

	checker := check.Checker{Options: compare.Options{Threshold: c.threshold, Alpha: c.alpha, Confidence: 0.95}}
	for i, result := range checker.Judge(inputs) {
		c.fill(c.rows[i], &result, &inputs[i])
	}
	c.leaveOutStatistics(all, others)
	c.count()
	return nil
}

// fill makes a judgment of a result.
func (c *checking) fill(j *judgment.Judgment, r *check.Result, in *check.Input) {
	j.Old = judgment.Summary{N: r.N, Median: r.Before, Lo: r.Lo, Hi: r.Hi}
	j.New = judgment.Summary{Median: r.After, Lo: math.NaN(), Hi: math.NaN()}
	for _, sample := range in.New {
		j.New.N += len(sample.Values)
	}
	j.Ratio, j.P, j.Q, j.Verdict, j.Suspect, j.Known = r.Ratio, r.P, r.Q, r.Verdict, r.Suspect, r.Known
	j.Estimate, j.Lo, j.Hi = math.NaN(), math.NaN(), math.NaN() // no pairs are compared
	j.Needed, j.NeededRuns, j.Reason = r.Needed, r.NeededRuns, r.Reason
	if j.Verdict.IsDifferent() && r.Since < len(in.History) {
		j.Since = c.answer.Commits[in.History[r.Since].Commit].Hash
	}
	if !j.Verdict.IsDifferent() {
		j.Accepted = ""
	}
}

// nothing returns why nothing was judged, or the empty string.
func (c *checking) nothing() string {
	switch {
	case len(c.rows) > 0 || c.status != statusOK:
		return ""
	case c.answer.Len() > 0 && c.allowNew && c.drift.Vanished == 0:
		return ""
	}
	return "nothing was judged: no series is in the history and in the new results" + hintOf(c.drift)
}

// recentCommits is the number of commits of the history with which series are compared for drift.
const recentCommits = 5

// explain says which series vanished or appeared since the last commits at which the series were measured.
// Vanished are only those whose params agree with those that all new series share: the others may be of
// another machine, or another job.
func (c *checking) explain(old []string, shared *traceid.Query) error {
	var recent []string
	for _, commit := range slices.Backward(c.answer.Commits) {
		if commit.Hash != "" && len(recent) < recentCommits {
			recent = append(recent, commit.Hash)
		}
	}
	slices.Reverse(recent)
	if c.recent = len(recent); c.recent == 0 {
		c.recent = min(recentCommits, len(c.answer.Commits))
	}
	isInBoth := func(s *series.Series) bool { return s.Has(series.New) && s.Has(series.Old) }
	if !slices.ContainsFunc(c.answer.Series(), isInBoth) {
		shared = new(traceid.Query) // nothing can be judged, and another value of a shared param may be why
	}
	byTrace := func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) }

	var d drift.Collector
	d.File(drift.Old, "the history")
	last := make(map[string]float64) // values, by trace
	var history []*series.Series
	keep := func(s *series.Series, value float64) {
		if _, ok := last[s.Trace]; !ok {
			history = append(history, s)
		}
		last[s.Trace] = value
	}
	for _, s := range c.answer.Series() {
		for _, sample := range s.Samples(series.Old) {
			isLast := len(recent) == 0 && sample.Commit >= len(c.answer.Commits)-recentCommits // none has a name
			if isLast || slices.Contains(recent, c.answer.Commits[sample.Commit].Hash) {
				keep(s, sample.Values[0])
			}
		}
	}
	stores := slices.DeleteFunc(slices.Clone(old), func(name string) bool { return !isStore(name) })
	question := &series.Question{Queries: []*traceid.Query{shared}, Commits: recent, Until: c.base}
	if len(recent) == 0 {
		question.Last = recentCommits
	}
	j := &judge{tool: c.tool, by: c.by, ignored: c.ignored} // the rest of a database is only asked for these commits
	if err := j.ask(series.Old, question, stores); err != nil {
		return err
	}
	for _, s := range j.answer.Series() {
		for side := range max(len(recent), 1) {
			if values := s.AppendSide(nil, side); len(values) > 0 {
				keep(s, values[0])
			}
		}
	}
	for _, s := range slices.SortedFunc(slices.Values(history), byTrace) {
		isShared, err := shared.Match(c.charset.Canonical(s.Identity))
		if err == nil && isShared {
			err = d.Add(s.Identity, last[s.Trace])
		}
		if err != nil {
			return err
		}
	}

	d.File(drift.New, "the new results")
	for _, s := range slices.SortedFunc(slices.Values(c.answer.Series()), byTrace) {
		if values := s.AppendSide(nil, series.New); len(values) > 0 {
			if err := d.Add(s.Identity, values[0]); err != nil {
				return err
			}
		}
	}
	c.drift = d.Report()
	return nil
}

// count counts the verdicts, and sorts the rows.
func (c *checking) count() {
	c.counts = make(map[string]int)
	for _, row := range c.rows {
		if row.Accepted != "" {
			c.accepted++
		} else {
			c.counts[row.VerdictText()]++
		}
	}
	slices.SortStableFunc(c.rows, judgment.Compare)
}

// table returns what the check says.
func (c *checking) table() *verdictTable {
	all := make([]*series.Series, len(c.rows))
	for i, row := range c.rows {
		all[i] = row.Series
	}
	labels := newLabeler(all)
	t := &verdictTable{
		judge: c.judge, heading: labels.heading(), members: "series", columns: []string{"benchmark", "verdict", ""},
		summary:  cmp.Or(countsText(c.counts), "nothing was judged: no series is in the history and in the new results"),
		footer:   fmt.Sprintf("history of %s; %v", plural(len(c.answer.Commits), "commit"), c.answer.Order),
		compared: fmt.Sprintf(", against a history of %s", plural(len(c.answer.Commits), "commit")),
		titles: []string{"trace", "unit", "better", "verdict", "old n", "old median", "old lo", "old hi",
			"new n", "new median", "ratio", "p", "q", "since", "needed", "needed of", "reason", "accepted"},
	}
	if c.accepted > 0 {
		t.summary += fmt.Sprintf(", %d accepted", c.accepted)
	}
	reasons := make(map[string]int)
	for _, j := range c.rows {
		t.rows = append(t.rows, c.row(j, labels))
		if j.Reason != "" {
			reasons[c.sentence(j)]++
		}
	}
	unknown := section{}
	for _, text := range slices.Sorted(maps.Keys(reasons)) {
		unknown.lines = append(unknown.lines, fmt.Sprintf("unknown: %s: %s", seriesText(reasons[text]), text))
	}
	t.sections = []section{unknown}
	if s := driftSection(fmt.Sprintf("renamed or vanished series, since the last %s: %d vanished, %d appeared",
		plural(c.recent, "commit"), c.drift.Vanished, c.drift.Appeared), c.drift); len(s.lines) > 0 && c.recent > 0 {
		t.sections = append(t.sections, s)
	}
	t.rest = struct {
		Commits  int            `json:"commits"`
		Order    string         `json:"order"`
		Drift    *drift.Report  `json:"drift"`
		Counts   map[string]int `json:"counts"`
		Accepted int            `json:"accepted"`
	}{len(c.answer.Commits), c.answer.Order.String(), c.drift, c.counts, c.accepted}
	return t
}

func seriesText(n int) string { return fmt.Sprintf("%d series", n) }

// row returns a judgment in the words of each form.
func (c *checking) row(j *judgment.Judgment, labels *labeler) verdictRow {
	label, text, verdict := labels.label(j.Series, nil), c.sentence(j), j.VerdictText()
	needed := ""
	if j.Needed > 0 {
		needed = strconv.Itoa(j.Needed)
	}
	r := verdictRow{
		verdict: verdictName(j), level: levelOf(verdict), label: label, text: text, data: j,
		isShown: j.Accepted == "" && (j.Verdict.IsDifferent() || j.Reason == "" && verdict == "unknown"),
		cells: []string{j.Series.Trace, j.Series.Unit, j.Better.String(), verdict, strconv.Itoa(j.Old.N),
			csvNumber(j.Old.Median), csvNumber(j.Old.Lo), csvNumber(j.Old.Hi), strconv.Itoa(j.New.N), csvNumber(j.New.Median), csvNumber(j.Ratio),
			csvNumber(j.P), csvNumber(j.Q), j.Since, needed, j.NeededOf(), j.Reason, j.Accepted},
		columns: []string{label, verdictName(j), text},
	}
	if j.Accepted != "" {
		r.level = ""
		r.isShown = c.form == "text"
	}
	return r
}

// sentence returns what is known about a judgment, for people.
func (c *checking) sentence(j *judgment.Judgment) string {
	if j.Reason != "" {
		text := j.Reason
		if j.Needed > 0 {
			text += fmt.Sprintf(", %s needed", neededMore(j))
		}
		return text
	}
	scale := unitShown(j.Series.Unit)
	values := scale.format(j.Old.Median, j.New.Median)
	text := fmt.Sprintf("%s, %s to %s %s", changeText(j.Ratio), values[0], values[1], scale.name)
	if !math.IsInf(j.Old.Lo, 0) && !math.IsInf(j.Old.Hi, 0) && !j.Exact {
		bounds := scale.format(j.Old.Lo, j.Old.Hi)
		text += fmt.Sprintf("; usual: %s to %s, of %s", bounds[0], bounds[1], plural(j.Old.N, "commit"))
	}
	if j.P == j.P {
		text += fmt.Sprintf("; p=%.3g q=%.3g", j.P, j.Q)
	}
	if j.Since != "" && j.VerdictText() != "known" {
		text += "; since " + shortCommit(j.Since)
	}
	if j.Needed > 0 {
		text += "; " + neededMore(j) + " would decide"
	}
	if j.Accepted != "" {
		text += "; " + j.Accepted
	}
	return text
}

// neededMore returns how many more values or runs are needed.
func neededMore(j *judgment.Judgment) string {
	if j.NeededRuns {
		return plural(j.Needed, "more run")
	}
	return plural(j.Needed, "more value")
}
