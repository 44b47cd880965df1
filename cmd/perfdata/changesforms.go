package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/visible"
	changepoint "perfdata/series/change"
	"perfdata/traceid"
)

// print prints the changes in the form that was asked for.
func (c *changeSearch) print() error {
	switch c.form {
	case "csv":
		return c.printCSV()
	case "json":
		return c.printJSON()
	case "markdown":
		return c.printMarkdown()
	}
	return c.printText()
}

// encoder returns an Encoder of the changes.
func (c *changeSearch) encoder() *changepoint.Encoder {
	all := make([]changepoint.Series, len(c.found))
	traces := make([]string, len(c.found))
	for i, f := range c.found {
		all[i], traces[i] = f.Series, f.series.Trace
	}
	return changepoint.NewEncoder(all, c.all, traces, c.commits)
}

// printJSON prints one object, with a line for each series and finding.
func (c *changeSearch) printJSON() error {
	enc := c.encoder()
	fmt.Fprint(c.data, `{"series":[`)
	separator := "\n"
	for i := range c.found {
		fmt.Fprintf(c.data, "%s%s", separator, enc.Series(i))
		separator = ",\n"
	}

	fmt.Fprint(c.data, "\n],\"findings\":[")
	separator = "\n"
	for i := range c.findings {
		fmt.Fprintf(c.data, "%s%s", separator, enc.Finding(&c.findings[i]))
		separator = ",\n"
	}
	_, err := fmt.Fprint(c.data, "\n]}\n")
	return err
}

// printCSV prints a row for each point. The number of the finding is that of its line in the
// other forms.
func (c *changeSearch) printCSV() error {
	enc := c.encoder()
	numbers := make(map[[2]int]int)
	for i, f := range c.findings {
		for _, x := range f.Changes {
			numbers[[2]int{x.Series, x.Point}] = i + 1
		}
	}

	w := csv.NewWriter(c.data)
	w.Write([]string{"finding", "trace", "kind", "commit", "index", "lo", "hi", "before", "after", "ratio", "p", "q"})
	for i, f := range c.found {
		for j, p := range f.Points {
			number := ""
			if n := numbers[[2]int{i, j}]; n > 0 {
				number = strconv.Itoa(n)
			}
			w.Write([]string{
				number, f.series.Trace, p.Kind.String(), c.commitName(f.Commits[p.Index]),
				strconv.Itoa(p.Index), strconv.Itoa(p.Lo), strconv.Itoa(p.Hi),
				csvNumber(p.Before), csvNumber(p.After), csvNumber(p.Ratio), csvNumber(p.P), csvNumber(enc.Q(i, j)),
			})
		}
	}
	w.Flush()
	return w.Error()
}

// printText prints a line for each finding.
func (c *changeSearch) printText() error {
	for i, f := range c.findings {
		fmt.Fprintf(c.stdout, "%d. %s, %s: %s\n", i+1, visible.String(c.place(f)), effectOf(f), changeText(f))
		fmt.Fprintf(c.stdout, "   %s\n", visible.String(c.subject(f)))
		if len(f.Changes) > 1 {
			first := f.Changes[0]
			p := c.found[first.Series].Points[first.Point]
			largest := strings.TrimSpace(percentOf(p.Ratio) + " " + visible.String(c.rest(f, first)))
			fmt.Fprintf(c.stdout, "   the largest: %s\n", largest)
		}
	}
	fmt.Fprintf(c.stdout, "%s\n", c.summary())
	c.printUnjudged()
	return nil
}

// printMarkdown prints a table of the findings.
func (c *changeSearch) printMarkdown() error {
	fmt.Fprintf(c.stdout, "%s\n", c.summary())
	if len(c.findings) == 0 {
		return nil
	}
	fmt.Fprint(c.stdout, "\n| commit | what | change | series | in common |\n| --- | --- | ---: | ---: | --- |\n")
	for _, f := range c.findings {
		fmt.Fprintf(c.stdout, "| %s | %s | %s | %d | %s |\n", markdownCell(c.place(f)), effectOf(f),
			changeText(f), len(f.Changes), markdownCell(c.subject(f)))
	}
	return nil
}

func markdownCell(text string) string {
	return "`" + strings.NewReplacer("|", `\|`, "`", "'").Replace(visible.String(text)) + "`"
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
		len(changed), len(c.found), plural(len(c.commits), "commit"))
	if n := len(c.all) - points; n > 0 {
		text += fmt.Sprintf("; %d more below %.3g%% or with q over %.3g", n, 100*c.threshold, c.alpha)
	}
	if len(c.commits) > 1 {
		text += "; " + c.order.String()
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

// shortCommit returns the first twelve digits of a whole hash of git, and any other name as it is.
func shortCommit(name string) string {
	if (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:12]
	}
	return name
}

// effectOf returns how many series got worse or better.
func effectOf(f changepoint.Finding) string {
	effect := "changed"
	switch {
	case f.Worse > 0:
		effect = "worse"
	case f.Better > 0:
		effect = "better"
	}
	return fmt.Sprintf("%d %s", len(f.Changes), effect)
}

// changeText returns the median of the changes of a finding. If some values rose and others fell, such as
// times and rates that got worse, it returns the least and the greatest: a median of both says nothing.
func changeText(f changepoint.Finding) string {
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
	return paramText(f.Params)
}

// rest returns the params of a change that the others of the finding do not have.
func (c *changeSearch) rest(f changepoint.Finding, x changepoint.Change) string {
	return paramText(slices.DeleteFunc(c.found[x.Series].Params.Clone(), func(p traceid.Param) bool {
		value, ok := f.Params.Get(p.Key)
		return ok && value == p.Value
	}))
}

func paramText(params traceid.Params) string {
	parts := make([]string, 0, len(params))
	for _, p := range params {
		parts = append(parts, p.Key+"="+p.Value)
	}
	return strings.Join(parts, " ")
}
