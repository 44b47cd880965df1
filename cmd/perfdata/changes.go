package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/visible"
	"perfdata/series"
	changepoint "perfdata/series/change"
	"perfdata/traceid"
)

var changeMethods = []string{"finder", "edivisive", "stepfit"}

func (t *tool) changesCommand() *cobra.Command {
	c := &changeSearch{}
	cmd := &cobra.Command{
		Use:   "changes FILE...|STORE",
		Short: "Find the commits at which series changed",
		Long: `Find steps, slow trends and outliers of each series over the commits of files, of a
history such as data.js, or of a database, and put together the changes of many
series that one commit may have caused: a finding.

A line is a finding, those with the most and largest changes first: the commit, or the
range of commits, that caused it with a confidence of 95%, how many series got worse
or better, by how much (the median), and the params that they have in common. What
got worse and what got better at one commit are two findings.
Findings are of changes that exceed the threshold and whose q, which allows for the
number of series, is at most alpha. The other forms list all changes.

The value of a commit is the median of its repetitions. The order of the commits is
that of --commits, of a database, or of a history; otherwise it is that of their times
or of the files, as a note says.

  --as text      a line for each finding
  --as csv       a row for each change of a series
  --as json      one object: all series with their changes, and the findings
  --as markdown  a table of the findings
  --as github    annotations of GitHub Actions

The methods are finder, which the documentation of the Go package series/change
explains, and to compare with, edivisive, that of Apache Otava, and stepfit, that of
Skia Perf: the Mann-Whitney U test of seven commits on each side.

Exit status: 0, or 3 with --fail-on worse if anything got worse at any time; 1 if
nothing of a file could be read, or nothing was judged; 2 for usage and I/O errors.`,
		Example: `  perfdata changes dev/bench/data.js
  perfdata changes --commits commits.txt --by host -r results
  perfdata changes --as json --match test=~^draw perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.judge = t.addJudgeFlags(cmd, failNever)
	t.addJudgeReadingFlags(cmd)
	cmd.Flags().StringVar(&c.method, "method", changeMethods[0], "`METHOD` of finding changes: "+oneOf(changeMethods))
	complete(cmd, "method", changeMethods...)
	cmd.Flags().MarkHidden("exact") // one value is no change
	return cmd
}

// skiaRadius is the number of commits on each side of a step that Skia Perf fits.
const skiaRadius = 7

// A changeSearch is a run of the command changes.
type changeSearch struct {
	*judge
	method string
	finder changepoint.Finder
	otava  changepoint.EDivisive

	series   []*series.Series
	found    []changepoint.Found // of each series
	findings []changepoint.Finding
	all      []changepoint.Change
}

func (c *changeSearch) run(cmd *cobra.Command, args []string) error {
	if !slices.Contains(changeMethods, c.method) {
		return unknownChoice("method", c.method, changeMethods)
	}
	var err error
	if c.answer.List, err = c.listed(); err != nil {
		return err
	}
	names, more, err := c.sets(cmd, args)
	if err != nil {
		return err
	}
	if err := c.read(append(names, more...)); err != nil {
		return err
	}
	c.judgedOnly()
	c.checkKeys(c.series)
	c.checkList()
	c.findings, c.all = changepoint.Findings(c.found, c.alpha, c.threshold)
	if len(c.answer.Commits) > 1 {
		c.note("%v", c.answer.Order)
	}
	if err := c.table().print(); err != nil {
		return err
	}
	c.reportUnmatched("measurement")
	nothing := ""
	if len(c.series) == 0 && c.status == statusOK {
		nothing = "nothing was judged: no measurement was read"
	}
	c.finish(nothing, c.fails())
	return nil
}

// read finds the points of all series: of a store, series by series, without holding the values of all.
func (c *changeSearch) read(names []string) error {
	isPlain := len(c.given)+len(c.by)+len(c.ignored) == 0
	if len(names) == 1 && isStore(names[0]) && isPlain {
		c.prepare()
		return c.answer.Each(context.Background(), &series.Question{}, c.source(names[0]), c.find)
	}
	if err := c.ask(series.Old, &series.Question{}, names); err != nil {
		return err
	}
	c.answer.Sort()
	for _, s := range c.answer.Series() {
		if err := c.find(s); err != nil {
			return err
		}
	}
	return nil
}

// find finds the points of a series. The values of a commit become their median.
func (c *changeSearch) find(s *series.Series) error {
	better, _, err := c.direction(s)
	if err != nil {
		return err
	}
	commits, medians := series.Medians(s.Samples(series.Old))
	found := changepoint.Found{Params: s.Identity, Better: better}
	switch c.method {
	case "edivisive":
		found.Points = slices.Clone(c.otava.Find(medians))
	case "stepfit":
		skia := changepoint.StepFit{Method: changepoint.MannWhitneyStep, Interesting: float32(c.alpha)}
		found.Points = skia.Find(medians, skiaRadius)
	default:
		found.Points = slices.Clone(c.finder.Find(medians))
	}
	if len(found.Points) > 0 {
		found.Commits = commits
	}
	c.series, c.found = append(c.series, s), append(c.found, found)
	return nil
}

// judgedOnly forgets the series that are other statistics of one that is judged, and sorts the rest: the
// order of the inputs must not matter.
func (c *changeSearch) judgedOnly() {
	judged, _ := series.Judged(c.series, nil)
	index := make(map[*series.Series]int, len(c.series))
	for i, s := range c.series {
		index[s] = i
	}
	slices.SortFunc(judged, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })
	found := make([]changepoint.Found, len(judged))
	for i, s := range judged {
		found[i] = c.found[index[s]]
	}
	c.series, c.found = judged, found
}

func (c *changeSearch) fails() bool {
	counts := make(map[string]int)
	for _, f := range c.findings {
		counts[verdictOf(f)]++
	}
	for _, x := range c.all {
		f := &c.found[x.Series]
		if p := f.Points[x.Point]; worsens(f.Better, p) && p.Exceeds(c.threshold) {
			counts["worse?"]++
		}
	}
	counts["unknown"] = counts["changed"]
	return c.failsOn(counts, false)
}

// worsens reports whether values are worse after a point.
func worsens(better format.Direction, p changepoint.Point) bool {
	switch better {
	case format.Lower:
		return p.After > p.Before
	case format.Higher:
		return p.After < p.Before
	}
	return false
}

// commitName returns the name of a commit by its place, as it is printed.
func (c *changeSearch) commitName(place int) string {
	if place < 0 || place >= len(c.answer.Commits) {
		return "the end"
	}
	if name := c.answer.Commits[place].Hash; name != "" {
		return name
	}
	return "without a commit"
}

// table returns what was found: a row for each finding, and in CSV and JSON for each change of a series.
func (c *changeSearch) table() *verdictTable {
	commits, traces := make([]string, len(c.answer.Commits)), make([]string, len(c.series))
	for i := range commits {
		commits[i] = c.answer.Commits[i].Hash
	}
	for i, s := range c.series {
		traces[i] = s.Trace
	}
	enc := changepoint.NewEncoder(c.found, c.all, traces, commits)
	t := &verdictTable{
		judge: c.judge, summary: c.summary(), members: "series",
		columns: []string{"commit", "what", "change:", "series:", "in common"},
		titles:  []string{"finding", "trace", "kind", "commit", "index", "lo", "hi", "before", "after", "ratio", "p", "q"},
	}
	switch c.form {
	case "csv":
		t.rows = c.changeRows(enc)
		return t
	case "json":
		for i := range c.found {
			t.rows = append(t.rows, verdictRow{data: enc.Series(i)})
		}
		findings := make([]string, len(c.findings))
		for i := range c.findings {
			findings[i] = "\n" + string(enc.Finding(&c.findings[i]))
		}
		t.more = []string{fmt.Sprintf(`"findings":[%s
]`, strings.Join(findings, ","))}
		t.rest = struct {
			Commits int    `json:"commits"`
			Order   string `json:"order"`
		}{len(commits), c.answer.Order.String()}
		return t
	}
	for _, f := range c.findings {
		verdict := verdictOf(f)
		row := verdictRow{
			verdict: fmt.Sprintf("%d %s", len(f.Changes), verdict), level: levelOf(verdict),
			label: c.place(f), text: ratioText(f) + "\n" + c.subject(f), isShown: true,
			columns: []string{c.place(f), fmt.Sprintf("%d %s", len(f.Changes), verdict), ratioText(f),
				strconv.Itoa(len(f.Changes)), c.subject(f)},
		}
		if len(f.Changes) > 1 {
			first := f.Changes[0]
			p := c.found[first.Series].Points[first.Point]
			row.text += "\nthe largest: " + strings.TrimSpace(percentOf(p.Ratio)+" "+c.rest(f, first))
		}
		t.rows = append(t.rows, row)
	}
	t.body = func() {
		for i, r := range t.rows {
			lines := strings.Split(r.text, "\n")
			fmt.Fprintf(c.stdout, "%d. %s, %s: %s\n", i+1, visible.String(r.label), r.verdict, visible.String(lines[0]))
			for _, line := range lines[1:] {
				fmt.Fprintf(c.stdout, "   %s\n", visible.String(line))
			}
		}
	}
	return t
}

// changeRows returns a row for each change. The number of the finding is that of its line in the other forms.
func (c *changeSearch) changeRows(enc *changepoint.Encoder) []verdictRow {
	numbers := make(map[[2]int]string)
	for i, f := range c.findings {
		for _, x := range f.Changes {
			numbers[[2]int{x.Series, x.Point}] = strconv.Itoa(i + 1)
		}
	}
	var rows []verdictRow
	for i, f := range c.found {
		for j, p := range f.Points {
			rows = append(rows, verdictRow{cells: []string{
				numbers[[2]int{i, j}], c.series[i].Trace, p.Kind.String(), c.commitName(f.Commits[p.Index]),
				strconv.Itoa(p.Index), strconv.Itoa(p.Lo), strconv.Itoa(p.Hi),
				csvNumber(p.Before), csvNumber(p.After), csvNumber(p.Ratio), csvNumber(p.P), csvNumber(enc.Q(i, j)),
			}})
		}
	}
	return rows
}

// summary returns a line about what was found, and by which rules.
func (c *changeSearch) summary() string {
	changed := make(map[int]bool)
	points := 0
	for _, f := range c.findings {
		points += len(f.Changes)
		for _, x := range f.Changes {
			changed[x.Series] = true
		}
	}
	text := fmt.Sprintf("%s: %s in %d of %d series, at %s", plural(len(c.findings), "finding"), plural(points, "change"),
		len(changed), len(c.found), plural(len(c.answer.Commits), "commit"))
	if n := len(c.all) - points; n > 0 {
		text += fmt.Sprintf("; %d more below %.3g%% or with q over %.3g", n, 100*c.threshold, c.alpha)
	}
	if len(c.answer.Commits) > 1 {
		text += "; " + c.answer.Order.String()
	}
	return text
}

// place returns the commit of a finding, or the range of commits, for people.
func (c *changeSearch) place(f changepoint.Finding) string {
	name := func(place int) string { return shortCommit(c.commitName(place)) }
	switch {
	case f.Kind == changepoint.Trend:
		return "trend from " + name(f.Lo) + " to " + name(f.Hi)
	case f.Lo < f.Hi:
		return name(f.At) + " (" + name(f.Lo) + " to " + name(f.Hi) + ")"
	}
	return name(f.At)
}

// verdictOf returns what a finding means.
func verdictOf(f changepoint.Finding) string {
	switch {
	case f.Worse > 0:
		return "worse"
	case f.Better > 0:
		return "better"
	}
	return "changed"
}

// ratioText returns the median of the changes of a finding. If some values rose and others fell, such as
// times and rates that got worse, it returns the least and the greatest: a median of both says nothing.
func ratioText(f changepoint.Finding) string {
	if f.Least < 1 && f.Greatest > 1 {
		return percentOf(f.Least) + " to " + percentOf(f.Greatest)
	}
	return percentOf(f.Ratio)
}

// percentOf returns a ratio as a change in percent, or as a factor if it is large.
func percentOf(ratio float64) string {
	switch {
	case ratio-ratio != 0:
		return "from 0"
	case ratio >= 10:
		return fmt.Sprintf("x %.3g", ratio)
	}
	return fmt.Sprintf("%+.1f%%", 100*(ratio-1))
}

// subject returns what the series of a finding have in common.
func (c *changeSearch) subject(f changepoint.Finding) string {
	if len(f.Params) == 0 {
		return fmt.Sprintf("%d series with nothing in common", len(f.Changes))
	}
	return groupText(f.Params)
}

// rest returns the params of a change that the others of the finding do not have.
func (c *changeSearch) rest(f changepoint.Finding, x changepoint.Change) string {
	return groupText(slices.DeleteFunc(c.found[x.Series].Params.Clone(), func(p traceid.Param) bool {
		value, ok := f.Params.Get(p.Key)
		return ok && value == p.Value
	}))
}
