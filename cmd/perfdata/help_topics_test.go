package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/check"
	"perfdata/series/compare"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

var verdictExample = regexp.MustCompile(`(?m)^  (old|history) ([0-9 ]+?)  new ([0-9 ]+?)  +([a-z ]+?)$`)

// The examples of the manual are true.
func TestVerdictExamples(t *testing.T) {
	numbers := func(text string) (all []float64) {
		for _, field := range strings.Fields(text) {
			f, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		return all
	}
	examples := verdictExample.FindAllStringSubmatch(verdictsTopic().Long, -1)
	if len(examples) != 10 {
		t.Errorf("%d examples, want 10", len(examples))
	}
	for _, e := range examples {
		old, new := numbers(e[2]), numbers(e[3])
		var got judgment.Verdict
		if e[1] == "history" {
			var c check.Checker
			in := check.Input{New: []series.Sample{{Values: new}}, Better: format.Lower}
			for i := range old {
				in.History = append(in.History, series.Sample{Commit: i, Values: old[i : i+1]})
			}
			got = c.Judge([]check.Input{in})[0].Verdict
		} else {
			got = compared(t, old, new)
		}
		if got.String() != e[4] {
			t.Errorf("%s: %v", e[0], got)
		}
	}
}

// compared returns the verdict for old and new values.
func compared(t *testing.T, old, new []float64) judgment.Verdict {
	t.Helper()
	var all series.Answer
	for side, values := range [][]float64{old, new} {
		records := func(yield func(*format.Record, error) bool) {
			for _, v := range values {
				if !yield(&format.Record{Params: traceid.Of("name", "Sort"), Unit: "ms", Value: v}, nil) {
					return
				}
			}
		}
		if err := all.Ask(t.Context(), side, &series.Question{}, &series.Records{All: records}); err != nil {
			t.Fatal(err)
		}
	}
	report := compare.NewComparer(compare.DefaultOptions()).Compare(all.Series(), compare.Rule{})
	return report.Rows[0].Verdict
}

// The manual has a page about the verdicts.
func TestVerdictsPage(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, status := runTool(nil, "man", dir); status != statusOK {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "perfdata-verdicts.1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "history 100 106 95 101 103  new 130") {
		t.Errorf("no example in\n%s", page)
	}
}
