// Package judging prints judgments, in five forms. A command that judges makes a [Table] of its
// judgments, findings or reasons, and a [Printer] prints it: as text, CSV, JSON, Markdown, or
// annotations of GitHub Actions. [Judgments], [Findings] and [Drift] make tables.
package judging

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"perfdata/internal/chars"
	"perfdata/internal/goname"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
	"perfdata/unit"
)

// Forms are the forms of a table.
var Forms = []string{"text", "csv", "json", "markdown", "github"}

// A Table is what a command that judges says, for all forms. A form calls only the functions that
// it needs.
type Table struct {
	Common   traceid.Params // of all rows
	Rows     func() []Row
	Summary  string
	Compared string // what Markdown says after the summary
	Footer   string // small print
	Sections []Section
	Body     func(*Printer) // prints the rows as text

	Titles  []string                         // of CSV
	Cells   func(write func(cells []string)) // calls write for each of its rows
	Columns []string                         // of Markdown; the ones of numbers end with ":"

	Lists []List // members of JSON
	Rest  any    // an object with the other members of JSON
	Skips *Skips
}

// A Row is a judgment, or a finding, for people.
type Row struct {
	Kind    string   // the verdict, as package judgment has it: the color, and the level of an annotation
	Verdict string   // in words
	Label   string   // of the series, finding, reason or file
	Lines   []string // of text about it
	IsShown bool     // as text, and not folded in Markdown
	Columns []string
}

// These are kinds of rows that are not verdicts: about an accepted change, and about drift.
const accepted, drifted = "accepted", "drifted"

// A Section is lines about one thing.
type Section struct {
	Title  string
	Detail string // follows the title, except in Markdown and annotations
	Lines  []string
	Form   string // the only form that has them here; empty for all
}

// A List is a member of JSON whose elements have a line each.
type List struct {
	Name string
	Len  int
	At   func(i int) any
}

// sections returns the sections that have lines, and the skips. Text has the faults of files on
// standard error.
func (t *Table) sections(form string) (all []Section) {
	isPage := form == "markdown" || form == "github"
	skips := Section{Title: "cannot be judged", Lines: t.Skips.Lines(isPage, true)}
	for _, s := range append(slices.Clone(t.Sections), skips) {
		if s.Lines = Shown(s.Lines); len(s.Lines) > 0 && (s.Form == "" || s.Form == form) {
			all = append(all, s)
		}
	}
	return all
}

// Shown returns lines, or the first of them and how many more there are: nobody reads hundreds of
// lines about one thing, and they would hide what follows.
func Shown(lines []string) []string {
	const most = 20
	if more := len(lines) - most; more > 0 {
		return append(slices.Clone(lines[:most]), fmt.Sprintf("%d more", more))
	}
	return lines
}

// Summary returns the numbers of verdicts, the worst first.
func Summary(counts map[string]int) string {
	names := map[string]string{"known": "worse since an earlier commit"}
	var parts []string
	for _, verdict := range judgment.Texts() {
		if n := counts[verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, cmp.Or(names[verdict], verdict)))
		}
	}
	return strings.Join(parts, ", ")
}

// A Skip is something that could not be judged: an input, a measurement in it, or a series.
type Skip struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Trace  string `json:"trace,omitempty"`
	Reason string `json:"reason"`
	More   int    `json:"more,omitempty"` // others with the same reason
}

// String returns a line about something that could not be judged.
func (s *Skip) String() string {
	file, more := s.File, ""
	if s.Line > 0 {
		file = fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Column)
	}
	if s.More > 0 {
		more = fmt.Sprintf(", and %d more like this", s.More)
	}
	return join(": ", file, s.Trace, s.Reason) + more
}

// Skips are the inputs and series that could not be judged.
type Skips struct {
	All     []Skip
	dropped int // more than are kept
}

// Add adds something that could not be judged. Equal reasons are counted.
func (s *Skips) Add(one Skip) {
	const most = 1000 // different ones that are kept: a file may have any number of faults
	same := func(old Skip) bool { return old.Reason == one.Reason && old.File == one.File }
	if i := slices.IndexFunc(s.All, same); i >= 0 {
		s.All[i].More++
	} else if len(s.All) < most {
		s.All = append(s.All, one)
	} else {
		s.dropped++
	}
}

// Lines returns a line for each skip, including the skipped files if they are wanted.
func (s *Skips) Lines(ofFiles, ofOthers bool) []string {
	var lines []string
	for i := range s.All {
		if one := &s.All[i]; one.File != "" && ofFiles || one.File == "" && ofOthers {
			lines = append(lines, one.String())
		}
	}
	if s.dropped > 0 && ofFiles {
		lines = append(lines, fmt.Sprintf("%d more, which are not listed", s.dropped))
	}
	return lines
}

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
	case "csv": // the cells, and the rest as notes
		w := csv.NewWriter(p.Data)
		w.Write(t.Titles)
		t.Cells(func(cells []string) { w.Write(cells) })
		w.Flush()
		for _, s := range t.sections(p.Form) {
			for _, line := range s.Lines {
				p.Note("%s", join(": ", s.Title+s.Detail, line))
			}
		}

	case "json":
		p.printJSON(t)
	case "markdown":
		p.printMarkdown(t)

	case "github": // annotations for changes, and a line with the verdicts
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

	default:
		p.printText(t)
	}
}

