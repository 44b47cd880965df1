package judging

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/drift"
	"perfdata/series/posted"
	"perfdata/traceid"
)

// Findings are what changes says of series.
type Findings struct {
	Series   []*series.Series
	Found    []change.Found // of each series
	Findings []change.Finding
	Changes  []change.Change  // of all series
	Posted   []posted.Finding // Findings, with their ids
	Former   []posted.Finding // earlier ones that are not found, or not printed
	Commits  []series.Commit
	Order    series.Order
	Reach    change.Reach // of the series

	Threshold, Alpha float64
}

// Table returns a table for a form: a row for each finding, and in CSV and JSON for each change of a series.
func (w *Findings) Table(form string) *Table {
	columns := []string{"commit", "what", "change:", "series:", "in common"}
	t := &Table{Summary: w.summary(), Columns: columns, Titles: []string{
		"finding", "trace", "kind", "commit", "index", "lo", "hi", "before", "after", "ratio", "p", "q", "id"}}
	switch form {
	case "csv":
		t.Rows = w.changeRows()
		return t
	case "json":
		w.addLists(t)
		return t
	}
	for i := range w.Findings {
		t.Rows = append(t.Rows, w.row(&w.Findings[i]))
	}
	t.Body = func(p *Printer) {
		for i, r := range t.Rows {
			lines := strings.Split(r.Text, "\n")
			p.line("", fmt.Sprintf("%d. %s, %s: %s", i+1, r.Label, r.Verdict, lines[0]))
			for _, line := range lines[1:] {
				p.line("   ", line)
			}
		}
	}
	return t
}

// row returns a finding in the words of the forms for people.
func (w *Findings) row(f *change.Finding) Row {
	kind, subject := Verdict(f), paramsText(f.Params)
	if subject == "" {
		subject = fmt.Sprintf("%d series with nothing in common", len(f.Changes))
	}
	verdict, ratio := fmt.Sprintf("%d %s", len(f.Changes), kind), ratioText(f)
	if f.Kind == change.Excursion {
		verdict += " for a while"
	}
	text := ratio + "\n" + subject
	if len(f.Changes) > 1 {
		first := w.Found[f.Changes[0].Series]
		rest := slices.DeleteFunc(first.Params.Clone(), func(p traceid.Param) bool {
			value, ok := f.Params.Get(p.Key)
			return ok && value == p.Value
		})
		text += "\nthe largest: " + join(" ", changeText(first.Points[f.Changes[0].Point].Ratio), paramsText(rest))
	}
	return Row{
		Kind: kind, Verdict: verdict, Label: w.place(f), Text: text, IsShown: true,
		Columns: []string{w.place(f), verdict, ratio, strconv.Itoa(len(f.Changes)), subject},
	}
}

// ratioText returns the median of the changes of a finding. If some values rose and others fell, such as times
// and rates that got worse, it returns the least and the greatest: a median of both says nothing.
func ratioText(f *change.Finding) string {
	if f.Least < 1 && f.Greatest > 1 {
		return changeText(f.Least) + " to " + changeText(f.Greatest)
	}
	return changeText(f.Ratio)
}

// changeText returns a ratio as a change in percent, or as a factor if it is large.
func changeText(ratio float64) string {
	if ratio >= 10 && !math.IsInf(ratio, 0) {
		return fmt.Sprintf("x %.3g", ratio)
	}
	return percent(ratio, 1)
}

// Verdict returns what a finding means.
func Verdict(f *change.Finding) string {
	switch {
	case f.Worse > 0:
		return "worse"
	case f.Better > 0:
		return "better"
	}
	return "changed"
}

// place returns the commit of a finding, or the range of commits, for people.
func (w *Findings) place(f *change.Finding) string {
	at, lo, hi := shortCommit(w.commit(f.At)), shortCommit(w.commit(f.Lo)), shortCommit(w.commit(f.Hi))
	switch {
	case f.Kind == change.Trend:
		return "trend from " + lo + " to " + hi
	case f.Kind == change.Excursion:
		return "from " + at + " to " + shortCommit(w.commit(f.Back-1))
	case f.Lo < f.Hi:
		return at + " (" + lo + " to " + hi + ")"
	}
	return at
}

