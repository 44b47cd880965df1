package judging

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/series/posted"
	"perfdata/traceid"
)

// Findings are what changes says of series.
type Findings struct {
	*change.Result
	Order   series.Order
	Options compare.Options // those of the search

	shown  []change.Finding
	known  []change.Finding // which are left out
	posted []posted.Finding // those that are shown, with their ids
	former []posted.Finding // earlier ones that are not found, or not shown
}

// NewFindings returns the findings of a history. They keep the ids that they had in an earlier
// run. Findings that an earlier part of the history shows are left out.
func NewFindings(found, earlier *change.Result, before []posted.Finding) *Findings {
	w := &Findings{Result: found}
	named := posted.Of(found)
	w.former = posted.Assign(named, before, found.Commits)
	for i, isKnown := range posted.Known(named, posted.Of(earlier), found.Commits) {
		if isKnown {
			w.known, w.former = append(w.known, found.Findings[i]), append(w.former, named[i])
		} else {
			w.shown, w.posted = append(w.shown, found.Findings[i]), append(w.posted, named[i])
		}
	}
	return w
}

// Table returns a table of the findings. CSV has a row for each change of a series, and JSON has
// both.
func (w *Findings) Table() *Table {
	return &Table{
		Summary: w.summary(), Rows: w.rows, Columns: []string{"commit", "what", "change:", "series:", "in common"},
		Titles: []string{
			"finding", "trace", "kind", "commit", "index", "lo", "hi", "before", "after", "ratio", "p", "q", "id"},
		Cells: w.cells,
		Body: func(p *Printer) {
			for i, r := range w.rows() {
				p.line("", fmt.Sprintf("%d. %s, %s: %s", i+1, r.Label, r.Verdict, r.Lines[0]))
				for _, line := range r.Lines[1:] {
					p.line("   ", line)
				}
			}
		},
		Lists: []List{
			{"series", len(w.All), func(i int) any { return w.SeriesJSON(i) }},
			{"findings", len(w.posted), func(i int) any { return w.posted[i] }},
		},
		Rest: struct {
			Commits int              `json:"commits"`
			Order   string           `json:"order"`
			Short   int              `json:"short"`            // series with too few commits to find a step of 50%
			Needed  int              `json:"needed,omitempty"` // commits, for these
			Former  []posted.Finding `json:"former,omitempty"`
		}{len(w.Commits), w.Order.String(), w.Reach.Short, w.Reach.Needed, w.former},
	}
}

// rows returns the findings for people.
func (w *Findings) rows() (rows []Row) {
	for i := range w.shown {
		f := &w.shown[i]
		kind, n := f.Verdict().String(), len(f.Changes)
		subject := cmp.Or(paramsText(f.Params), fmt.Sprintf("%d series with nothing in common", n))

		r := Row{Kind: kind, Verdict: fmt.Sprintf("%d %s", n, kind), IsShown: true, Lines: []string{ratioText(f), subject}}
		at, lo, hi := w.short(f.At), w.short(f.Lo), w.short(f.Hi)
		switch {
		case f.Kind == change.Trend:
			r.Label = "trend from " + lo + " to " + hi
		case f.Kind == change.Excursion:
			r.Label = "from " + at + " to " + w.short(f.Back-1)
			r.Verdict += " for a while"
		case f.Lo < f.Hi:
			r.Label = at + " (" + lo + " to " + hi + ")"
		default:
			r.Label = at
		}

		r.Columns = []string{r.Label, r.Verdict, r.Lines[0], strconv.Itoa(n), subject}
		if n > 1 {
			first := w.All[f.Changes[0].Series]
			rest := slices.DeleteFunc(first.Params.Clone(), func(p traceid.Param) bool { return isIn(f.Params, p) })
			largest := changeText(first.Points[f.Changes[0].Point].Ratio)
			r.Lines = append(r.Lines, "the largest: "+join(" ", largest, paramsText(rest)))
		}
		rows = append(rows, r)
	}
	return rows
}

// ratioText returns the median of the changes of a finding. If some values rose and others fell,
// such as times and rates that got worse, it returns the least and the greatest: a median of both
// says nothing.
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

// commit returns the name of a commit by its place.
func (w *Findings) commit(place int) string {
	if place < 0 || place >= len(w.Commits) {
		return "the end"
	}
	return cmp.Or(w.Commits[place], "without a commit")
}

func (w *Findings) short(place int) string { return ShortCommit(w.commit(place)) }

