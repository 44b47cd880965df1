package report

import (
	"fmt"
	"net/url"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/change"
	"perfdata/series/judgment"
	"perfdata/series/posted"
	"perfdata/traceid"
)

// A Page is what a page shows. It belongs to the caller, and Write only reads it.
type Page struct {
	Title string

	// Notes are sentences about the whole page, such as how the commits are ordered, and what was
	// left out.
	Notes []string

	// Problems say what could not be read or judged, and why.
	Problems []string

	// CommitURL is the address of a commit, in which {commit} stands for its hash. It must begin
	// with http:// or https://. If it is empty, there are no links. A Hash with a blank, such as
	// "trial 1234/2", is not the hash of a commit, and has no link.
	CommitURL string

	// Threshold is the share by which a change must exceed the level of a series, which the chart
	// shows. FindChanges sets it. It is 0 if nothing was looked for.
	Threshold float64

	// Posted are findings of an earlier run, whose ids FindChanges keeps.
	Posted []posted.Finding

	// Accepted are changes that people accept: FindChanges sets the Reason of findings of them
	// alone.
	Accepted []accepted.Change

	// Charset has the characters that trace IDs keep, by which the queries of Accepted select
	// series. It is nil for the default.
	Charset *traceid.Charset

	Commits    []series.Commit // the oldest first
	Series     []Line
	Findings   []Finding   // the worst first, and accepted ones last
	Comparison *Comparison // nil for none
}

// A Line is the values of a series, as the page draws them.
type Line struct {
	Params traceid.Params // that tell it from others
	Unit   string         // empty if it is not known
	Better format.Direction
	Exact  bool    // its values have no noise
	Points []Point // at most one a commit, in the order of the commits
	Marks  []Mark  // in any order
}

// A Point is the values of a series at a commit.
type Point struct {
	Commit   int // index in Page.Commits
	N        int // of values, at least 1
	Value    float64
	Min, Max float64 // of the values; they are not used if N is 1

	// Variance is the variance of Value by the spread of the values, as change.Summary returns
	// it.
	Variance float64
}

// A Mark is a place in a series where something changes.
type Mark struct {
	Kind          change.Kind // a Step, a Trend, or an Outlier
	Commit        int         // index in Page.Commits, of the first commit after the change
	Lo, Hi        int         // the change is at one of these commits
	Before, After float64     // the levels
}

// A Finding is one change, of one or many series.
type Finding struct {
	Verdict judgment.Verdict // Worse, Changed or Better
	Series  []int            // indexes in Page.Series, the one that changed most first

	// ID is what package perfdata/series/posted calls the finding. It is the fragment f-ID of the
	// page's address, and may be empty.
	ID string

	// Reason says why the change is accepted: the page shows the finding apart. It is empty if it
	// is not accepted.
	Reason string

	// Mark has the levels of the first series, and the commits that may be the cause for all.
	Mark

	// The others describe a change of several series.
	Params traceid.Params // that they have in common
	Ratio  float64        // the median of the ratios; 0 if it is not known
}

// A Comparison compares two sets of values of each series.
type Comparison struct {
	Old, New string // the compared sets
	Rows     []Row  // the worst first
}

// A Row is the judgment of a series.
type Row struct {
	Line int // index in Page.Series
	*judgment.Judgment
}

// check returns an error for a page that cannot be written.
func (p *Page) check() error {
	if err := CheckCommitURL(p.CommitURL); err != nil && p.CommitURL != "" {
		return err
	}
	for i := range p.Series {
		if err := p.checkSeries(&p.Series[i]); err != nil {
			return fmt.Errorf("series %d: %w", i, err)
		}
	}

	for i, f := range p.Findings {
		if len(f.Series) == 0 {
			return fmt.Errorf("finding %d: no series", i)
		}
		for _, s := range f.Series {
			if s < 0 || s >= len(p.Series) {
				return fmt.Errorf("finding %d: series %d: want less than %d", i, s, len(p.Series))
			}
		}
		if err := p.checkMark(f.Mark); err != nil {
			return fmt.Errorf("finding %d: %w", i, err)
		}
	}

	if p.Comparison == nil {
		return nil
	}
	for i, row := range p.Comparison.Rows {
		if row.Judgment == nil {
			return fmt.Errorf("row %d: no judgment", i)
		}
		if row.Line < 0 || row.Line >= len(p.Series) {
			return fmt.Errorf("row %d: series %d: want less than %d", i, row.Line, len(p.Series))
		}
	}
	return nil
}

func (p *Page) checkSeries(s *Line) error {
	next := 0
	for _, at := range s.Points {
		if at.Commit < next || at.Commit >= len(p.Commits) {
			return fmt.Errorf("commit %d: want from %d to %d", at.Commit, next, len(p.Commits)-1)
		}
		if at.N < 1 {
			return fmt.Errorf("commit %d: %d values: want at least 1", at.Commit, at.N)
		}
		next = at.Commit + 1
	}
	for _, m := range s.Marks {
		if err := p.checkMark(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *Page) checkMark(m Mark) error {
	if m.Lo < 0 || m.Lo > m.Commit || m.Commit > m.Hi || m.Hi >= len(p.Commits) {
		return fmt.Errorf("change at commit %d, from %d to %d: want commits in this order, less than %d",
			m.Commit, m.Lo, m.Hi, len(p.Commits))
	}
	return nil
}

// placeholder stands for the hash in the address of a commit.
const placeholder = "{commit}"

// CheckCommitURL returns an error for a template that Page.CommitURL must not be: without
// {commit}, or of another scheme, which might run a program.
func CheckCommitURL(template string) error {
	if u, err := url.Parse(strings.ReplaceAll(template, placeholder, "x")); err != nil ||
		u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.Contains(template, placeholder) {
		return fmt.Errorf("address of commits %q: want one such as https://host/%s", template, placeholder)
	}
	return nil
}

// CommitURLOf returns the address of commits for Page.CommitURL that the links of a measurement
// have, under the name commit, or "".
func CommitURLOf(links format.Links, commit string) string {
	const least = 6 // shorter names may occur in any address
	link, ok := links.Get("commit")
	if !ok || len(commit) < least || strings.Count(link, commit) != 1 {
		return ""
	}
	template := strings.Replace(link, commit, placeholder, 1)
	if CheckCommitURL(template) != nil {
		return ""
	}
	return template
}
