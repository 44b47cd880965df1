package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/series/change"
	"perfdata/series/judgment"
)

// A body is what the template of the page's body shows. All texts are escaped by package
// html/template.
type body struct {
	*Page
	meta     *meta
	Cards    []card // shown
	More     []card // folded: all after the third
	Accepted []card // folded
	Rows     []Row  // of the comparison, shown
	MoreRows []Row  // folded: the same, or unknown
	IsEmpty  bool   // there is nothing to explore, and will not be
	Upload   string // a command that uploads results
}

// A card shows a finding.
type card struct {
	*Finding
	body       *body
	Number     int
	Change     string
	Name, Unit string
	Group      string        // what several series have in common; empty for one series
	First      string        // what the series of the plot is among them
	Plot       template.HTML // of the first 60
}

// A commitView is a commit for people.
type commitView struct{ Name, URL, Date, Author, Subject string }

// writeBody writes one of the templates of the body.
func writeBody(out io.Writer, name string, b any) error {
	text, err := web.ReadFile("web/body.html")
	if err != nil {
		return err
	}
	classes := map[string]string{ // of elements about a verdict
		"worse": "worse", "better": "better", "changed": "changed", "same": "same", "worse?": "suspect",
	}
	t, err := template.New("body").Funcs(template.FuncMap{
		"class":    func(verdict string) string { return cmp.Or(classes[verdict], "unknown") },
		"interval": interval, "percent": percent, "probability": probability, "short": short, "shown": shown,
	}).Parse(string(text))
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(out, name, b)
}

// newBody returns what the body of a page shows.
func newBody(p *Page, m *meta) *body {
	b := &body{Page: p, meta: m, IsEmpty: len(p.Series) == 0}
	for i := range p.Findings {
		c := b.newCard(i)
		switch {
		case c.Reason != "":
			b.Accepted = append(b.Accepted, c)
		case i < 3:
			b.Cards = append(b.Cards, c)
		default:
			b.More = append(b.More, c)
		}
	}

	if p.Comparison == nil {
		return b
	}
	for _, r := range p.Comparison.Rows {
		if r.Verdict == judgment.Same || r.Verdict == judgment.Unknown {
			b.MoreRows = append(b.MoreRows, r)
		} else {
			b.Rows = append(b.Rows, r)
		}
	}
	return b
}

// Counts returns what the page has.
func (b *body) Counts() string {
	return plural(len(b.Series), "series", "series") + ", " + plural(len(b.Commits), "commit", "commits")
}

// Common returns the params that all series have.
func (b *body) Common() string {
	var parts []string
	for _, k := range b.meta.Common {
		parts = append(parts, b.meta.Keys[k]+"="+b.meta.Values[k][0])
	}
	return strings.Join(parts, ", ")
}

// Name returns the name of a series. The script has the same.
func (b *body) Name(series int) string {
	const mostParts = 8
	var parts []string
	more := 0
	for i, k := range b.meta.Names {
		v := b.meta.Params[k][series]
		switch {
		case v < 0:
		case len(parts) == mostParts:
			more++
		case i < b.meta.Lead:
			parts = append(parts, b.meta.Values[k][v])
		default:
			parts = append(parts, b.meta.Keys[k]+"="+b.meta.Values[k][v])
		}
	}
	if len(parts) == 0 {
		return "all values"
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("(%d more params)", more))
	}
	return strings.Join(parts, " ")
}

func (b *body) newCard(number int) card {
	f := &b.Findings[number]
	c := card{
		Finding: f, body: b, Number: number, Change: percent(f.After / f.Before),
		Name: b.Name(f.Series[0]), Unit: b.Series[f.Series[0]].Unit,
	}
	if f.Before == 0 {
		c.Change = "from 0"
	}

	if len(f.Series) > 1 {
		c.Group = plural(len(c.Series), "series", "series")
		separator := " with "
		for _, p := range c.Params {
			key := shown(p.Key)
			if !slices.ContainsFunc(b.meta.Common, func(k int) bool { return b.meta.Keys[k] == key }) {
				c.Group += separator + key + "=" + shown(p.Value)
				separator = ", "
			}
		}
		c.First = "the largest change"
		if c.Ratio != 0 {
			c.First, c.Change = c.Change+", the largest change", percent(c.Ratio)
		}
	}

	if number < 60 {
		c.Plot = newSketch(b.Page, f)
	}
	return c
}

// IsTrend reports whether the change is slow.
func (c card) IsTrend() bool { return c.Kind == change.Trend }

// At returns a commit for people.
func (c card) At(commit int) commitView {
	p := c.body.Page
	of := &p.Commits[commit]
	v := commitView{Name: commitText(p, commit), Author: shown(of.Author), Subject: shown(of.Subject)}
	if p.CommitURL != "" && of.Hash != "" && !strings.Contains(of.Hash, " ") {
		v.URL = strings.ReplaceAll(p.CommitURL, placeholder, url.PathEscape(of.Hash))
	}
	if !of.Time.IsZero() {
		v.Date = of.Time.UTC().Format(time.DateOnly)
	}
	return v
}

// interval returns an interval of ratios for people, or "" if it is not known.
func interval(lo, hi float64) string {
	if special(lo) != 0 || special(hi) != 0 {
		return ""
	}
	return percent(lo) + " to " + percent(hi)
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

// short returns a number for people, in four digits: 0.001234, 12.35, 1.235M.
func short(v float64) string { return rounded(v, 4) }

// rounded returns a number for people, in some digits.
func rounded(v float64, digits int) string {
	suffix := ""
	abs := math.Abs(v)
	for i, size := range []float64{1e12, 1e9, 1e6, 1e3} {
		if abs >= max(size, math.Pow10(digits)) && abs < 1e15 {
			v, suffix = v/size, "TGMk"[i:i+1]
			break
		}
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', digits, 64), "-", "−", 1) + suffix
}

// percent returns a ratio as a change: +12.3%, −5%.
func percent(ratio float64) string {
	v := (ratio - 1) * 100
	if special(v) != 0 {
		return "?"
	}
	if math.Abs(v) >= 1000 || ratio > 0 && ratio < 0.001 {
		return "×" + short(ratio)
	}
	text := strconv.FormatFloat(v, 'f', 1, 64)
	switch {
	case text == "0.0" || text == "-0.0":
		return "0.0%"
	case v > 0:
		return "+" + text + "%"
	}
	return "−" + text[1:] + "%"
}

// probability returns a p-value with two digits.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// plural returns a number of things: 1 commit, 12,345 commits.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + many
}
