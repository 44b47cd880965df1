package judging

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/chars"
)

// maxMarkdown is a little less than the length of a comment that GitHub takes.
const maxMarkdown = 60_000

// printMarkdown prints a comment for a pull request: a line with the verdict, what changed, and the rest
// folded.
func (p *Printer) printMarkdown(t *Table) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**%s\n", markdown(t.Summary), markdown(t.Compared))
	var shown, folded []Row
	for _, r := range t.Rows {
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
	small := []string{t.Footer, strings.ReplaceAll(strings.Join(t.Heading, " "), ": ", "=")}
	small = slices.DeleteFunc(small, func(s string) bool { return s == "" })
	if len(small) > 0 {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", markdown(strings.Join(small, "; ")))
	}
	if len(folded) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d without a certain change</summary>\n", len(folded))
		t.writeMarkdown(&b, folded)
		fmt.Fprintf(&b, "\n</details>\n")
	}
	_, err := fmt.Fprint(p.Data, b.String())
	return err
}

// writeMarkdown writes rows as a table, as far as they fit in a comment.
func (t *Table) writeMarkdown(b *strings.Builder, rows []Row) {
	if len(rows) == 0 {
		return
	}
	titles, rules := "\n|", "|"
	for _, title := range t.Columns {
		name, isNumber := strings.CutSuffix(title, ":")
		titles, rules = titles+" "+markdown(name)+" |", rules+" ---"
		if isNumber {
			rules += ":"
		}
		rules += " |"
	}
	fmt.Fprintf(b, "%s\n%s\n", titles, rules)
	for i, r := range rows {
		if b.Len() > maxMarkdown {
			fmt.Fprintf(b, "| %d more |%s\n", len(rows)-i, strings.Repeat(" |", len(t.Columns)-1))
			return
		}
		fmt.Fprint(b, "|")
		for _, cell := range r.Columns {
			fmt.Fprintf(b, " %s |", markdown(cell))
		}
		fmt.Fprintln(b)
	}
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "@", "&#64;", "#", "&#35;", "~", `\~`)

// markdown returns text that Markdown and HTML show as it is.
func markdown(text string) string { return markdownEscapes.Replace(chars.Visible(text)) }
