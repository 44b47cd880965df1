package main

import (
	"encoding/csv"
	"strconv"

	"perfdata/series/drift"
)

// printDriftCSV prints a row for each reason: what it is, the param that it is about, its old and new
// values, and the number of series, as far as these are known.
func (j *judge) printDriftCSV(r *drift.Report) error {
	w := csv.NewWriter(j.data)
	w.Write([]string{"reason", "key", "from", "to", "series"})
	for _, reason := range r.Reasons() {
		count := ""
		if reason.Series > 0 {
			count = strconv.Itoa(reason.Series)
		}
		w.Write([]string{reason.Kind, reason.Key, reason.From, reason.To, count})
	}
	w.Flush()
	for i := range j.unjudged {
		j.note("cannot be judged: %v", &j.unjudged[i])
	}
	return w.Error()
}
