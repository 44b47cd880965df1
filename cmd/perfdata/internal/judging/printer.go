package judging

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/internal/chars"
)

// A Printer prints a [Table] in a form.
type Printer struct {
	Form  string
	Out   io.Writer                        // for people
	Data  io.Writer                        // for programs
	Color func(kind, text string) string   // colors what is said of a verdict
	Note  func(format string, args ...any) // prints a line beside the data
}

// Print prints a table.
func (p *Printer) Print(t *Table) error {
	switch p.Form {
	case "csv":
		return p.printCSV(t)
	case "json":
		return p.printJSON(t)
	case "markdown":
		return p.printMarkdown(t)
	case "github":
		p.printGitHub(t)
	default:
		p.printText(t)
	}
	return nil
}

// line prints a line for people. Text from files may have any characters.
func (p *Printer) line(indent, text string) { fmt.Fprintln(p.Out, indent+chars.Visible(text)) }

func (p *Printer) printText(t *Table) {
	for _, line := range t.Heading {
		p.line("", line)
	}
	if t.Body != nil {
		t.Body(p)
	} else {
		p.printRows(t)
	}
	for _, line := range []string{t.Summary, t.Footer} {
		if line != "" {
			p.line("", line)
		}
	}

	for _, s := range t.sections(p.Form) {
		if s.Title != "" {
			fmt.Fprintln(p.Out)
			p.line("", s.heading())
		}
		for _, line := range Shown(s.Lines) {
			p.line("  ", line)
		}
	}
}

// heading returns the title with a colon, unless it has one.
func (s *Section) heading() string {
	if strings.Contains(s.Title, ":") {
		return s.Title
	}
	return s.Title + ":"
}

// printRows prints a line for each row that says something, and below it the details.
func (p *Printer) printRows(t *Table) {
	for _, r := range t.Rows() {
		if !r.IsShown {
			continue
		}
		fmt.Fprintf(p.Out, "%s: %s\n", p.Color(r.Kind, chars.Visible(r.Verdict)), chars.Visible(r.Label))
		for _, line := range r.Lines {
			p.line("    ", line)
		}
	}
}

// printCSV prints the cells, and the rest as notes.
func (p *Printer) printCSV(t *Table) error {
	w := csv.NewWriter(p.Data)
	w.Write(t.Titles)
	for cells := range t.Cells {
		w.Write(cells)
	}
	w.Flush()
	for _, s := range t.sections(p.Form) {
		for _, line := range Shown(s.Lines) {
			p.Note("%s", join(": ", s.Title, line))
		}
	}
	return w.Error()
}

// printJSON prints one object, with a line for each element of a list.
func (p *Printer) printJSON(t *Table) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, list := range t.Lists {
		fmt.Fprintf(&b, "%q:[", list.Name)
		separator := "\n"
		for i := range list.Len {
			b.WriteString(separator)
			b.Write(marshal(list.At(i)))
			separator = ",\n"
			if b.Len() > 64<<10 {
				p.Data.Write(b.Bytes())
				b.Reset()
			}
		}
		b.WriteString("\n],")
	}
	b.Write(bytes.TrimSuffix(marshal(t.Rest)[1:], []byte("}")))
	skips := append([]Skip{}, t.Skips.All...)
	if t.Skips.dropped > 0 {
		skips = append(skips, Skip{Reason: fmt.Sprintf("%d more", t.Skips.dropped)})
	}
	fmt.Fprintf(&b, ",\"unjudged\":%s}\n", marshal(skips))
	_, err := p.Data.Write(b.Bytes())
	return err
}

// marshal returns v, which can be marshaled, as JSON on one line.
func marshal(v any) []byte {
	text, _ := chars.MarshalJSON(v) // there is no error
	return text
}

// levels are those of annotations of GitHub Actions about kinds of rows. Others have none.
var levels = map[string]string{
	"worse": "error", "better": "notice", "better?": "notice",
	"worse?": "warning", "changed": "warning", "changed?": "warning", "known": "warning", drifted: "warning",
}

// printGitHub prints annotations for what changed, and a line with the verdicts.
func (p *Printer) printGitHub(t *Table) {
	annotate := func(level, title, text string) {
		fmt.Fprintf(p.Out, "::%s title=%s::%s\n", level, EscapeProperty(title), EscapeData(text))
	}
	for _, r := range t.Rows() {
		if level := levels[r.Kind]; level != "" {
			annotate(level, r.Verdict, join(": ", r.Label, strings.Join(r.Lines, "; ")))
		}
	}
	for _, s := range t.sections(p.Form) {
		title, _, _ := strings.Cut(s.Title, ":")
		for _, line := range Shown(s.Lines) {
			annotate("warning", title, line)
		}
	}
	p.line("", t.Summary)
}

// EscapeData escapes the text of a workflow command. Line ends are escaped twice: as visible text, and for
// GitHub.
func EscapeData(s string) string { return strings.ReplaceAll(chars.Visible(s), "%", "%25") }

// EscapeProperty escapes the value of a property of a workflow command.
func EscapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(EscapeData(s))
}

// maxMarkdown is a little less than the length of a comment that GitHub takes.
const maxMarkdown = 60_000

// printMarkdown prints a comment for a pull request: a line with the verdict, what changed, and the rest
// folded.
func (p *Printer) printMarkdown(t *Table) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**%s\n", markdown(t.Summary), markdown(t.Compared))
	var shown, folded []Row
	for _, r := range t.Rows() {
		if r.IsShown && r.Kind != accepted {
			shown = append(shown, r)
		} else {
			folded = append(folded, r)
		}
	}
	t.writeMarkdown(&b, shown)

	for i, s := range t.sections(p.Form) {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		for _, line := range Shown(s.Lines) {
			if s.Title != "" && !strings.Contains(s.Title, ":") {
				line = s.Title + ": " + line
			}
			fmt.Fprintf(&b, "- %s\n", markdown(line))
		}
	}
	if small := join("; ", t.Footer, strings.ReplaceAll(strings.Join(t.Heading, " "), ": ", "=")); small != "" {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", markdown(small))
	}
	if len(folded) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a certain change</summary>\n", len(folded))
		t.writeMarkdown(&b, folded)
		fmt.Fprintf(&b, "\n</details>\n")
	}
	_, err := io.WriteString(p.Data, b.String())
	return err
}

// writeMarkdown writes rows as a table, as far as they fit in a comment.
func (t *Table) writeMarkdown(b *strings.Builder, rows []Row) {
	if len(rows) == 0 {
		return
	}
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	titles, rules := slices.Clone(t.Columns), slices.Clone(t.Columns)
	for i, title := range t.Columns {
		name, isNumber := strings.CutSuffix(title, ":")
		titles[i], rules[i] = markdown(name), "---"
		if isNumber {
			rules[i] = "---:"
		}
	}
	b.WriteByte('\n')
	line(titles)
	line(rules)
	for i, r := range rows {
		cells := make([]string, len(titles))
		if b.Len() > maxMarkdown {
			cells[0] = fmt.Sprintf("%d more", len(rows)-i)
			line(cells)
			return
		}
		for k, cell := range r.Columns {
			cells[k] = markdown(cell)
		}
		line(cells)
	}
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "@", "&#64;", "#", "&#35;", "~", `\~`)

// markdown returns text that Markdown and HTML show as it is.
func markdown(text string) string { return markdownEscapes.Replace(chars.Visible(text)) }