// commit returns the name of a commit by its place.
func (w *Findings) commit(place int) string {
	if place < 0 || place >= len(w.Commits) {
		return "the end"
	}
	if name := w.Commits[place].Hash; name != "" {
		return name
	}
	return "without a commit"
}

// names returns the trace IDs of the series, and the names of the commits.
func (w *Findings) names() (traces, commits []string) {
	for _, s := range w.Series {
		traces = append(traces, s.Trace)
	}
	for i := range w.Commits {
		commits = append(commits, w.Commits[i].Hash)
	}
	return traces, commits
}

// Find groups the points that were found into findings. They keep the ids of earlier ones. If points were also
// found in an earlier part of the history, findings that it shows are left out.
func (w *Findings) Find(earlier []change.Found, before []posted.Finding) {
	w.Findings, w.Changes = change.Findings(w.Found, w.Alpha, w.Threshold)
	traces, commits := w.names()
	w.Posted = posted.Of(w.Findings, traces, commits)
	w.Former = posted.Assign(w.Posted, before, commits)
	if earlier == nil {
		return
	}
	shown, _ := change.Findings(earlier, w.Alpha, w.Threshold)
	var rest []change.Finding
	var now []posted.Finding
	for i, isKnown := range posted.Known(w.Posted, posted.Of(shown, traces, commits), commits) {
		if isKnown {
			w.Former = append(w.Former, w.Posted[i])
		} else {
			rest, now = append(rest, w.Findings[i]), append(now, w.Posted[i])
		}
	}
	w.Findings, w.Posted = rest, now
}

// addLists adds what JSON has.
func (w *Findings) addLists(t *Table) {
	traces, commits := w.names()
	enc := change.NewEncoder(w.Found, w.Changes, traces, commits)
	all, findings := List{Name: "series"}, List{Name: "findings"}
	for i := range w.Found {
		all.Elements = append(all.Elements, enc.Series(i))
	}
	for i := range w.Findings {
		findings.Elements = append(findings.Elements, w.Posted[i].Encode(enc.Finding(&w.Findings[i])))
	}
	t.Lists = []List{all, findings}
	t.Rest = struct {
		Commits int              `json:"commits"`
		Order   string           `json:"order"`
		Short   int              `json:"short"`            // series with too few commits to find a step of 50%
		Needed  int              `json:"needed,omitempty"` // commits, for these
		Former  []posted.Finding `json:"former,omitempty"`
	}{len(w.Commits), w.Order.String(), w.Reach.Short, w.Reach.Needed, w.Former}
}

// changeRows returns a row for each change. The number of the finding is that of its line in the other forms.
func (w *Findings) changeRows() []Row {
	traces, commits := w.names()
	enc := change.NewEncoder(w.Found, w.Changes, traces, commits)
	numbers, ids := make(map[[2]int]string), make(map[[2]int]string)
	for i, f := range w.Findings {
		for _, x := range f.Changes {
			at := [2]int{x.Series, x.Point}
			numbers[at], ids[at] = strconv.Itoa(i+1), w.Posted[i].ID
		}
	}
	var rows []Row
	for i, f := range w.Found {
		for j, p := range f.Points {
			rows = append(rows, Row{Cells: []string{
				numbers[[2]int{i, j}], w.Series[i].Trace, p.Kind.String(), w.commit(f.Commits[p.Index]),
				strconv.Itoa(p.Index), strconv.Itoa(p.Lo), strconv.Itoa(p.Hi),
				number(p.Before), number(p.After), number(p.Ratio), number(p.P), number(enc.Q(i, j)),
				ids[[2]int{i, j}],
			}})
		}
	}
	return rows
}

