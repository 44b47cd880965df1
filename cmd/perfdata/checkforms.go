package main

import (
	"fmt"
	"math"
	"strings"

	"perfdata/internal/jsonenc"
	"perfdata/internal/visible"
	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/traceid"
)

// print prints the judgment in the form that was asked for.
func (c *checking) print() error {
	switch c.form {
	case "json":
		return c.printJSON()
	case "markdown":
		return c.printMarkdown()
	case "github":
		return c.printGitHub()
	}
	return c.printText()
}

func (c *checking) labels() *labeler {
	all := make([]*series.Series, len(c.rows))
	for i, row := range c.rows {
		all[i] = row.series
	}
	return newLabeler(all)
}

// summary returns the numbers of verdicts, the worst first.
func (c *checking) summary() string {
	counts := comparison{counts: c.counts}
	text := counts.summary()
	if len(c.rows) == 0 {
		text = "nothing to judge: no series is in the history and in the new results"
	}
	if c.accepted > 0 {
		text += fmt.Sprintf(", %d accepted", c.accepted)
	}
	return text
}

// sentence returns what is known about a row, for people.
func (c *checking) sentence(row *checkRow) string {
	if row.Reason != "" {
		text := row.Reason
		if row.Needed > 0 {
			text += fmt.Sprintf(", %d more needed", row.Needed)
		}
		return text
	}
	scale := unitShown(row.series.Unit)
	values := scale.format(row.Before, row.After)
	text := fmt.Sprintf("%s, %s to %s %s", change(row.Ratio), values[0], values[1], scale.name)
	if !math.IsInf(row.Lo, 0) && !math.IsInf(row.Hi, 0) {
		bounds := scale.format(row.Lo, row.Hi)
		text += fmt.Sprintf("; usual are %s to %s of %s", bounds[0], bounds[1], plural(row.N, "commit"))
	}

	if row.P == row.P {
		text += fmt.Sprintf("; p=%.3g q=%.3g", row.P, row.Q)
	}
	if since := c.since(row); since != "" {
		text += "; since " + since
	}
	if row.Needed > 0 {
		text += "; " + plural(row.Needed, "more value") + " would decide"
	}
	if row.isAccepted() {
		text += "; " + row.known
	}
	return text
}

// isShown reports whether a row says something: those that are the same, and those without enough
// values, are counted only.
func (c *checking) isShown(row *checkRow) bool {
	return row.Verdict.IsDifferent() || row.Reason == "" && row.VerdictText() == "unknown"
}

// printText prints a line for each series that is not the same, and the numbers.
func (c *checking) printText() error {
	labels := c.labels()
	for key, value := range labels.common.All() {
		fmt.Fprintf(c.stdout, "%s: %s\n", visible.String(key), visible.String(value))
	}
	for _, row := range c.rows {
		if !c.isShown(row) {
			continue
		}
		color := style("")
		if strings.HasPrefix(row.VerdictText(), "worse") && !row.isAccepted() {
			color = red
		}
		verdict := styled(c.colorOut && color != "", color, row.VerdictText())
		fmt.Fprintf(c.stdout, "%s: %s\n    %s\n", verdict, labels.label(row.series, nil), visible.String(c.sentence(row)))
	}

	fmt.Fprintf(c.stdout, "%s\n", c.summary())
	for _, line := range c.reasons() {
		fmt.Fprintf(c.stdout, "  %s\n", visible.String(line))
	}
	fmt.Fprintf(c.stdout, "history of %s; %v\n", plural(len(c.sorted), "commit"), c.order)
	if lines := driftLines(c.drift); len(lines) > 0 {
		last := "last commit"
		if n := min(recentCommits, len(c.sorted)); n != 1 {
			last = fmt.Sprintf("last %d commits", n)
		}
		fmt.Fprintf(c.stdout, "\nsince the %s of the history: %d series vanished, %d appeared\n",
			last, c.drift.Vanished, c.drift.Appeared)
		for _, line := range lines {
			fmt.Fprintf(c.stdout, "  %s\n", visible.String(line))
		}
	}
	c.printUnjudged()
	return nil
}

// reasons returns lines about why series are not judged, each with their number.
func (c *checking) reasons() []string {
	counts := make(map[string]int)
	var reasons []string
	for _, row := range c.rows {
		if row.Reason == "" {
			continue
		}
		text := c.sentence(row)
		if counts[text] == 0 {
			reasons = append(reasons, text)
		}
		counts[text]++
	}
	for i, text := range reasons {
		reasons[i] = fmt.Sprintf("unknown: %s: %s", seriesText(counts[text]), text)
	}
	return reasons
}

