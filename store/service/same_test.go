package service

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/benchfmt"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/series/posted"
)

var randomHistories = flag.Int("random-histories", 6, "`number` of random histories of which the service and files are asked")

// texts is files of Go benchmarks, which are read in their order.
type texts []string

func (all texts) Ask(_ context.Context, _ *series.Question, to *series.Answer) error {
	for i, text := range all {
		to.Begin(fmt.Sprint(i))
		for rec, err := range benchfmt.NewReader(strings.NewReader(text)).Records() {
			if err == nil {
				err = to.Add(rec, -1)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// randomFiles returns files of a history of two machines, in any order, and the names of the
// commits.
func randomFiles(seed uint64) (files texts, commits []string) {
	r := rand.New(rand.NewPCG(seed, 37))
	for i := range 20 + r.IntN(20) {
		commits = append(commits, fmt.Sprintf("%08x%04d", r.Uint32(), i))
		for machine := range 2 {
			if machine > 0 && i > 2 && r.IntN(3) == 0 {
				continue
			}
			text := fmt.Sprintf("commit: %s\ndate: 2026-01-%02d\nhost: m%d\n", commits[i], 1+i%28, machine)
			for k := range 5 {
				level := float64(100 * (k + 1))
				if k < 2 && i >= 12 {
					level *= 1.5
				}
				for range 1 + r.IntN(3) {
					text += fmt.Sprintf("BenchmarkB%d 1 %.2f ns/op\n", k, level*(1+0.01*r.NormFloat64()))
				}
			}
			files = append(files, text)
		}
	}
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files, commits
}

// askFiles asks files a question, with the list of the commits.
func askFiles(t *testing.T, files texts, commits []string, q *series.Question) (*series.Answer, []*series.Series) {
	var a series.Answer
	for _, name := range commits {
		a.List = append(a.List, series.Commit{Hash: name})
	}
	if err := a.Ask(t.Context(), series.Old, q, files); err != nil {
		t.Fatal(err)
	}
	if n := a.Sort(); n != 1 {
		t.Fatalf("%d commits", n)
	}
	all := a.Series()
	slices.SortFunc(all, func(x, y *series.Series) int { return strings.Compare(x.Trace, y.Trace) })
	return &a, all
}

// The service answers, to the last digit, as the files do with the list of the commits.
func TestSameAsFiles(t *testing.T) {
	for seed := range uint64(quick.Of(*randomHistories, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			files, commits := randomFiles(seed)
			r := start(t, nil)
			for _, text := range files {
				if status, answer := r.post(t, "", strings.NewReader(text)); status != http.StatusCreated {
					t.Fatal(answer)
				}
			}
			if status, answer := r.send(t, "PUT", "/api/commits", strings.Join(commits, "\n")+"\n"); status != http.StatusOK {
				t.Fatal(answer)
			}

			for _, bounds := range [][2]string{{}, {commits[2], commits[len(commits)-3]}} {
				q := &series.Question{First: bounds[0], Until: bounds[1]}
				want := findingsOf(askFiles(t, files, commits, q))
				_, answer := r.get(t, "/api/changes?"+url.Values{"first": bounds[:1], "last": bounds[1:]}.Encode())
				if bounds[0] == "" && len(want.([]any)) == 0 {
					t.Error("there is no finding to compare")
				}
				if diff := cmp.Diff(want, answer["findings"]); diff != "" {
					t.Errorf("changes %v (-files +service):\n%s", bounds, diff)
				}
			}

			pair := []string{commits[0], commits[1]}
			_, all := askFiles(t, files, commits, &series.Question{Commits: pair})
			var want []any
			for _, row := range compare.NewComparer(compare.DefaultOptions()).Compare(all, compare.Rule{}).Rows {
				want = append(want, decoded(row))
			}
			_, answer := r.get(t, "/api/compare?"+url.Values{"old": pair[:1], "new": pair[1:]}.Encode())
			if diff := cmp.Diff(any(want), answer["series"]); diff != "" {
				t.Errorf("compare (-files +service):\n%s", diff)
			}
		})
	}
}

// findingsOf returns the findings of series, as the service gives them.
func findingsOf(a *series.Answer, all []*series.Series) any {
	var search change.Search
	for _, s := range all {
		search.Add(s, s.Samples(series.Old))
	}
	found := search.Result(a.Commits, 0.05, 0.05)
	named := posted.Of(found)
	posted.Assign(named, nil, found.Commits)
	out := []any{}
	for _, f := range named {
		out = append(out, decoded(f))
	}
	return out
}

// decoded returns what a program reads of v.
func decoded(v any) (out any) {
	text, _ := json.Marshal(v)
	json.Unmarshal(text, &out)
	return out
}
