package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"perfdata/internal/visible"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// printJSON prints one object, with a line for each series.
func (c *comparison) printJSON() error {
	fmt.Fprint(c.data, `{"series":[`)
	separator := "\n"
	for _, row := range c.report.Rows {
		fmt.Fprint(c.data, separator)
		c.data.Write(marshal(row))
		separator = ",\n"
	}
	type rest struct {
		Geomean  []compare.Geomean `json:"geomean"`
		Drift    *drift.Report     `json:"drift"`
		Counts   map[string]int    `json:"counts"`
		Warnings []string          `json:"warnings"`
		Unjudged []unjudged        `json:"unjudged"`
	}
	geomeans, warnings := append([]compare.Geomean{}, c.report.Geomeans...), append([]string{}, c.warnings...)
	text := marshal(rest{geomeans, c.drift, c.counts, warnings, c.listUnjudged()})
	_, err := fmt.Fprintf(c.data, "\n],%s\n", text[1:])
	return err
}

// printCSV prints a row for each series, and for each geometric mean.
func (c *comparison) printCSV() error {
	w := csv.NewWriter(c.data)
	titles := append([]string{"row", "trace"}, c.by...)
	w.Write(append(titles, "unit", "better", "old n", "old median", "old lo", "old hi",
		"new n", "new median", "new lo", "new hi", "ratio", "lo", "hi", "p", "q", "verdict", "needed"))
	for _, row := range c.report.Rows {
		needed := ""
		if row.Needed > 0 {
			needed = strconv.Itoa(row.Needed)
		}
		cells := append([]string{"series", row.Series.Trace}, c.groupCells(row.Group)...)
		cells = append(cells, row.Series.Unit, row.Better.String())
		for _, s := range []compare.Summary{row.Old, row.New} {
			cells = append(cells, strconv.Itoa(s.N), csvNumber(s.Median), csvNumber(s.Lo), csvNumber(s.Hi))
		}
		lo := row.Lo
		if math.IsInf(row.Hi, 0) {
			lo = math.NaN()
		}
		w.Write(append(cells, csvNumber(row.Ratio), csvNumber(lo), csvNumber(row.Hi), csvNumber(row.P), csvNumber(row.Q),
			row.VerdictText(), needed))
	}

	for _, g := range c.report.Geomeans {
		cells := append([]string{"geomean", ""}, c.groupCells(g.Group)...)
		n := strconv.Itoa(g.Series)
		cells = append(cells, g.Unit, "", n, csvNumber(g.Old), "", "", n, csvNumber(g.New), "", "")
		w.Write(append(cells, csvNumber(g.Ratio), "", "", "", "", "", ""))
	}
	w.Flush()
	c.noteUnjudged()
	return w.Error()
}