// summary returns a line about what was found, and by which rules.
func (w *Findings) summary() string {
	changed, points, back := make(map[int]bool), 0, 0
	for _, f := range w.Findings {
		points += len(f.Changes)
		if f.Kind == change.Excursion {
			back += len(f.Changes) // the steps back
		}
		for _, x := range f.Changes {
			changed[x.Series] = true
		}
	}
	text := fmt.Sprintf("%s: %s in %d of %d series, at %s",
		message.Plural(len(w.Findings), "finding"), message.Plural(points, "change"),
		len(changed), len(w.Found), message.Plural(len(w.Commits), "commit"))
	if n := len(w.Changes) - points - back; n > 0 {
		text += fmt.Sprintf("; %d more below %.3g%% or with q over %.3g", n, 100*w.Threshold, w.Alpha)
	}
	if both := w.contradictions(); len(both) > 0 {
		text += "; better and worse at the same commit: " + join(", ", both[:min(len(both), 3)]...)
		if n := len(both) - 3; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
	}
	if note := w.Reach.Note(len(w.Findings), w.Threshold); note != "" {
		text += "; " + note
	}
	if len(w.Commits) > 1 {
		text += "; " + w.Order.String()
	}
	return text
}

// contradictions returns the benchmarks of which one finding says that they got worse, and another, at the same
// commit, that they got better: in another unit.
func (w *Findings) contradictions() []string {
	isMetric := func(p traceid.Param) bool { return slices.Contains([]string{"unit", "units", "metric"}, p.Key) }
	verdicts := make(map[string]string)
	var both []string
	for i := range w.Findings {
		f := &w.Findings[i]
		if f.Kind == change.Trend || Verdict(f) == "changed" {
			continue
		}
		for _, c := range f.Changes {
			rest := slices.DeleteFunc(w.Found[c.Series].Params.Clone(), isMetric)
			name := join(" ", paramsText(rest), "at", shortCommit(w.commit(f.At)))
			if before := verdicts[name]; before != "" && before != Verdict(f) && !slices.Contains(both, name) {
				both = append(both, name)
			}
			verdicts[name] = Verdict(f)
		}
	}
	return both
}

// Counts returns the numbers of the findings with each verdict, and as "worse?" those of the other changes for
// the worse. What changed in a direction of which nobody knows whether it is better is unknown.
func (w *Findings) Counts() map[string]int {
	counts := make(map[string]int)
	for i := range w.Findings {
		counts[Verdict(&w.Findings[i])]++
	}
	for _, x := range w.Changes {
		s := &w.Found[x.Series]
		p := s.Points[x.Point]
		isWorse := s.Better == format.Lower && p.After > p.Before || s.Better == format.Higher && p.After < p.Before
		if isWorse && p.Exceeds(w.Threshold) {
			counts["worse?"]++
		}
	}
	counts["unknown"] = counts["changed"]
	return counts
}

// drifted is the kind of a row about drift.
const drifted = "drifted"

// Drift returns a table of the reasons of a report. Without a reason, the text has none.
func Drift(form string, r *drift.Report) *Table {
	t := &Table{
		Titles: []string{"reason", "key", "from", "to", "series"}, Columns: []string{"reason"}, Rest: r,
		Summary: fmt.Sprintf("%s and %d new: %d vanished, %d appeared, %d the same",
			message.Plural(r.OldFiles, "old file"), r.NewFiles, r.Vanished, r.Appeared, r.Same),
	}
	if form == "text" {
		t.Sections = []Section{DriftSection("", r)}
		return t
	}
	for _, reason := range r.Reasons() {
		if reason.Text == "" && form != "csv" {
			continue // an earlier line says it, too
		}
		count := ""
		if reason.Series > 0 {
			count = strconv.Itoa(reason.Series)
		}
		t.Rows = append(t.Rows, Row{
			Kind: drifted, Verdict: reason.Kind, Text: reason.Text, IsShown: true, Columns: []string{reason.Text},
			Cells: []string{reason.Kind, reason.Key, reason.From, reason.To, count},
		})
	}
	return t
}

// DriftSection returns the reasons of a report.
func DriftSection(title string, r *drift.Report) Section {
	s := Section{Title: title}
	for _, reason := range r.Reasons() {
		if reason.Text != "" {
			s.Lines = append(s.Lines, reason.Text)
		}
	}
	return s
}
