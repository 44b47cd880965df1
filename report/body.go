package report

import (
	"html/template"
	"io"
	"strings"
	"time"

	"perfdata/series/change"
	"perfdata/series/judgment"
)

// A body is what the template of the page's body shows. All texts are escaped by package
// html/template.
type body struct {
	Title    string
	Counts   string
	Common   string
	Notes    []string
	Problems []string
	Findings []card // shown
	More     []card // folded
	Accepted []card // folded
	Old, New string // of the comparison
	Rows     []row  // shown
	MoreRows []row  // folded: the same, or unknown
	HasRows  bool
	IsEmpty  bool
	Upload   string // a command that uploads results
}

// A card shows a finding.
type card struct {
	Number        int
	ID            string
	Verdict       string
	Class         string
	Change        string
	Name, Unit    string
	Group         string // what several series have in common; empty for one series
	First         string // what the series of the plot is among them
	IsTrend       bool
	Commit        commitView
	Lo, Hi        commitView
	Before, After string
	Reason        string // why it is accepted
	Plot          template.HTML
}

// A commitView is a commit for people.
type commitView struct{ Name, URL, Date, Author, Subject string }

// A row is a row of the comparison.
type row struct {
	Name, Unit, Old, New, Change, Interval, P, Q string
	OldN, NewN                                   int
	Verdict, Class                               string
}

// The numbers of findings that are shown with a plot, before the rest is folded; and of all with one.
const (
	cardsShown = 3
	cardsDrawn = 60
)

// writeBody writes one of the templates of the body.
func writeBody(out io.Writer, name string, b any) error {
	text, err := web.ReadFile("web/body.html")
	if err != nil {
		return err
	}
	t, err := template.New("body").Parse(string(text))
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(out, name, b)
}

// newBody returns what the body of a page shows.
func newBody(p *Page, m *meta) *body {
	b := &body{Title: shown(p.Title), Common: m.common(), IsEmpty: len(p.Series) == 0}
	for _, note := range p.Notes {
		b.Notes = append(b.Notes, shown(note))
	}

	for _, problem := range p.Problems {
		b.Problems = append(b.Problems, shown(problem))
	}

	b.Counts = plural(len(p.Series), "series", "series") + ", " + plural(len(p.Commits), "commit", "commits")
	for i := range p.Findings {
		c := newCard(p, m, i)
		switch {
		case c.Reason != "":
			b.Accepted = append(b.Accepted, c)
		case i < cardsShown:
			b.Findings = append(b.Findings, c)
		default:
			b.More = append(b.More, c)
		}
	}

	if p.Comparison != nil {
		b.addRows(p, m)
	}
	return b
}

func newCard(p *Page, m *meta, number int) card {
	f := &p.Findings[number]
	s := &p.Series[f.Series[0]]
	c := card{
		Number: number, ID: f.ID, Verdict: f.Verdict.String(), Class: classOf(f.Verdict.String()),
		Change: percent(f.After / f.Before),
		Name:   m.name(f.Series[0]), Unit: shown(s.Unit),
		IsTrend: f.Kind == change.Trend, Commit: p.commit(f.Commit), Before: short(f.Before), After: short(f.After),
		Reason: shown(f.Reason),
	}
	if f.Before == 0 {
		c.Change = "from 0"
	}
	if len(f.Series) > 1 {
		c.describeGroup(f, m)
	}
	if f.Lo < f.Hi || c.IsTrend {
		c.Lo, c.Hi = p.commit(f.Lo), p.commit(f.Hi)
	}
	if number < cardsDrawn {
		c.Plot = newSketch(p, f)
	}
	return c
}

// describeGroup describes a change of several series.
func (c *card) describeGroup(f *Finding, m *meta) {
	c.Group = plural(len(f.Series), "series", "series")
	var parts []string
	for _, p := range f.Params {
		if !m.isCommon(p.Key) {
			parts = append(parts, shown(p.Key)+"="+shown(p.Value))
		}
	}
	if len(parts) > 0 {
		c.Group += " with " + strings.Join(parts, ", ")
	}
	c.First = "the largest change"
	if f.Ratio != 0 {
		c.First, c.Change = c.Change+", the largest change", percent(f.Ratio)
	}
}

// classOf returns the class of elements about a verdict.
func classOf(verdict string) string {
	switch verdict {
	case "worse", "better", "changed", "same":
		return verdict
	case "worse?":
		return "suspect"
	}
	return "unknown"
}

func (b *body) addRows(p *Page, m *meta) {
	c := p.Comparison
	b.Old, b.New, b.HasRows = shown(c.Old), shown(c.New), true
	for _, r := range c.Rows {
		view := row{
			Name: m.name(r.Line), Unit: shown(p.Series[r.Line].Unit), Old: short(r.Old.Median), New: short(r.New.Median),
			OldN: r.Old.N, NewN: r.New.N, Change: percent(r.Ratio), P: probability(r.P), Q: probability(r.Q),
			Verdict: r.VerdictText(), Class: classOf(r.VerdictText()),
		}
		if e := r.Estimate; special(e.Lo) == 0 && special(e.Hi) == 0 {
			view.Interval = percent(e.Lo) + " to " + percent(e.Hi)
		}
		if r.Verdict == judgment.Same || r.Verdict == judgment.Unknown {
			b.MoreRows = append(b.MoreRows, view)
		} else {
			b.Rows = append(b.Rows, view)
		}
	}
}

// commit returns a commit for people.
func (p *Page) commit(i int) commitView {
	c := &p.Commits[i]
	v := commitView{
		Name: commitText(p, i), URL: p.commitURL(c.Hash), Author: shown(c.Author), Subject: shown(c.Subject),
	}
	if !c.Time.IsZero() {
		v.Date = c.Time.UTC().Format(time.DateOnly)
	}
	return v
}

// commitText returns a commit in few characters: hashes are cut.
func commitText(p *Page, i int) string {
	const most = 12
	name := shown(p.Commits[i].Hash)
	if name == "" {
		return "no name"
	}
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}