// noteUnjudged prints what a form has no place for on standard error.
func (c *comparison) noteUnjudged() {
	for i := range c.unjudged {
		c.note("cannot be judged: %v", &c.unjudged[i])
	}
	for _, w := range c.warnings {
		c.note("warning: %s", w)
	}
	for _, line := range driftLines(c.drift) {
		c.note("in one set only: %s", line)
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

// csvNumber returns a number, or nothing if it is not finite.
func csvNumber(x float64) string {
	if x-x != 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// maxMarkdown is a little less than the length of a comment that GitHub takes.
const maxMarkdown = 60_000

// printMarkdown prints a comment for a pull request: a line with the verdict, what changed, and the
// rest folded.
func (c *comparison) printMarkdown() error {
	var b strings.Builder
	labels := c.labels()
	fmt.Fprintf(&b, "**%s**, %s compared with %s\n", c.summary(), markdown(c.names[1]), markdown(c.names[0]))
	var changed, others []*compare.Row
	for _, row := range c.report.Rows {
		if row.Verdict.IsDifferent() {
			changed = append(changed, row)
		} else {
			others = append(others, row)
		}
	}
	if len(changed) > 0 {
		c.markdownTable(&b, changed, labels)
	}
	c.markdownMore(&b, labels)
	if len(others) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a change that is certain</summary>\n", len(others))
		c.markdownTable(&b, others, labels)
		fmt.Fprintf(&b, "\n</details>\n")
	}
	_, err := fmt.Fprint(c.data, b.String())
	return err
}

// markdownMore writes what is not about one series: what all have in common, means, drift and what
// cannot be judged.
func (c *comparison) markdownMore(b *strings.Builder, labels *labeler) {
	var lines []string
	for _, g := range c.report.Geomeans {
		if g.Series > 1 && !math.IsNaN(g.Ratio) {
			text := strings.TrimSpace(groupText(g.Group) + " " + unitShown(g.Unit).name)
			lines = append(lines, fmt.Sprintf("geomean of %s: %+.2f%%", text, (g.Ratio-1)*100))
		}
	}
	lines = append(lines, driftLines(c.drift)...)
	lines = append(lines, c.warnings...)
	for i := range c.unjudged {
		lines = append(lines, "cannot be judged: "+c.unjudged[i].String())
	}
	if len(lines) > 0 {
		fmt.Fprintln(b)
	}

	for i, line := range lines {
		if i == 2*maxDriftLines {
			fmt.Fprintf(b, "- %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", markdown(line))
	}
	text := fmt.Sprintf("threshold %.3g%%, alpha %.3g", c.threshold*100, c.alpha)
	if common := groupText(labels.common); common != "" {
		text += "; " + common
	}
	fmt.Fprintf(b, "\n<sub>%s</sub>\n", markdown(text))
}

// markdownTable writes rows as a table, as far as they fit in a comment.
func (c *comparison) markdownTable(b *strings.Builder, rows []*compare.Row, labels *labeler) {
	fmt.Fprintf(b, "\n| benchmark | %s | %s | change | interval | p | verdict |\n",
		markdown(c.names[0]), markdown(c.names[1]))
	fmt.Fprintf(b, "| --- | ---: | ---: | ---: | --- | --- | --- |\n")
	for i, row := range rows {
		if b.Len() > maxMarkdown {
			fmt.Fprintf(b, "| %d more | | | | | | |\n", len(rows)-i)
			return
		}
		scale := unitShown(row.Series.Unit)
		values := scale.format(row.Old.Median, row.New.Median)
		name := strings.TrimSpace(groupText(row.Group) + " " + labels.label(row.Series, row.Group))
		fmt.Fprintf(b, "| %s %s | %s | %s | %s | %s | %s | %s |\n", markdown(name), markdown(scale.name),
			values[0], values[1], change(row.Ratio), intervalText(row), row.Test(), verdictText(row))
	}
}

// markdown returns text that Markdown and HTML show as it is.
func markdown(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`",
		"[", `\[`, "]", `\]`, "@", "&#64;", "#", "&#35;", "~", `\~`).Replace(visible.String(text))
}

// printGitHub prints annotations of GitHub Actions for what changed, and a line with the verdicts.
func (c *comparison) printGitHub() error {
	labels := c.labels()
	for _, row := range c.report.Rows {
		kind := "notice"
		switch {
		case !row.Verdict.IsDifferent():
			continue
		case row.Verdict == judgment.Worse && !row.Suspect:
			kind = "error"
		case row.Verdict != judgment.Better:
			kind = "warning"
		}
		scale := unitShown(row.Series.Unit)
		values := scale.format(row.Old.Median, row.New.Median)
		name := strings.TrimSpace(groupText(row.Group) + " " + labels.label(row.Series, row.Group))
		text := fmt.Sprintf("%s: %s, %s to %s %s (%s)", name, change(row.Ratio), values[0], values[1], scale.name, row.Test())
		fmt.Fprintf(c.stdout, "::%s title=%s::%s\n", kind, escapeProperty(row.VerdictText()), escapeData(text))
	}

	c.annotateRest(c.drift)
	fmt.Fprintf(c.stdout, "%s\n", c.summary())
	return nil
}