type checkRowJSON struct {
	Trace   string         `json:"trace"`
	Params  traceid.Params `json:"params"`
	Unit    *string        `json:"unit"`
	Better  *string        `json:"better"`
	ByUnit  bool           `json:"by_unit,omitempty"`
	Exact   bool           `json:"exact,omitempty"`
	N       int            `json:"n"` // values of the history since its last change
	Before  jsonenc.Number `json:"before"`
	After   jsonenc.Number `json:"after"`
	Ratio   jsonenc.Number `json:"ratio"`
	Lo      jsonenc.Number `json:"lo"`
	Hi      jsonenc.Number `json:"hi"`
	P       jsonenc.Number `json:"p"`
	Q       jsonenc.Number `json:"q"`
	Verdict string         `json:"verdict"`
	Since   *string        `json:"since"`
	Needed  *int           `json:"needed"`
	Reason  *string        `json:"reason"`
	Known   *string        `json:"known"`
}

// printJSON prints one object, with a line for each series.
func (c *checking) printJSON() error {
	fmt.Fprint(c.data, `{"series":[`)
	separator := "\n"
	for _, row := range c.rows {
		out := checkRowJSON{
			Trace: row.series.Trace, Params: row.series.Identity, Unit: jsonenc.TextOrNull(row.series.Unit),
			Better: jsonenc.TextOrNull(row.better.String()), ByUnit: row.byUnit, Exact: row.exact, N: row.N,
			Before: jsonenc.Number(row.Before), After: jsonenc.Number(row.After), Ratio: jsonenc.Number(row.Ratio),
			Lo: jsonenc.Number(row.Lo), Hi: jsonenc.Number(row.Hi), P: jsonenc.Number(row.P), Q: jsonenc.Number(row.Q),
			Verdict: row.VerdictText(),
			Since:   jsonenc.TextOrNull(c.since(row)), Reason: jsonenc.TextOrNull(row.Reason),
			Known: jsonenc.TextOrNull(row.known),
		}
		if row.Needed > 0 {
			out.Needed = &row.Needed
		}
		fmt.Fprint(c.data, separator)
		c.data.Write(marshal(out))
		separator = ",\n"
	}

	text := marshal(struct {
		Commits  int            `json:"commits"`
		Order    string         `json:"order"`
		Drift    *drift.Report  `json:"drift"`
		Counts   map[string]int `json:"counts"`
		Accepted int            `json:"accepted"`
		Unjudged []unjudged     `json:"unjudged"`
	}{len(c.sorted), c.order.String(), c.drift, c.counts, c.accepted, c.listUnjudged()})
	_, err := fmt.Fprintf(c.data, "\n],%s\n", text[1:])
	return err
}

// printMarkdown prints a comment for a pull request.
func (c *checking) printMarkdown() error {
	var b strings.Builder
	labels := c.labels()
	fmt.Fprintf(&b, "**%s**, against a history of %s\n", c.summary(), plural(len(c.sorted), "commit"))
	var changed, others []*checkRow
	for _, row := range c.rows {
		switch {
		case row.Verdict.IsDifferent() && !row.isAccepted():
			changed = append(changed, row)
		case row.Reason == "":
			others = append(others, row)
		}
	}

	c.markdownTable(&b, changed, labels)
	lines := append(c.reasons(), driftLines(c.drift)...)
	for i := range c.unjudged {
		lines = append(lines, "cannot be judged: "+c.unjudged[i].String())
	}
	if len(lines) > 0 {
		fmt.Fprintln(&b)
	}
	for _, line := range lines[:min(len(lines), 2*maxDriftLines)] {
		fmt.Fprintf(&b, "- %s\n", markdown(line))
	}

	text := fmt.Sprintf("threshold %.3g%%, alpha %.3g; %v", c.threshold*100, c.alpha, c.order)
	if common := groupText(labels.common); common != "" {
		text += "; " + common
	}
	fmt.Fprintf(&b, "\n<sub>%s</sub>\n", markdown(text))
	if len(others) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a change that is certain</summary>\n", len(others))
		c.markdownTable(&b, others, labels)
		fmt.Fprintf(&b, "\n</details>\n")
	}
	_, err := fmt.Fprint(c.data, b.String())
	return err
}

func (c *checking) markdownTable(b *strings.Builder, rows []*checkRow, labels *labeler) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| benchmark | verdict | |\n| --- | --- | --- |\n")
	for i, row := range rows {
		if b.Len() > maxMarkdown {
			fmt.Fprintf(b, "| %d more | | |\n", len(rows)-i)
			return
		}
		name := markdown(labels.label(row.series, nil))
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, row.VerdictText(), markdown(c.sentence(row)))
	}
}

// printGitHub prints annotations of GitHub Actions for what changed.
func (c *checking) printGitHub() error {
	labels := c.labels()
	for _, row := range c.rows {
		verdict := row.VerdictText()
		kind := "warning"
		switch {
		case !row.Verdict.IsDifferent() || row.isAccepted():
			continue
		case verdict == "worse":
			kind = "error"
		case strings.HasPrefix(verdict, "better"):
			kind = "notice"
		}
		text := labels.label(row.series, nil) + ": " + c.sentence(row)
		fmt.Fprintf(c.stdout, "::%s title=%s::%s\n", kind, escapeProperty(verdict), escapeData(text))
	}
	c.annotateRest(c.drift)
	fmt.Fprintf(c.stdout, "%s\n", c.summary())
	return nil
}
