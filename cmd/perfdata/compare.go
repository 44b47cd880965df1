package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

func (t *tool) compareCommand() *cobra.Command {
	var j *judge
	confidence, across := 0.95, ""
	cmd := &cobra.Command{
		Use:   "compare OLD... -- NEW... | A..B FILE... | --across KEY FILE...",
		Short: "Compare two sets of files, or two commits: what got worse, and how sure that is",
		Long: `Compare the values of each series in two sets of files of any format. Files of a set
add up. With A..B as the first argument, compare two commits of the same files or of a
database; each may be the beginning of a hash. Two files need no --. With --across KEY,
compare the series that differ only in a param: its first value with each other one.

Medians, their intervals and p are those of benchstat, and the change is that of the
medians. The interval is that of the Hodges-Lehmann estimate, the median of the ratios of
all pairs of values, with a confidence of 1 - alpha. The verdicts are:

  worse    the interval is beyond the threshold, and p is below alpha
  better   the same, in the other direction
  changed  the same, and it is not known which direction is better
  worse?   p is below alpha, but not if adjusted for the number of such series (q)
  same     the interval is within the threshold
  unknown  anything else, with the number of values on each side that would decide

The direction is what the file says, else what the unit implies, else what --better
says, which overrides both. Of several statistics (the param stat), the single values,
the median or the mean is compared. Values in ns and ms are compared, too, as the
output says. Series that are in one set only are explained as drift does. perfdata help
verdicts has an example of each verdict.

  --as text      as benchstat prints it, the worst first
  --as csv       a row for each series and geometric mean
  --as json      one object
  --as markdown  for a pull request: what changed, and the rest folded
  --as github    annotations of GitHub Actions

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read or nothing was compared, 2 for usage and I/O errors.`,
		Example: `  perfdata compare old.txt new.txt
  perfdata compare --as markdown main/*.json -- branch/*.json
  perfdata compare --by host 3f2a9c1..b07d112 perf.db
  perfdata compare --across level codecs.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(confidence > 0 && confidence < 1) {
				return fmt.Errorf("--confidence %v: want a number between 0 and 1", confidence)
			}
			c := &comparison{judge: j, confidence: confidence}
			j.answer.Across = across
			if err := c.read(cmd, args); err != nil {
				return err
			}
			return c.judgeAll()
		},
	}
	j = t.addJudgeFlags(cmd, failWorse)
	t.addJudgeReadingFlags(cmd)
	cmd.Flags().Float64Var(&confidence, "confidence", confidence, "of the intervals of medians")
	cmd.Flags().StringVar(&across, "across", "",
		"compare the series that differ only in the param `KEY`: its first value with each of the others")
	complete(cmd, "across")
	cmd.Flags().MarkHidden("commits") // two sets have no order
	return cmd
}

// A comparison is a run of compare.
type comparison struct {
	*judge
	confidence float64

	names  []string // of the sides
	report *compare.Report
	drift  *drift.Report
	counts map[string]int // of verdicts
	labels *labeler

	warnings []string
	shifts   []string // what all series have in common
}

// read reads the sets, or the two commits, or the values of a param.
func (c *comparison) read(cmd *cobra.Command, args []string) error {
	if a, b, ok := strings.Cut(args[0], ".."); ok && a != "" && b != "" && cmd.ArgsLenAtDash() < 0 && !exists(args[0]) {
		return c.readRange(a, strings.TrimPrefix(b, "."), args[1:])
	}
	old, new, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	if c.answer.Across != "" {
		if err := c.ask(series.Old, &series.Question{}, append(old, new...)); err != nil {
			return err
		}
		if c.names = c.answer.Sides; len(c.names) < 2 {
			c.names = append(c.names, "", "")[:2]
		}
		return nil
	}
	if len(old) == 0 || len(new) == 0 {
		return errors.New("want two sets of files, as in perfdata compare old.txt -- new.txt, or commits, as in A..B FILE, " +
			"or a param, as in --across level FILE")
	}
	c.noteSame(old, new)
	for side, names := range [][]string{old, new} {
		if err := c.ask(side, &series.Question{}, names); err != nil {
			return err
		}
	}
	c.names = setNames(old, new)
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// setNames returns the names of two sets: those of their only files, or else old and new.
func setNames(old, new []string) []string {
	if len(old) != 1 || len(new) != 1 || old[0] == new[0] || old[0] == "-" || new[0] == "-" {
		return []string{"old", "new"}
	}
	names := []string{old[0], new[0]}
	for i, name := range names {
		if strings.Contains(name, "://") {
			names[i] = []string{"old", "new"}[i] // the address may hold a password
		}
	}
	return shortNames(names, maxName)
}

// readRange reads the values of two commits of files and stores.
func (c *comparison) readRange(a, b string, names []string) error {
	if len(names) == 0 {
		return errors.New("no FILE given, as in perfdata compare A..B FILE")
	}
	c.readsFolders, c.readsOnce = true, true
	names = c.walked(names)
	c.reportWalk()
	c.names = []string{a, b}
	if err := c.ask(series.Old, &series.Question{Commits: c.names}, names); err != nil {
		return err
	}
	found, known := c.answer.Named()
	for i, name := range c.names {
		switch {
		case len(found[i]) == 0 && len(known) == 0 && len(c.unjudged) > 0:
			// nothing could be read, which is said
		case len(found[i]) == 0:
			c.reportUnread()
			return fmt.Errorf("no measurement has the commit %s%s", name, didYouMeanOr(name, known, "commits"))
		case len(found[i]) > 1:
			return fmt.Errorf("%s is the beginning of several commits: %s", name, strings.Join(found[i], ", "))
		}
	}
	return nil
}

// judgeAll compares what was read.
func (c *comparison) judgeAll() error {
	var failure error
	keep := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	rule := compare.Rule{
		By: c.by, Sides: c.answer.Sides,
		Better: func(s *series.Series) (format.Direction, bool) {
			better, byUnit, err := c.direction(s)
			keep(err)
			return better, byUnit
		},
		Exact: func(s *series.Series) bool {
			exact, err := c.isExact(s)
			keep(err)
			return exact
		},
	}
	c.answer.Sort()
	options := compare.Options{Threshold: c.threshold, Alpha: c.alpha, Confidence: c.confidence}
	all := c.answer.Series()
	slices.SortFunc(all, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })
	c.checkKeys(all)
	c.report = compare.NewComparer(options).Compare(all, rule)
	if failure != nil {
		return failure
	}
	if err := c.explain(all); err != nil {
		return err
	}

	c.counts = make(map[string]int)
	for _, row := range c.report.Rows {
		if row.Reason != "" {
			c.leaveOut(unjudged{Trace: row.Series.Trace, Reason: row.Reason})
			continue
		}
		c.counts[row.VerdictText()]++
		if row.Inexact {
			c.warn(row, "values that should be exact differ")
		}
		if row.Series.Machines {
			c.warn(row, "values of several machines: --by "+row.Series.Machine.Key+" tells them apart")
		}
	}
	c.leaveOutStatistics(all, c.report.Others)
	refused := len(c.report.Rows)
	c.report.Rows = slices.DeleteFunc(c.report.Rows, func(row *judgment.Judgment) bool { return row.Reason != "" })
	c.findShifts()
	if len(c.report.Rows) == 0 && (c.status != statusOK || len(all) == 0) {
		c.reportUnread() // a side that could not be read has not vanished
		c.reportUnmatched("measurement")
		c.finish(c.nothing(refused), false)
		return nil
	}
	if err := c.table(all).print(); err != nil {
		return err
	}
	c.reportUnmatched("measurement")
	c.finish(c.nothing(refused), c.failsOn(c.counts, c.drift.HasDrifted()))
	return nil
}

// nothing returns why nothing was judged, or the empty string.
func (c *comparison) nothing(refused int) string {
	switch {
	case len(c.report.Rows) > 0 || c.status != statusOK:
		return ""
	case refused > 0:
		return "nothing was compared: no series that is in both sets can be judged"
	case c.answer.Across != "":
		return "nothing was compared: no series has several values of " + c.answer.Across
	}
	return "nothing was compared: no series is in both sets" + hintOf(c.drift)
}

// hintOf returns the way out if the series of two sets differ in params.
func hintOf(r *drift.Report) string {
	var keys []string
	if r.Changed != nil {
		for _, change := range append([]drift.Change{*r.Changed}, r.AlsoChanged...) {
			if !slices.Contains(keys, change.Key) {
				keys = append(keys, change.Key)
			}
		}
	}
	for _, more := range [][]string{r.SplittingKeys, r.AddingKeys, r.RemovingKeys} {
		keys = append(keys, more...)
	}
	if len(keys) == 0 || len(keys) > 3 {
		return ""
	}
	return fmt.Sprintf("; --ignore %s compares those that differ only there", strings.Join(keys, ","))
}

// warn notes what is odd about a row.
func (c *comparison) warn(row *judgment.Judgment, text string) {
	if len(c.warnings) < maxUnjudged {
		c.warnings = append(c.warnings, row.Series.Trace+": "+text)
	}
}

// explain says why series are in one set only.
func (c *comparison) explain(all []*series.Series) error {
	var d drift.Collector
	for side := range 2 {
		d.File(drift.Side(side), c.names[side])
		for _, s := range all {
			if s.Has(side) && c.answer.Across == "" {
				if err := d.Add(s.Identity, s.AppendSide(nil, side)[0]); err != nil {
					return err
				}
			}
		}
	}
	c.drift = d.Report()
	c.drift.EmptyFiles = 0 // an input without measurements was said
	return nil
}

// Series that moved together, or drifted within a side, are most of at least minTogether.
const minTogether = 4

// findShifts says what most series have in common, which may be due to the machine.
func (c *comparison) findShifts() {
	for k, name := range c.names[1:] {
		var logs []float64
		for _, row := range c.report.Rows {
			if log := math.Log(row.Ratio); (row.Side == "" || row.Side == name) && log-log == 0 {
				logs = append(logs, log)
			}
		}
		if middle, n := together(logs, 0.02); n > 0 {
			c.shifts = append(c.shifts, fmt.Sprintf("%d of %d series moved the same way, by about %s: "+
				"the machine may be the reason", n, len(logs), changeText(math.Exp(middle))))
		}
		for side := range []int{0, k + 1} {
			c.findDrift([]int{0, k + 1}[side], k > 0 && side == 0)
		}
	}
}

// findDrift says if the values of most series rise or fall from the first half of a side to the second.
func (c *comparison) findDrift(side int, isDone bool) {
	if isDone {
		return
	}
	var logs []float64
	for _, row := range c.report.Rows {
		if values := row.Series.AppendSide(nil, side); len(values) >= 6 {
			half := len(values) / 2
			log := math.Log(series.Median(values[len(values)-half:]) / series.Median(values[:half]))
			if log-log == 0 {
				logs = append(logs, log)
			}
		}
	}
	if middle, n := together(logs, math.Log1p(c.threshold)); n > 0 {
		c.shifts = append(c.shifts, fmt.Sprintf("the values of %s change by about %s from its first half to its second, "+
			"in %d of %d series", c.names[side], changeText(math.Exp(middle)), n, len(logs)))
	}
}

// together returns the median of logarithms of ratios, and how many are about as large, if these are most,
// and the median is at least a size.
func together(logs []float64, size float64) (middle float64, n int) {
	middle = series.Median(slices.Clone(logs))
	if len(logs) < minTogether || math.Abs(middle) < size {
		return 0, 0
	}
	for _, log := range logs {
		if math.Abs(log-middle) <= math.Abs(middle)/2 {
			n++
		}
	}
	if 3*n < 2*len(logs) {
		return 0, 0
	}
	return middle, n
}

// table returns what the comparison says.
func (c *comparison) table(all []*series.Series) *verdictTable {
	labeled := make([]*series.Series, len(c.report.Rows))
	for i, row := range c.report.Rows {
		labeled[i] = row.Series
	}
	c.labels = newLabeler(labeled)
	t := &verdictTable{
		judge: c.judge, heading: c.labels.heading(), body: c.printTables, members: "series",
		summary:  cmp.Or(countsText(c.counts), "nothing to compare: no series that is in both sets can be judged"),
		footer:   fmt.Sprintf("threshold %.3g%%, alpha %.3g", c.threshold*100, c.alpha),
		compared: fmt.Sprintf(", %s compared with %s", markdown(strings.Join(c.names[1:], ", ")), markdown(c.names[0])),
		columns:  []string{"benchmark", c.names[0] + ":", "new:", "change:", "interval", "p", "verdict"},
		titles: append(append([]string{"row", "trace"}, c.by...), "unit", "better", "old n", "old median", "old lo", "old hi",
			"new n", "new median", "new lo", "new hi", "ratio", "hodges-lehmann", "lo", "hi", "p", "q", "verdict",
			"needed", "side"),
	}
	if len(c.names) == 2 {
		t.columns[2] = c.names[1] + ":"
	}
	if c.answer.Across == "" && len(driftSection("", c.drift).lines) > 0 {
		t.sections = append(t.sections, driftSection(fmt.Sprintf("in one set only: %d in %s, %d in %s",
			c.drift.Vanished, c.names[0], c.drift.Appeared, c.names[1]), c.drift))
	}
	t.sections = append(t.sections, section{"all together", c.shifts}, section{"warning", c.warnings})
	if c.form != "text" { // which has tables of its own
		for _, row := range c.report.Rows {
			t.rows = append(t.rows, c.row(row))
		}
	}
	means := section{}
	for _, g := range c.report.Geomeans {
		if g.Series > 1 && !math.IsNaN(g.Ratio) {
			name := strings.TrimSpace(strings.Join([]string{groupText(g.Group), g.Side, unitShown(g.Unit).name}, " "))
			means.lines = append(means.lines, fmt.Sprintf("geomean of %s: %+.2f%%", name, (g.Ratio-1)*100))
		}
		n := strconv.Itoa(g.Series)
		cells := append([]string{"geomean", ""}, c.groupCells(g.Group)...)
		cells = append(cells, g.Unit, "", n, csvNumber(g.Old), "", "", n, csvNumber(g.New), "", "")
		t.means = append(t.means, append(cells, csvNumber(g.Ratio), "", "", "", "", "", "", "", g.Side))
	}
	if len(means.lines) > 0 {
		t.notes = []section{means}
	}
	t.rest = struct {
		Geomean  []judgment.Geomean `json:"geomean"`
		Drift    *drift.Report      `json:"drift"`
		Counts   map[string]int     `json:"counts"`
		Together []string           `json:"together"`
		Warnings []string           `json:"warnings"`
	}{append([]judgment.Geomean{}, c.report.Geomeans...), c.drift, c.counts, append([]string{}, c.shifts...),
		append([]string{}, c.warnings...)}
	return t
}

// row returns a judgment in the words of each form.
func (c *comparison) row(j *judgment.Judgment) verdictRow {
	scale := unitShown(j.Series.Unit)
	values := scale.format(j.Old.Median, j.New.Median)
	name := strings.TrimSpace(groupText(j.Group) + " " + c.labels.label(j.Series, j.Group))
	if j.Side != "" {
		name += " " + c.answer.Across + "=" + j.Side
	}
	lo := j.Lo
	if math.IsInf(j.Hi, 0) {
		lo = math.NaN()
	}
	needed := ""
	if j.Needed > 0 {
		needed = strconv.Itoa(j.Needed)
	}
	cells := append(append([]string{"series", j.Series.Trace}, c.groupCells(j.Group)...), j.Series.Unit, j.Better.String())
	for _, s := range []judgment.Summary{j.Old, j.New} {
		cells = append(cells, strconv.Itoa(s.N), csvNumber(s.Median), csvNumber(s.Lo), csvNumber(s.Hi))
	}
	return verdictRow{
		verdict: j.VerdictText(), level: levelOf(j.VerdictText()), label: name, isShown: j.Verdict.IsDifferent(), data: j,
		text: fmt.Sprintf("%s, %s to %s %s (%s)", changeText(j.Ratio), values[0], values[1], scale.name, j.Test()),
		cells: append(cells, csvNumber(j.Ratio), csvNumber(j.Estimate), csvNumber(lo), csvNumber(j.Hi), csvNumber(j.P),
			csvNumber(j.Q), j.VerdictText(), needed, j.Side),
		columns: []string{strings.TrimSpace(name + " " + scale.name), values[0], values[1], changeText(j.Ratio),
			intervalText(j), j.Test(), neededText(j)},
	}
}

func (c *comparison) groupCells(group traceid.Params) []string {
	var cells []string
	for _, key := range c.by {
		value, _ := group.Get(key)
		cells = append(cells, value)
	}
	return cells
}

// intervalText returns the interval of a change, or nothing if there is none.
func intervalText(j *judgment.Judgment) string {
	if j.Exact {
		return "exact"
	}
	if math.IsInf(j.Lo, 0) || math.IsInf(j.Hi, 0) || j.Lo == 0 {
		return ""
	}
	return changeText(j.Lo) + " to " + changeText(j.Hi)
}

// neededText returns a verdict, and what would decide.
func neededText(j *judgment.Judgment) string {
	text := j.VerdictText()
	switch {
	case j.Verdict != judgment.Unknown:
	case j.Needed == 0:
		text += ", too noisy"
	default:
		text += fmt.Sprintf(", needs %d", j.Needed)
	}
	return text
}
