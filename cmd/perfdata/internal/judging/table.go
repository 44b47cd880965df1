// Package judging prints judgments, in five forms. A command that judges makes a [Table] of its
// judgments, findings or reasons, and a [Printer] prints it: as text, CSV, JSON, Markdown, or
// annotations of GitHub Actions. [Judgments], [Findings] and [Drift] make tables.
package judging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdata/series/judgment"
	"perfdata/traceid"
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

// maxLines is the number of lines for things of one kind.
const maxLines = 20

// Shown returns lines, or the first of them and how many more there are.
func Shown(lines []string) []string {
	if len(lines) <= maxLines {
		return lines
	}
	return append(slices.Clone(lines[:maxLines]), fmt.Sprintf("%d more", len(lines)-maxLines))
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
