package judging

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
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
		return p.printGitHub(t)
	}
	p.printText(t)
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
			p.line("", s.Title+colon(s.Title))
		}
		for _, line := range Shown(s.Lines) {
			p.line("  ", line)
		}
	}
}

// colon returns the end of a title: nothing if it has a colon.
func colon(title string) string {
	if strings.Contains(title, ":") {
		return ""
	}
	return ":"
}

// printRows prints a line for each row that says something, and below it the details.
func (p *Printer) printRows(t *Table) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if !r.IsShown {
			continue
		}
		fmt.Fprintf(p.Out, "%s: %s\n", p.Color(r.Kind, chars.Visible(r.Verdict)), chars.Visible(r.Label))
		for line := range strings.SplitSeq(r.Text, "\n") {
			p.line("    ", line)
		}
	}
}

// printCSV prints a row for each judgment, and the rest as notes.
func (p *Printer) printCSV(t *Table) error {
	w := csv.NewWriter(p.Data)
	w.Write(t.Titles)
	for i := range t.Rows {
		w.Write(t.Rows[i].Cells)
	}
	w.WriteAll(t.Totals)
	for _, s := range t.sections(p.Form) {
		for _, line := range Shown(s.Lines) {
			p.Note("%s", strings.TrimPrefix(s.Title+": "+line, ": "))
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
		for _, element := range list.Elements {
			b.WriteString(separator)
			b.Write(marshal(element))
			separator = ",\n"
			if b.Len() > 64<<10 {
				p.Data.Write(b.Bytes())
				b.Reset()
			}
		}
		b.WriteString("\n],")
	}
	b.Write(bytes.TrimSuffix(marshal(t.Rest)[1:], []byte("}")))
	skips := t.Skips.All
	if t.Skips.dropped > 0 {
		skips = append(skips, Skip{Reason: fmt.Sprintf("%d more", t.Skips.dropped)})
	}
	fmt.Fprintf(&b, ",\"unjudged\":%s}\n", marshal(append([]Skip{}, skips...)))
	_, err := p.Data.Write(b.Bytes())
	return err
}

// marshal returns v, which can be marshaled, as JSON on one line.
func marshal(v any) []byte {
	text, _ := chars.MarshalJSON(v) // there is no error
	return text
}

// printGitHub prints annotations of GitHub Actions for what changed, and a line with the verdicts.
func (p *Printer) printGitHub(t *Table) error {
	annotate := func(level, title, text string) {
		fmt.Fprintf(p.Out, "::%s title=%s::%s\n", level, EscapeProperty(title), EscapeData(text))
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; levelOf(r.Kind) != "" {
			text := strings.TrimPrefix(r.Label+": "+strings.ReplaceAll(r.Text, "\n", "; "), ": ")
			annotate(levelOf(r.Kind), r.Verdict, text)
		}
	}
	for _, s := range t.sections(p.Form) {
		title, _, _ := strings.Cut(s.Title, ":")
		for _, line := range Shown(s.Lines) {
			annotate("warning", title, line)
		}
	}
	p.line("", t.Summary)
	return nil
}

// levelOf returns the level of an annotation about a kind of row, or nothing if it has none.
func levelOf(kind string) string {
	switch kind {
	case "worse":
		return "error"
	case "better", "better?":
		return "notice"
	case "worse?", "changed", "changed?", "known", drifted:
		return "warning"
	}
	return ""
}

// EscapeData escapes the text of a workflow command. Line ends are escaped twice: as visible text, and for
// GitHub.
func EscapeData(s string) string { return strings.ReplaceAll(chars.Visible(s), "%", "%25") }

// EscapeProperty escapes the value of a property of a workflow command.
func EscapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(EscapeData(s))
}
