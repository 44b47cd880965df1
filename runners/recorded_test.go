package runners_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/formattest"
	"perfdata/runners/internal/runnertest"
)

// Each Reader reads generated documents as testdata/oracle.py of its package has answered. The
// script checks only the members that it needs: it takes the first of duplicate members, ignores
// members that it does not use, and reads NaN and Infinity everywhere, as Python does. And it
// fails without a member that it takes for granted.
func TestRecorded(t *testing.T) {
	// Other differences, by patterns of the documents.
	const nameTwice = `sort-load_compress_1|canvas-throughput\.surface_search_0` // both are read
	tests := map[string]struct {
		duplicate, wrongType, notJSON, unseen int    // numbers of documents that differ because of an error
		accepted                              int    // and of those about which the script fails
		others                                string // documents that differ for another reason
		differ                                int
	}{
		"androidx":       {duplicate: 7, wrongType: 3, accepted: 5},
		"benchmarktools": {duplicate: 5, wrongType: 2, accepted: 10},
		"bmf":            {duplicate: 14, wrongType: 2, notJSON: 2, others: nameTwice, differ: 2},
		"chartjson":      {duplicate: 8, wrongType: 4, accepted: 1},
		"criterion":      {duplicate: 7, wrongType: 5, notJSON: 5, unseen: 5, accepted: 1},
		"dotnetbench":    {duplicate: 10, wrongType: 2, accepted: 1},
		"ghbench":        {duplicate: 10, wrongType: 1, notJSON: 3, accepted: 5},
		"googlebench":    {duplicate: 6, wrongType: 1, unseen: 1, accepted: 3},
		"gungraun":       {duplicate: 7, wrongType: 1, notJSON: 3, unseen: 3, accepted: 1},
		"histogramset":   {duplicate: 7, wrongType: 5, accepted: 2},
		"hyperfine":      {duplicate: 10, wrongType: 1},
		"jmh":            {duplicate: 13, notJSON: 1, accepted: 5},
		"pyperf":         {duplicate: 10, wrongType: 2},
		"pytestbench":    {duplicate: 7, wrongType: 1, accepted: 2},
		"vitest":         {duplicate: 11, wrongType: 2, notJSON: 2, unseen: 1},
	}
	for _, f := range perfdata.Formats() {
		if rows.SpecOf(f) == nil || f.Open == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			test := tests[f.Name]
			departures := []formattest.Departure{
				{Name: "duplicate", Error: "duplicate member", Documents: test.duplicate},
				{Name: "wrong type", Error: "Invalid type", Documents: test.wrongType},
				{Name: "not JSON", Error: ": found ", Documents: test.notJSON},
				{Name: "unseen", Error: ":", Documents: test.unseen},
				{Name: "accepted", Accepted: true, Documents: test.accepted},
			}
			if test.others != "" {
				others := regexp.MustCompile(test.others)
				departures = append(departures, formattest.Departure{Name: "others", Document: others, Documents: test.differ})
			}
			generated := formattest.Generated{Format: f}
			generated.CheckRecorded(t, filepath.Join(f.Name, "testdata"), func(document string) (lines, errs []string) {
				for rec, err := range f.Open(nil, strings.NewReader(document), format.Options{}).Records() {
					if err != nil {
						errs = append(errs, err.Error())
						continue
					}
					lines = append(lines, runnertest.Line(rec))
				}
				return append(lines, fmt.Sprintf("errors: %d", len(errs))), errs
			}, departures...)
		})
	}
}
