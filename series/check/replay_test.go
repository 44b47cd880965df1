package check

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/quick"
	"perfdata/runners/ghbench"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/unit"
)

var replayAll = flag.Bool("replay", false, "replay all runs of the real histories, and not one of 25")

// A realSeries is the values of a series of a public history, in the order of its commits.
type realSeries struct {
	Name   string
	Unit   string
	Values []float64
	better format.Direction
}

// realHistories returns the series of each public history.
func realHistories(t *testing.T) [][]*realSeries {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(t, "oracles", "quality"), "real.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*realSeries
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}

	var histories [][]*realSeries
	places := map[string]int{}
	for _, s := range all {
		name, _, _ := strings.Cut(s.Name, "|")
		if _, ok := places[name]; !ok {
			places[name] = len(histories)
			histories = append(histories, nil)
		}
		histories[places[name]] = append(histories[places[name]], s)
	}
	files, err := filepath.Glob(filepath.Join(corpus.Shared(t, "runners", "github-action-benchmark"), "*.data.js"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no data.js: %v", err)
	}
	for _, name := range files {
		histories = append(histories, readHistory(t, name))
	}
	for _, history := range histories {
		for _, s := range history {
			if s.better == format.Unknown {
				s.better = format.Lower // so that it is judged
				if u, ok := unit.Parse(s.Unit); ok && u.Better != format.Unknown {
					s.better = u.Better
				}
			}
		}
	}
	return histories
}

func readHistory(t *testing.T, name string) []*realSeries {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var placer series.Placer
	var history []*realSeries
	byTrace := map[string]*realSeries{}
	for rec, err := range ghbench.Format().Open(nil, bytes.NewReader(data), format.Options{Name: name}).Records() {
		if err != nil {
			t.Fatal(err)
		}
		at, err := placer.Place(rec)
		if err != nil {
			t.Fatal(err)
		}
		id := string(at.Trace)
		better, _ := at.Better()
		s := byTrace[id]
		if s == nil {
			s = &realSeries{Name: id, Unit: rec.Unit, better: better}
			byTrace[id] = s
			history = append(history, s)
		}
		s.Values = append(s.Values, rec.Value)
	}
	return history
}

// A tally counts what the replay of histories says.
type tally struct {
	runs, failed       int // runs, and runs that fail and can be confirmed or not
	unconfirmed, mixed int // of these, runs without a confirmed worse, and runs with an unconfirmed one
	verdicts           map[string]int
	found, steps       [4]int // worse, of the injected steps
	suspect            [4]int
}

var injected = [4]struct {
	factor float64
	values int
}{{1.2, 1}, {1.2, 5}, {1.5, 1}, {1.5, 5}}

// replay judges each run of a history from the 21st commit, and with a step put into one of its series.
func (n *tally) replay(history []*realSeries, every int) {
	var c Checker
	longest := 0
	for _, s := range history {
		longest = max(longest, len(s.Values))
	}
	for at := 20; at < longest; at += every {
		var all []Input
		var judged []*realSeries
		for _, s := range history {
			if at < len(s.Values) {
				all = append(all, Input{History: singles(s.Values[:at]), New: singles(s.Values[at : at+1]), Better: s.better})
				judged = append(judged, s)
			}
		}
		n.runs++
		confirmed, unconfirmed := 0, 0
		for i, r := range c.Judge(all) {
			text := r.VerdictText()
			if r.Known {
				text = "worse, known"
			}
			n.verdicts[text]++
			if s := judged[i]; text == "worse" && at+8 < len(s.Values) {
				next := series.Median(append([]float64(nil), s.Values[at+1:at+9]...))
				if (next-r.Old.Median)/(r.New.Median-r.Old.Median) >= 0.5 {
					confirmed++
				} else {
					unconfirmed++
				}
			}
		}
		if confirmed+unconfirmed > 0 {
			n.failed++
		}
		if unconfirmed > 0 {
			n.mixed++
			if confirmed == 0 {
				n.unconfirmed++
			}
		}

		i := at * 7 % len(all)
		s := judged[i]
		if at+5 > len(s.Values) {
			continue
		}
		own := all[i].New
		for j, step := range injected {
			factor := step.factor
			if s.better == format.Higher {
				factor = 1 / factor
			}
			sample := series.Sample{Values: append([]float64(nil), s.Values[at:at+step.values]...)}
			for k := range sample.Values {
				sample.Values[k] *= factor
			}
			all[i].New = []series.Sample{sample}
			r := c.Judge(all)[i]
			n.steps[j]++
			if r.Verdict == judgment.Worse {
				if r.Suspect {
					n.suspect[j]++
				} else {
					n.found[j]++
				}
			}
		}
		all[i].New = own
	}
}

// singles returns a sample for each value.
func singles(values []float64) []series.Sample {
	samples := make([]series.Sample, len(values))
	for i := range values {
		samples[i] = series.Sample{Commit: i, Values: values[i : i+1]}
	}
	return samples
}

// first is what the first method of this package said of the same runs, which judged by medians alone.
var first = tally{
	runs: 2694, failed: 289, unconfirmed: 73, mixed: 95,
	found: [4]int{687, 652, 1343, 1282}, steps: [4]int{2608, 2608, 2608, 2608},
}

// Of the runs of real histories, few fail without a reason, and as many injected steps are found as ever.
func TestReplay(t *testing.T) {
	n := tally{verdicts: map[string]int{}}
	every := quick.Of(25, 360)
	if *replayAll {
		every = 1
	}
	for _, history := range realHistories(t) {
		n.replay(history, every)
	}
	total := 0
	for _, count := range n.verdicts {
		total += count
	}
	t.Logf("%d runs, %d fail; unconfirmed: %d whole, %d in part; %d verdicts: %v",
		n.runs, n.failed, n.unconfirmed, n.mixed, total, n.verdicts)
	if unknown := float64(n.verdicts["unknown"]) / float64(total); unknown > 0.1 {
		t.Errorf("%.1f%% of the verdicts are unknown, want at most 10%%", 100*unknown)
	}
	deviations := 2.0 // for chance
	if *replayAll {
		deviations = 0
	}
	isMost := func(count, of, most, firstOf int) bool {
		return isWithin(count, float64(most)/float64(firstOf), of, deviations)
	}
	if !isMost(n.unconfirmed, n.runs, first.unconfirmed/2, first.runs) || !isMost(n.mixed, n.runs, first.mixed/2, first.runs) {
		t.Errorf("%d and %d runs of %d fail unconfirmed, want at most half of %d and %d of %d",
			n.unconfirmed, n.mixed, n.runs, first.unconfirmed, first.mixed, first.runs)
	}
	for j, step := range injected {
		t.Logf("%+v: %d worse and %d suspect of %d", step, n.found[j], n.suspect[j], n.steps[j])
		if !isMost(n.steps[j]-n.found[j], n.steps[j], first.steps[j]-first.found[j], first.steps[j]) {
			t.Errorf("%+v: %d of %d are worse, want %d of %d", step, n.found[j], n.steps[j], first.found[j], first.steps[j])
		}
	}
}