// cells calls write with the cells of each change. The number of the finding is the number of its
// line in the other forms.
func (w *Findings) cells(write func([]string)) {
	findings := make(map[[2]int]int)
	for i, f := range w.shown {
		for _, x := range f.Changes {
			findings[[2]int{x.Series, x.Point}] = i + 1
		}
	}
	for i, f := range w.All {
		for k, p := range f.Points {
			n, id := findings[[2]int{i, k}], ""
			if n > 0 {
				id = w.posted[n-1].ID
			}
			cells := []string{count(n), w.Series[i].Trace, p.Kind.String(), w.commit(f.Commits[p.Index]),
				strconv.Itoa(p.Index), strconv.Itoa(p.Lo), strconv.Itoa(p.Hi)}
			cells = append(cells, numbers(p.Before, p.After, p.Ratio, p.P, p.Q)...)
			write(append(cells, id))
		}
	}
}

// summary returns a line that counts the findings, and names the rules.
func (w *Findings) summary() string {
	changed, points, more := make(map[int]bool), 0, len(w.Changes)
	for i, f := range slices.Concat(w.shown, w.known) {
		more -= len(f.Changes)
		if f.Kind == change.Excursion {
			more -= len(f.Changes) // the steps back
		}
		if i >= len(w.shown) {
			continue
		}

		points += len(f.Changes)
		for _, x := range f.Changes {
			changed[x.Series] = true
		}
	}

	below, earlier, order := "", "", ""
	if len(w.known) > 0 {
		earlier = message.Plural(len(w.known), "earlier finding") + " left out"
	}
	if more > 0 {
		below = fmt.Sprintf("%d more below %.3g%% or with q over %.3g", more, 100*w.Options.Threshold, w.Options.Alpha)
	}
	if len(w.Commits) > 1 {
		order = w.Order.String()
	}
	return join("; ", fmt.Sprintf("%s: %s in %d of %d series, at %s", message.Plural(len(w.shown), "finding"),
		message.Plural(points, "change"), len(changed), len(w.All), message.Plural(len(w.Commits), "commit")),
		earlier, below, w.contradictions(), w.Reach.Note(len(w.shown)+len(w.known), w.Options.Threshold), order)
}

// contradictions names the benchmarks of which one finding says that they got worse, and another,
// at the same commit, that they got better: in another unit.
func (w *Findings) contradictions() string {
	isMetric := func(p traceid.Param) bool { return slices.Contains([]string{"unit", "units", "metric"}, p.Key) }
	verdicts := make(map[string]judgment.Verdict)
	var both []string
	for i := range w.shown {
		f := &w.shown[i]
		now := f.Verdict()
		if f.Kind == change.Trend || now == judgment.Changed {
			continue
		}

		for _, c := range f.Changes {
			params := slices.DeleteFunc(w.All[c.Series].Params.Clone(), isMetric)
			name := join(" ", paramsText(params), "at", w.short(f.At))
			if before, ok := verdicts[name]; ok && before != now && !slices.Contains(both, name) {
				both = append(both, name)
			}
			verdicts[name] = now
		}
	}
	if len(both) == 0 {
		return ""
	}

	text := "better and worse at the same commit: " + strings.Join(both[:min(len(both), 3)], ", ")
	if n := len(both) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// Counts returns the numbers of the findings with each verdict, and as "worse?" the number of the
// other changes for the worse. A change is unknown if nobody knows which direction is better.
func (w *Findings) Counts() map[string]int {
	counts := make(map[string]int)
	for i := range w.shown {
		counts[w.shown[i].Verdict().String()]++
	}
	for _, x := range w.Changes {
		if x.Verdict(w.All) == judgment.Worse && w.All[x.Series].Points[x.Point].Exceeds(w.Options.Threshold) {
			counts["worse?"]++
		}
	}
	counts["unknown"] = counts["changed"]
	return counts
}

// Drift returns a table of the reasons of a report. Without a reason, the text has none.
func Drift(r *drift.Report) *Table {
	section := DriftSection("", "", r)
	section.Form = "text"
	return &Table{
		Titles: []string{"reason", "key", "from", "to", "series"}, Columns: []string{"reason"}, Rest: r,
		Summary: fmt.Sprintf("%s and %d new: %d vanished, %d appeared, %d the same",
			message.Plural(r.OldFiles, "old file"), r.NewFiles, r.Vanished, r.Appeared, r.Same),
		Sections: []Section{section}, Body: func(*Printer) {},
		Rows: func() (rows []Row) {
			for _, reason := range r.Reasons() {
				if text := []string{reason.Text}; reason.Text != "" {
					rows = append(rows, Row{Kind: drifted, Verdict: reason.Kind, Lines: text, IsShown: true, Columns: text})
				}
			}
			return rows
		},
		Cells: func(write func([]string)) {
			for _, reason := range r.Reasons() {
				write([]string{reason.Kind, reason.Key, reason.From, reason.To, count(reason.Series)})
			}
		},
	}
}

// DriftSection returns the reasons of a report. Reasons without a text are in an earlier line.
func DriftSection(title, detail string, r *drift.Report) Section {
	s := Section{Title: title, Detail: detail}
	for _, reason := range r.Reasons() {
		if reason.Text != "" {
			s.Lines = append(s.Lines, reason.Text)
		}
	}
	return s
}
