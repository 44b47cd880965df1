package series_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/series"
)

func TestSort(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	for _, test := range []struct {
		name    string
		commits []series.Place // the sources are numbered in this order
		want    string
		order   string
	}{
		{
			name:    "a list, and a bisection that was measured late",
			commits: []series.Place{{Name: "c1", Listed: 1}, {Name: "c9", Listed: 9}, {Name: "c5", Listed: 5}},
			want:    "c1 c5 c9",
			order:   "order of commits: by the list of commits",
		},
		{
			name: "the list is older than the last commits",
			commits: []series.Place{
				{Name: "c2", Listed: 2}, {Name: "c1", Listed: 1}, {Name: "new"}, {Name: "newer"}, {Name: "c3", Listed: 3},
			},
			want: "c1 c2 new newer c3",
			order: "order of commits: by the list of commits, which lacks 2 of them: " +
				"they are placed by the hours and paths of the files, which is a guess",
		},
		{
			name: "unlisted commits with times",
			commits: []series.Place{
				{Name: "c1", Listed: 1, Time: at(10)}, {Name: "u25", Time: at(25)}, {Name: "u20", Time: at(20)},
				{Name: "c3", Listed: 3, Time: at(30)}, {Name: "c2", Listed: 2, Time: at(20)}, {Name: "u5", Time: at(5)},
				{Name: "u99", Time: at(99)},
			},
			want:  "u5 c1 u20 c2 u25 c3 u99",
			order: "order of commits: by the list of commits, which lacks 4 of them: they are placed by the times of the commits",
		},
		{
			name: "the clock of a listed commit went back",
			commits: []series.Place{
				{Name: "c1", Listed: 1, Time: at(10)}, {Name: "c2", Listed: 2, Time: at(40)},
				{Name: "c3", Listed: 3, Time: at(30)}, {Name: "u", Time: at(35)},
			},
			want:  "c1 c2 c3 u",
			order: "order of commits: by the list of commits, which lacks one of them: it is placed by the times of the commits",
		},
		{
			name: "a history, whose times are inverted",
			commits: []series.Place{
				{Name: "b", Time: at(20), InHistory: true}, {Name: "a", Time: at(10), InHistory: true},
			},
			want:  "b a",
			order: "order of commits: by the history that a file holds",
		},
		{
			name: "a history, and other files",
			commits: []series.Place{
				{Name: "b", Time: at(20), InHistory: true}, {Name: "a", Time: at(10), InHistory: true},
				{Name: "x", Time: at(15)}, {Name: "y", Time: at(30)},
			},
			want: "b a x y",
			order: "order of commits: by the history that a file holds, which lacks 2 of them: they are placed by the times of " +
				"the commits",
		},
		{
			name:    "a history of one commit",
			commits: []series.Place{{Name: "a", InHistory: true}},
			want:    "a",
			order:   "order of commits: only one commit",
		},
		{
			name:    "a list, and a history",
			commits: []series.Place{{Name: "b", InHistory: true}, {Name: "a", Listed: 1, InHistory: true}, {Name: "c", InHistory: true}},
			want:    "b a c",
			order: "order of commits: by the list of commits, which lacks 2 of them: they are placed by the hours and paths " +
				"of the files, which is a guess",
		},
		{
			name:    "a history of numbers",
			commits: []series.Place{{Name: "CP:2", InHistory: true}, {Name: "CP:1", InHistory: true}},
			want:    "CP:1 CP:2",
			order:   "order of commits: by the numbers of the commits",
		},
		{
			name:    "one unlisted commit has no time",
			commits: []series.Place{{Name: "u", Time: at(99)}, {Name: "c1", Listed: 1, Time: at(10)}, {Name: "v"}},
			want:    "u c1 v",
			order: "order of commits: by the list of commits, which lacks 2 of them: " +
				"they are placed by the hours and paths of the files, which is a guess",
		},
		{
			name:    "unlisted numbers",
			commits: []series.Place{{Name: "CP:12"}, {Name: "CP:10", Listed: 1}, {Name: "CP:11"}},
			want:    "CP:10 CP:11 CP:12",
			order: "order of commits: by the list of commits, which lacks 2 of them: " +
				"they are placed by the numbers of the commits",
		},
		{
			name:    "numbers",
			commits: []series.Place{{Name: "CP:10"}, {Name: "CP:9"}, {Name: "CP:727901"}},
			want:    "CP:9 CP:10 CP:727901",
			order:   "order of commits: by the numbers of the commits",
		},
		{
			name:    "numbers and hashes",
			commits: []series.Place{{Name: "CP:10"}, {Name: "beef"}, {Name: "CP:9"}},
			want:    "CP:10 beef CP:9",
			order:   "order of commits: by the hours and paths of the files, which is a guess",
		},
		{
			name:    "times",
			commits: []series.Place{{Name: "b", Time: at(2)}, {Name: "c", Time: at(2)}, {Name: "a", Time: at(1)}},
			want:    "a b c",
			order:   "order of commits: by the times of the commits",
		},
		{
			name:    "a time is missing",
			commits: []series.Place{{Name: "b", Time: at(2)}, {Name: "c"}, {Name: "a", Time: at(1)}},
			want:    "b c a",
			order:   "order of commits: by the hours and paths of the files, which is a guess",
		},
		{
			name:    "results that name no commit",
			commits: []series.Place{{}, {Name: "b", Time: at(2)}, {}, {Name: "a", Time: at(1)}, {}},
			want:    "- a b - -",
			order:   "order of commits: by the times of the commits",
		},
		{name: "one", commits: []series.Place{{Name: "a"}}, want: "a", order: "order of commits: only one commit"},
		{name: "none", order: "order of commits: only one commit"},
		{name: "only results that name no commit", commits: []series.Place{{}, {}}, want: "- -",
			order: "order of commits: by the hours and paths of the files, which is a guess"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.commits {
				test.commits[i].Source = i
			}
			for range 20 { // the order before does not matter
				rand.Shuffle(len(test.commits), func(i, j int) {
					test.commits[i], test.commits[j] = test.commits[j], test.commits[i]
				})
				order := series.Sort(test.commits, func(p series.Place) series.Place { return p })
				var names []string
				for _, c := range test.commits {
					names = append(names, cmp.Or(c.Name, "-"))
				}
				if diff := gocmp.Diff(test.want, strings.Join(names, " ")); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if got := order.String(); got != test.order {
					t.Fatalf("%q, want %q", got, test.order)
				}
				if order.IsGuess() != strings.HasSuffix(test.order, "which is a guess") {
					t.Fatalf("IsGuess of %q: %t", order, order.IsGuess())
				}
			}
		})
	}
}

func ExampleSort() {
	// The list of the repository has both commits. The older one was measured last.
	commits := []series.Place{{Name: "3a1f09c", Listed: 2, Source: 1}, {Name: "7cd9055", Listed: 1, Source: 2}}
	order := series.Sort(commits, func(p series.Place) series.Place { return p })
	fmt.Println(commits[0].Name, commits[1].Name, order.By)
	fmt.Println(order)
	// Output:
	// 7cd9055 3a1f09c list
	// order of commits: by the list of commits
}
