package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/internal/visible"
	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/series/judgment"
)

// A verdictTable is what a command that judges says, for all forms.
type verdictTable struct {
	*judge
	heading  []string // lines above the text
	body     func()   // prints the rows as text; nil for a line each
	rows     []verdictRow
	summary  string
	footer   string // small print
	sections []section
	notes    []section // of Markdown: what the text has elsewhere

	titles   []string // of the cells of CSV
	columns  []string // of Markdown; those that end with ":" are numbers
	means    [][]string
	members  string   // the name of the rows in JSON; empty if it has none
	more     []string // members of JSON before the rest, encoded
	rest     any      // an object with the other members of JSON
	compared string   // what Markdown says after the summary
}

// A verdictRow is a judgment, or a finding, in the words of each form.
type verdictRow struct {
	verdict string
	level   string // of an annotation: error, warning or notice; empty for none
	label   string // what was judged
	text    string // what is said of it
	isShown bool   // as text, and not folded in Markdown
	cells   []string
	columns []string
	data    any
}

// A section is lines about one thing.
type section struct {
	title string
	lines []string
}

// levelOf returns the level of an annotation about a judgment.
func levelOf(verdict string) string {
	switch verdict {
	case "worse":
		return "error"
	case "better", "better?":
		return "notice"
	case "worse?", "changed", "changed?", "known":
		return "warning"
	}
	return ""
}

// styleOf returns the color of a verdict.
func styleOf(verdict string) style {
	switch strings.TrimSuffix(verdict, "?") {
	case "worse":
		return red
	case "changed", "known":
		return yellow
	case "better":
		return cyan
	}
	return ""
}

// verdictName returns a verdict for people: "worse since 3f2a9c1" for one that is known.
func verdictName(j *judgment.Judgment) string {
	if text := j.VerdictText(); text != "known" {
		return text
	}
	return "worse since " + shortCommit(j.Since)
}

