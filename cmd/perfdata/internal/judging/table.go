// Package judging says what was judged, in five forms. A command that judges makes a [Table] of its
// judgments, findings or reasons, and a [Printer] prints it: as text, CSV, JSON, Markdown, or annotations of
// GitHub Actions. [Judgments], [Findings] and [Drift] make tables.
package judging

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/series/judgment"
)

// Forms are the forms of a table.
var Forms = []string{"text", "csv", "json", "markdown", "github"}

// A Table is what a command that judges says, for all forms.
type Table struct {
	Heading  []string // lines above the text
	Rows     []Row
	Summary  string
	Footer   string // small print
	Compared string // what Markdown says after the summary
	Sections []Section
	Body     func(*Printer) // prints the rows as text; nil for a line each

	Titles  []string   // of the cells of CSV
	Totals  [][]string // rows of CSV after the others
	Columns []string   // of Markdown; those of numbers end with ":"

	Lists []List // members of JSON
	Rest  any    // an object with the other members of JSON
	Skips *Skips
}

// A Row is a judgment, or a finding, in the words of each form.
type Row struct {
	Kind    string // the verdict, as package judgment has it: the color, and the level of an annotation
	Verdict string // for people
	Label   string // what was judged
	Text    string // what is said of it, in lines
	IsShown bool   // as text, and not folded in Markdown
	Cells   []string
	Columns []string
}

// accepted is the kind of a row about an accepted change.
const accepted = "accepted"

// A Section is lines about one thing.
type Section struct {
	Title        string
	Lines        []string
	OnlyMarkdown bool // the text has them elsewhere
}

// A List is a member of JSON whose elements have a line each.
type List struct {
	Name     string
	Elements []any
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
	text := s.Reason
	if s.Trace != "" {
		text = s.Trace + ": " + text
	}
	switch {
	case s.File != "" && s.Line > 0:
		text = fmt.Sprintf("%s:%d:%d: %s", s.File, s.Line, s.Column, text)
	case s.File != "":
		text = s.File + ": " + text
	}
	if s.More > 0 {
		text += fmt.Sprintf(", and %d more like this", s.More)
	}
	return text
}

// Skips are what could not be judged.
type Skips struct {
	All     []Skip
	dropped int // more than maxSkips
}

// maxSkips is the number of different things that are kept.
const maxSkips = 1000

// Add adds something that could not be judged. Equal reasons are counted.
func (s *Skips) Add(one Skip) {
	same := func(old Skip) bool { return old.Reason == one.Reason && old.File == one.File }
	if i := slices.IndexFunc(s.All, same); i >= 0 {
		s.All[i].More++
	} else if len(s.All) < maxSkips {
		s.All = append(s.All, one)
	} else {
		s.dropped++
	}
}

// Lines returns a line for each thing that could not be judged, those of files if they are wanted.
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

// sections returns the sections that have lines, and what could not be judged. Text has the faults of files
// on standard error.
func (t *Table) sections(form string) []Section {
	isPage := form == "markdown" || form == "github"
	all := append(slices.Clone(t.Sections), Section{Title: "cannot be judged", Lines: t.Skips.Lines(isPage, true)})
	return slices.DeleteFunc(all, func(s Section) bool {
		return len(s.Lines) == 0 || s.OnlyMarkdown && form != "markdown"
	})
}

// MaxLines is the number of lines for things of one kind.
const MaxLines = 20

// Shown returns lines, or the first of them and how many more there are.
func Shown(lines []string) []string {
	if len(lines) <= MaxLines {
		return lines
	}
	return append(slices.Clone(lines[:MaxLines]), fmt.Sprintf("%d more", len(lines)-MaxLines))
}

// Summary returns the numbers of verdicts, the worst first.
func Summary(counts map[string]int) string {
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