// line prints a line for people. Text from files may have any characters.
func (p *Printer) line(indent, text string) { fmt.Fprintln(p.Out, indent+chars.Visible(text)) }

// printText prints the body of a table, and what else it says. The params that all rows have in
// common are printed once, above them, so that a row has what tells it from the others.
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
	const most = 60_000 // bytes: a little less than the length of a comment that GitHub takes
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
		if b.Len() > most {
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

// A scale is how values of a unit are shown: in the base unit, in the words of benchstat. Values
// of an unknown unit are shown unchanged, without prefixes: 399 median ms, and not 399.0m.
type scale struct {
	name       string
	isKnown    bool
	from, base unit.Unit
}

func scaleOf(text string) scale {
	u, ok := unit.Parse(text)
	if !ok {
		return scale{name: text}
	}
	q := u.Quantity
	base, _ := unit.Parse(q.String())
	if q.Of == "s" {
		q.Of = "sec"
	}
	return scale{q.String(), true, u, base}
}

// format returns values with one prefix.
func (s scale) format(values ...float64) []string {
	texts, scaled := make([]string, len(values)), slices.Clone(values)
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', 4, 64)
		if size := math.Abs(v); size >= 1000 && size < 1e15 {
			texts[i] = strconv.FormatFloat(v, 'f', 0, 64) // all digits before the decimal point
		}
		if converted, ok := s.from.Convert(v, s.base); ok {
			scaled[i] = converted
		}
	}
	if s.isKnown {
		scaler := benchunit.CommonScale(scaled, benchunit.ClassOf(s.name))
		for i, v := range scaled {
			texts[i] = scaler.Format(v)
		}
	}
	return texts
}

// Percent returns a ratio as a change in percent, as benchstat prints it.
func Percent(ratio float64) string { return percent(ratio, 2) }

func percent(ratio float64, decimals int) string {
	switch {
	case ratio != ratio:
		return "?"
	case math.IsInf(ratio, 0):
		return "from 0"
	}
	return fmt.Sprintf("%+.*f%%", decimals, 100*(ratio-1))
}

// numbers returns numbers for CSV, with empty texts for numbers that are not finite.
func numbers(all ...float64) []string {
	texts := make([]string, len(all))
	for i, x := range all {
		if x-x == 0 {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return texts
}

// count returns a number for CSV, or nothing for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ShortCommit returns the first twelve digits of a whole hash of git, and any other name as it is.
func ShortCommit(name string) string {
	if (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:12]
	}
	return name
}

// paramsText returns params in one line.
func paramsText(params traceid.Params) string {
	var parts []string
	for key, value := range params.All() {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, " ")
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// isIn reports whether params have a param, with its value.
func isIn(params traceid.Params, p traceid.Param) bool {
	value, ok := params.Get(p.Key)
	return ok && value == p.Value
}

// mainKeys are the params that name a benchmark. The first that a series has is shown without its
// key.
var mainKeys = []string{"name", "test", "benchmark", "bench"}

// NamesBenchmarks reports whether a key is the key of a param that names benchmarks.
func NamesBenchmarks(key string) bool { return slices.Contains(mainKeys, key) }

func isUnit(s *series.Series, p traceid.Param) bool {
	return (p.Key == "unit" || p.Key == "units") && p.Value == s.Unit
}

// label returns the name of a series, as Go benchmarks are named if it has a name, without the
// params that are said elsewhere.
func label(s *series.Series, elsewhere ...traceid.Params) string {
	name, main, end := "", "", ""
	for _, key := range slices.Backward(mainKeys) {
		if value, ok := s.Identity.Get(key); ok {
			name, main = value, key
		}
	}
	for _, p := range s.Identity {
		isSaid := slices.ContainsFunc(elsewhere, func(params traceid.Params) bool { return isIn(params, p) })
		switch {
		case p.Key == main || isSaid || isUnit(s, p):
		case p.Key == "gomaxprocs":
			end = "-" + p.Value
		case goname.SubNumber(p.Key) > 0:
			name += "/" + p.Value
		default:
			name = join("/", name, p.Key+"="+p.Value)
		}
	}
	return cmp.Or(name+end, "(all)")
}

// SetNames returns the names of two sets of files: the names of their only files, without the
// folders that both have in common, or otherwise old and new.
func SetNames(old, new []string) []string {
	isAddress := func(name string) bool { return name == "-" || strings.Contains(name, "://") } // with a password
	if len(old) != 1 || len(new) != 1 || old[0] == new[0] || isAddress(old[0]) || isAddress(new[0]) {
		return []string{"old", "new"}
	}
	a, b := old[0], new[0]
	for n := strings.IndexByte(a, '/') + 1; n > 0 && strings.HasPrefix(b, a[:n]); n = strings.IndexByte(a, '/') + 1 {
		a, b = a[n:], b[n:]
	}
	return []string{a, b}
}