// countsText returns the numbers of verdicts, the worst first.
func countsText(counts map[string]int) string {
	var parts []string
	for _, verdict := range judgment.Texts() {
		n, name := counts[verdict], verdict
		if verdict == "known" {
			name = "worse since an earlier commit"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(parts, ", ")
}

// print prints the table in the form that was asked for, after what could not be read.
func (t *verdictTable) print() error {
	t.reportUnread()
	switch t.form {
	case "csv":
		return t.printCSV()
	case "json":
		return t.printJSON()
	case "markdown":
		return t.printMarkdown()
	case "github":
		return t.printGitHub()
	}
	t.printText()
	return nil
}

func (t *verdictTable) printText() {
	for _, line := range t.heading {
		fmt.Fprintf(t.stdout, "%s\n", visible.String(line))
	}
	if t.body != nil {
		t.body()
	} else {
		t.printRows()
	}
	if t.summary != "" {
		fmt.Fprintf(t.stdout, "%s\n", visible.String(t.summary))
	}
	if t.footer != "" {
		fmt.Fprintf(t.stdout, "%s\n", visible.String(t.footer))
	}
	for _, s := range t.allSections(false) {
		if s.title != "" {
			colon := ":"
			if strings.Contains(s.title, ":") {
				colon = ""
			}
			fmt.Fprintf(t.stdout, "\n%s%s\n", visible.String(s.title), colon)
		}
		for _, line := range s.shown(maxLines) {
			fmt.Fprintf(t.stdout, "  %s\n", visible.String(line))
		}
	}
}

// printRows prints a line for each row that says something, and one with the details.
func (t *verdictTable) printRows() {
	for i := range t.rows {
		r := &t.rows[i]
		if !r.isShown {
			continue
		}
		color := styleOf(r.verdict)
		verdict := styled(t.colorOut && color != "", color, visible.String(r.verdict))
		fmt.Fprintf(t.stdout, "%s: %s\n", verdict, visible.String(r.label))
		for line := range strings.SplitSeq(r.text, "\n") {
			fmt.Fprintf(t.stdout, "    %s\n", visible.String(line))
		}
	}
}

// shown returns the lines, and how many more there are.
func (s *section) shown(most int) []string {
	if len(s.lines) <= most {
		return s.lines
	}
	return append(slices.Clone(s.lines[:most]), fmt.Sprintf("%d more", len(s.lines)-most))
}

// allSections returns the sections with what could not be judged. Text has the faults of files on standard
// error.
func (t *verdictTable) allSections(withFiles bool) []section {
	s := section{title: "cannot be judged"}
	for i := range t.unjudged {
		if withFiles || t.unjudged[i].File == "" {
			s.lines = append(s.lines, t.unjudged[i].String())
		}
	}
	var all []section
	for _, one := range append(slices.Clone(t.sections), s) {
		if len(one.lines) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// printCSV prints a row for each judgment, and the rest on standard error.
func (t *verdictTable) printCSV() error {
	w := csv.NewWriter(t.data)
	w.Write(t.titles)
	for i := range t.rows {
		w.Write(t.rows[i].cells)
	}
	w.WriteAll(t.means)
	for _, s := range t.allSections(false) {
		for _, line := range s.shown(maxLines) {
			t.note("%s", strings.TrimPrefix(s.title+": "+line, ": "))
		}
	}
	return w.Error()
}

// printJSON prints one object, with a line for each row.
func (t *verdictTable) printJSON() error {
	fmt.Fprint(t.data, "{")
	if t.members != "" {
		fmt.Fprintf(t.data, "%q:[", t.members)
		separator := "\n"
		for i := range t.rows {
			fmt.Fprint(t.data, separator)
			t.data.Write(marshal(t.rows[i].data))
			separator = ",\n"
		}
		fmt.Fprint(t.data, "\n],")
	}
	for _, member := range t.more {
		fmt.Fprintf(t.data, "%s,\n", member)
	}
	text := marshal(t.rest)
	unjudged := append([]unjudged{}, t.unjudged...)
	if t.left > 0 {
		unjudged = append(unjudged, t.leftOver())
	}
	rest := strings.TrimSuffix(string(text[1:]), "}")
	if rest != "" {
		rest += ","
	}
	_, err := fmt.Fprintf(t.data, "%s\"unjudged\":%s}\n", rest, marshal(unjudged))
	return err
}

// leftOver stands for what is not listed.
func (j *judge) leftOver() unjudged { return unjudged{Reason: fmt.Sprintf("%d more", j.left)} }

// maxMarkdown is a little less than the length of a comment that GitHub takes.
const maxMarkdown = 60_000

// printMarkdown prints a comment for a pull request: a line with the verdict, what changed, and the rest
// folded.
func (t *verdictTable) printMarkdown() error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**%s\n", markdown(t.summary), t.compared)
	var shown, folded []*verdictRow
	for i := range t.rows {
		if r := &t.rows[i]; r.isShown {
			shown = append(shown, r)
		} else {
			folded = append(folded, r)
		}
	}
	t.writeMarkdownTable(&b, shown)

	for i, s := range append(slices.Clone(t.notes), t.allSections(true)...) {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		for _, line := range s.shown(maxLines) {
			if s.title != "" && !strings.Contains(s.title, ":") {
				line = s.title + ": " + line
			}
			fmt.Fprintf(&b, "- %s\n", markdown(line))
		}
	}
	small := []string{t.footer, strings.ReplaceAll(strings.Join(t.heading, " "), ": ", "=")}
	if text := strings.Join(slices.DeleteFunc(small, func(s string) bool { return s == "" }), "; "); text != "" {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", markdown(text))
	}
	if len(folded) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a certain change</summary>\n", len(folded))
		t.writeMarkdownTable(&b, folded)
		fmt.Fprintf(&b, "\n</details>\n")
	}
	_, err := fmt.Fprint(t.data, b.String())
	return err
}

// writeMarkdownTable writes rows as a table, as far as they fit in a comment.
func (t *verdictTable) writeMarkdownTable(b *strings.Builder, rows []*verdictRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprint(b, "\n|")
	for _, title := range t.columns {
		fmt.Fprintf(b, " %s |", markdown(strings.TrimSuffix(title, ":")))
	}
	fmt.Fprint(b, "\n|")
	for _, title := range t.columns {
		if strings.HasSuffix(title, ":") {
			fmt.Fprint(b, " ---: |")
		} else {
			fmt.Fprint(b, " --- |")
		}
	}
	fmt.Fprintln(b)
	for i, r := range rows {
		if b.Len() > maxMarkdown {
			fmt.Fprintf(b, "| %d more |%s\n", len(rows)-i, strings.Repeat(" |", len(t.columns)-1))
			return
		}
		fmt.Fprint(b, "|")
		for _, cell := range r.columns {
			fmt.Fprintf(b, " %s |", markdown(cell))
		}
		fmt.Fprintln(b)
	}
}

// markdown returns text that Markdown and HTML show as it is.
func markdown(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`",
		"[", `\[`, "]", `\]`, "@", "&#64;", "#", "&#35;", "~", `\~`).Replace(visible.String(text))
}

// printGitHub prints annotations of GitHub Actions for what changed, and a line with the verdicts.
func (t *verdictTable) printGitHub() error {
	for i := range t.rows {
		r := &t.rows[i]
		if r.level == "" {
			continue
		}
		text := strings.TrimPrefix(r.label+": "+strings.ReplaceAll(r.text, "\n", "; "), ": ")
		fmt.Fprintf(t.stdout, "::%s title=%s::%s\n", r.level, escapeProperty(r.verdict), escapeData(text))
	}
	for _, s := range t.allSections(true) {
		for _, line := range s.shown(maxLines) {
			title, _, _ := strings.Cut(s.title, ":")
			fmt.Fprintf(t.stdout, "::warning title=%s::%s\n", escapeProperty(title), escapeData(line))
		}
	}
	_, err := io.WriteString(t.stdout, visible.String(t.summary)+"\n")
	return err
}

// driftSection returns the reasons of a report.
func driftSection(title string, r *drift.Report) section {
	s := section{title: title}
	for _, reason := range r.Reasons() {
		s.lines = append(s.lines, reason.Text)
	}
	return s
}

// statistics returns a line for each benchmark none of whose statistics is judged.
func (j *judge) leaveOutStatistics(all, others []*series.Series) {
	isOther := make(map[*series.Series]bool)
	for _, s := range others {
		isOther[s] = true
	}
	judged := make(map[string]bool)
	for _, s := range all {
		if len(others) > 0 && !isOther[s] {
			judged[withoutStat(s)] = true
		}
	}
	for _, s := range others {
		if id := withoutStat(s); !judged[id] {
			judged[id] = true
			j.leaveOut(unjudged{Trace: id, Reason: "it has several statistics, and neither median nor mean: choose by --match"})
		}
	}
}
