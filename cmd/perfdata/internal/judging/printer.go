package judging

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"perfdata/internal/chars"
)

// A Printer prints a [Table] in a form. Its writers keep their errors.
type Printer struct {
	Form  string
	Out   io.Writer                        // for people
	Data  io.Writer                        // for programs
	Color func(level, text string) string  // colors text, by the level of its annotation
	Note  func(format string, args ...any) // prints a line beside the data
}

// Print prints a table.
func (p *Printer) Print(t *Table) {
	switch p.Form {
	case "csv":
		p.printCSV(t)
	case "json":
		p.printJSON(t)
	case "markdown":
		p.printMarkdown(t)
	case "github":
		p.printGitHub(t)
	default:
		p.printText(t)
	}
}

// line prints a line for people. Text from files may have any characters.
func (p *Printer) line(indent, text string) { fmt.Fprintln(p.Out, indent+chars.Visible(text)) }

// printText prints the body of a table, and what else it says.
func (p *Printer) printText(t *Table) {
	for key, value := range t.Common.All() {
		p.line("", key+": "+value)
	}
	t.Body(p)
	for _, line := range []string{t.Summary, t.Footer} {
		if line != "" {
			p.line("", line)
		}
	}

	for _, s := range t.sections(p.Form) {
		if s.Title != "" {
			p.line("\n", s.Title+cmp.Or(s.Detail, ":"))
		}
		for _, line := range s.Lines {
			p.line("  ", line)
		}
	}
}

// printCSV prints the cells, and the rest as notes.
func (p *Printer) printCSV(t *Table) {
	w := csv.NewWriter(p.Data)
	w.Write(t.Titles)
	t.Cells(func(cells []string) { w.Write(cells) })
	w.Flush()
	for _, s := range t.sections(p.Form) {
		for _, line := range s.Lines {
			p.Note("%s", join(": ", s.Title+s.Detail, line))
		}
	}
}

// printJSON prints one object, with a line for each element of a list.
func (p *Printer) printJSON(t *Table) {
	fmt.Fprint(p.Data, "{")
	for _, list := range t.Lists {
		fmt.Fprintf(p.Data, "%q:[", list.Name)
		separator := "\n"
		for i := range list.Len {
			io.WriteString(p.Data, separator)
			p.Data.Write(chars.JSON(list.At(i)))
			separator = ",\n"
		}
		fmt.Fprint(p.Data, "\n],")
	}
	skips, rest := append([]Skip{}, t.Skips.All...), chars.JSON(t.Rest)
	if t.Skips.dropped > 0 {
		skips = append(skips, Skip{Reason: fmt.Sprintf("%d more", t.Skips.dropped)})
	}
	fmt.Fprintf(p.Data, "%s,\"unjudged\":%s}\n", rest[1:len(rest)-1], chars.JSON(skips))
}

// levels are the levels of GitHub Actions annotations, by kind of row. Other kinds have no
// annotations.
var levels = map[string]string{
	"worse": "error", "better": "notice", "better?": "notice",
	"worse?": "warning", "changed": "warning", "changed?": "warning", "known": "warning", drifted: "warning",
}

// printGitHub prints annotations for changes, and a line with the verdicts.
func (p *Printer) printGitHub(t *Table) {
	for _, r := range t.Rows() {
		if level := levels[r.Kind]; level != "" {
			Annotate(p.Out, level, "title="+EscapeProperty(r.Verdict), join(": ", r.Label, strings.Join(r.Lines, "; ")))
		}
	}
	for _, s := range t.sections(p.Form) {
		for _, line := range s.Lines {
			Annotate(p.Out, "warning", "title="+EscapeProperty(s.Title), line)
		}
	}
	p.line("", t.Summary)
}

// Annotate prints an annotation of GitHub Actions.
func Annotate(w io.Writer, level, properties, text string) {
	fmt.Fprintf(w, "::%s %s::%s\n", level, properties, escapeData(text))
}

// escapeData escapes the text of a workflow command. Line ends are escaped twice: as visible text,
// and for GitHub.
func escapeData(s string) string { return strings.ReplaceAll(chars.Visible(s), "%", "%25") }

// EscapeProperty escapes the value of a property of a workflow command.
func EscapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// maxMarkdown is a little less than the length of a comment that GitHub takes.
const maxMarkdown = 60_000

// printMarkdown prints a comment for a pull request: a line with the verdict, the changes, and the
// rest folded.
func (p *Printer) printMarkdown(t *Table) {
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
			b.WriteByte('\n')
		}
		for _, line := range s.Lines {
			if s.Detail == "" {
				line = join(": ", s.Title, line)
			}
			fmt.Fprintf(&b, "- %s\n", markdown(line))
		}
	}

	if small := join("; ", t.Footer, paramsText(t.Common)); small != "" {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", markdown(small))
	}
	if len(folded) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a certain change</summary>\n", len(folded))
		t.writeMarkdown(&b, folded)
		b.WriteString("\n</details>\n")
	}
	io.WriteString(p.Data, b.String())
}

// writeMarkdown writes rows as a table, as far as they fit in a comment.
func (t *Table) writeMarkdown(b *strings.Builder, rows []Row) {
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	cells, rules := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for k, title := range t.Columns {
		name := strings.TrimSuffix(title, ":")
		cells[k], rules[k] = markdown(name), "---"+title[len(name):]
	}
	for i, r := range rows {
		if i == 0 {
			b.WriteByte('\n')
			line(cells)
			line(rules)
		}
		if b.Len() > maxMarkdown {
			clear(cells)
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
