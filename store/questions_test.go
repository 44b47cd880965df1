package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"perfdata/traceid"
)

// The answers of a store equal the answers that a loop over all records gives.
func TestQuestions(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		random := rand.New(rand.NewPCG(1, 2))
		files := make(tree)
		traces := make(map[Trial][]traceid.Params)
		for i, trial := range []Trial{{}, {}, {Issue: "7", Patchset: "1"}, {Issue: "7", Patchset: "2"}} {
			var b strings.Builder
			fmt.Fprintf(&b, `{"version":1,"git_hash":"c%d","issue":%q,"patchset":%q,"results":[`, i%2, trial.Issue, trial.Patchset)
			n := []int{2*maxNamesRead + 100, 500, 1, 40}[i] // half of the first are more than few
			for j := range n {
				if j > 0 {
					b.WriteByte(',')
				}
				p := traceid.Of("all", "x", "half", fmt.Sprint(j%2), "some", fmt.Sprint(random.IntN(50)), "test", fmt.Sprint(i%2, "_", j))
				text, err := p.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, `{"key":%s,"measurement":%d}`, text, j)
				traces[trial] = append(traces[trial], p.Canonical())
			}
			files[fmt.Sprintf("b/d/2026/01/02/0%d/a.json", i)] = b.String() + "]}"
		}
		putAll(t, s, files)

		for trial, params := range traces {
			for range 30 {
				// Some of the params of a trace, perhaps with other values.
				var terms []string
				for _, p := range params[random.IntN(len(params))] {
					switch random.IntN(6) {
					case 0:
						terms = append(terms, p.Key+"=~"+p.Value[:1])
					case 1:
						terms = append(terms, p.Key+"="+p.Value, p.Key+"=1")
					case 2:
						terms = append(terms, p.Key+"=!1")
					case 3, 4:
						terms = append(terms, p.Key+"="+p.Value)
					}
				}
				query := strings.Join(terms, "&")
				q, err := traceid.ParseQuery(query)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, p := range params {
					if selected, err := q.Match(p); err != nil {
						t.Fatal(err)
					} else if selected {
						want = append(want, p.ID())
					}
				}
				slices.Sort(want)
				want = slices.Compact(want)
				var got []string
				for one, err := range s.Query(t.Context(), q, Range{Trial: trial}) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, one.ID)
				}
				check(t, "traces of "+query, want, got)
			}

			want := new(traceid.ParamSet)
			for _, p := range params {
				want.Add(p)
			}
			got, err := s.ParamSet(t.Context(), trial)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "param set", asText(want), asText(got))
		}

		// For a query with all params of a trace, the store looks up a param that few traces
		// have.
		q, err := traceid.ParseQuery("all=x&half=1&some=~.&test=0_7")
		if err != nil {
			t.Fatal(err)
		}
		err = s.view(t.Context(), func(tx *sql.Tx) error {
			v := s.newViewer(t.Context(), tx)
			search, err := v.newSearch(q)
			if err == nil && (len(search.filters) != 3 || search.filters[0].traces != 1) {
				t.Errorf("filters %v, want that of test first, and none of some", search.filters)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func asText(set *traceid.ParamSet) (lines []string) {
	for key, values := range set.All() {
		lines = append(lines, fmt.Sprint(key, values))
	}
	return lines
}
