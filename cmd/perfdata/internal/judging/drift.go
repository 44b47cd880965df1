package judging

import (
	"fmt"
	"strconv"

	"perfdata/series/drift"
)

// drifted is the kind of a row about drift.
const drifted = "drifted"

// Drift returns a table of the reasons of a report. Without a reason, the text has none.
func Drift(form string, r *drift.Report) *Table {
	t := &Table{
		Titles: []string{"reason", "key", "from", "to", "series"}, Columns: []string{"reason"}, Rest: r,
		Summary: fmt.Sprintf("%s and %d new: %d vanished, %d appeared, %d the same",
			Plural(r.OldFiles, "old file"), r.NewFiles, r.Vanished, r.Appeared, r.Same),
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
