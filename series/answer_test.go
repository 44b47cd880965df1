package series_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A measured is a measurement of a testSource.
type measured struct {
	name, commit, run string
	value             float64
}

// A testSource is measurements, and the order of the commits if it knows one.
type testSource struct {
	all     []measured
	commits []string
	failure error
}

func (s testSource) Ask(_ context.Context, q *series.Question, to *series.Answer) error {
	wanted, places := func(int) bool { return true }, make(map[string]int)
	if s.commits != nil {
		commits := make([]series.Commit, len(s.commits))
		for i, name := range s.commits {
			commits[i].Hash, places[name] = name, i
		}
		wanted = to.SetCommits(commits, make([]string, len(commits)), series.Order{By: "time"})
	}
	for _, m := range s.all {
		place, ok := places[m.commit]
		if !ok {
			place = -1
		} else if !wanted(place) {
			continue
		}
		to.Begin(m.run)
		rec := &format.Record{Params: traceid.Of("host", "h", "name", m.name), Value: m.value, Commit: m.commit,
			Attrs: traceid.Of("os", "o"+m.run)}
		if err := to.Add(rec, place); err != nil {
			return err
		}
	}
	return s.failure
}

// describeAnswer returns an answer as text.
func describeAnswer(a *series.Answer, sides int) string {
	var b strings.Builder
	for _, c := range a.Commits {
		fmt.Fprintf(&b, "%s ", c.Hash)
	}
	fmt.Fprintf(&b, "by %s\n", a.Order.By)
	for _, s := range a.Series() {
		fmt.Fprint(&b, s.Trace)
		for side := range sides {
			fmt.Fprint(&b, " |")
			for _, sample := range s.Samples(side) {
				fmt.Fprintf(&b, " %d:%v", sample.Commit, sample.Values)
			}
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func TestAnswer(t *testing.T) {
	file := testSource{all: []measured{
		{"A", "c2", "f2", 5}, {"A", "c1", "f1", 1}, {"B", "c1", "f1", 2}, {"A", "c1", "f1", 3}, {"A", "c1", "f3", 4},
	}}
	store := testSource{all: file.all, commits: []string{"c1", "c2", "c3"}}
	query, err := traceid.ParseQuery("name=B")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		answer series.Answer
		asked  series.Question
		source series.Source
		sides  int
		want   string
	}{
		{name: "a file, in the order of its commits", source: file,
			want: "c2 c1 by source\n,host=h,name=A, | 0:[5] 1:[1 3] 1:[4]\n,host=h,name=B, | 1:[2]\n"},
		{name: "a source that knows the order", source: store,
			want: "c1 c2 by time\n,host=h,name=A, | 0:[1 3] 0:[4] 1:[5]\n,host=h,name=B, | 0:[2]\n"},
		{name: "a list of the caller", source: store, answer: series.Answer{List: []series.Commit{{Hash: "c2"}, {Hash: "c1"}}},
			want: "c2 c1 by list\n,host=h,name=A, | 0:[5] 1:[1 3] 1:[4]\n,host=h,name=B, | 1:[2]\n"},
		{name: "a query", source: store, asked: series.Question{Queries: []*traceid.Query{query}},
			want: "c1 by time\n,host=h,name=B, | 0:[2]\n"},
		{name: "two commits", source: file, asked: series.Question{Commits: []string{"c1", "c2"}}, sides: 2,
			want: "c1 by source\n,host=h,name=A, | 0:[1 3] 0:[4] | 0:[5]\n,host=h,name=B, | 0:[2] |\n"},
		{name: "up to a base", source: store, asked: series.Question{Until: "c1"},
			want: "c1 by time\n,host=h,name=A, | 0:[1 3] 0:[4]\n,host=h,name=B, | 0:[2]\n"},
		{name: "up to a listed base without values", source: file, asked: series.Question{Until: "m"},
			answer: series.Answer{List: []series.Commit{{Hash: "c1"}, {Hash: "merged"}, {Hash: "c2"}}},
			want:   "c1 by list\n,host=h,name=A, | 0:[1 3] 0:[4]\n,host=h,name=B, | 0:[2]\n"},
		{name: "from a listed commit without values", source: store, asked: series.Question{First: "m"},
			answer: series.Answer{List: []series.Commit{{Hash: "c1"}, {Hash: "merged"}, {Hash: "c2"}}},
			want:   "c2 by list\n,host=h,name=A, | 0:[5]\n,host=h,name=B, |\n"},
		{name: "between two commits of a file", source: file, asked: series.Question{First: "c1", Until: "c1"},
			want: "c1 by source\n,host=h,name=A, | 0:[1 3] 0:[4]\n,host=h,name=B, | 0:[2]\n"},
		{name: "from a commit on", source: store, asked: series.Question{First: "c2"},
			want: "c2 by time\n,host=h,name=A, | 0:[5]\n"},
		{name: "the last commits", source: store, asked: series.Question{Last: 2},
			want: "c2 by time\n,host=h,name=A, | 0:[5]\n"},
		{name: "the last commits up to a base", source: store, asked: series.Question{Until: "c1", Last: 1},
			want: "c1 by time\n,host=h,name=A, | 0:[1 3] 0:[4]\n,host=h,name=B, | 0:[2]\n"},
		{name: "an attr as a param", source: store, answer: series.Answer{Promote: []string{"os"}},
			want: "c1 c2 by time\n,host=h,name=A,os=of2, | 1:[5]\n,host=h,name=A,os=of1, | 0:[1 3]\n,host=h,name=B,os=of1, | 0:[2]\n" +
				",host=h,name=A,os=of3, | 0:[4]\n"},
		{name: "without a param", source: store, answer: series.Answer{NotIdentity: []string{"name"}},
			want: "c1 c2 by time\n,host=h, | 0:[1 2 3] 0:[4] 1:[5]\n"},
		{name: "across a param", source: store, answer: series.Answer{Across: "name"}, sides: 2,
			want: "c1 c2 by time\n,host=h, | 0:[1 3] 0:[4] 1:[5] | 0:[2]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &test.answer
			if err := a.Ask(context.Background(), series.Old, &test.asked, test.source); err != nil {
				t.Fatal(err)
			}
			if n := a.Sort(); n != 1 {
				t.Errorf("%d commits are the last one", n)
			}
			if diff := cmp.Diff(test.want, describeAnswer(a, max(test.sides, 1))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A list that lacks old commits, such as the list of a shallow clone, leaves these in the order
// that a source knows.
func TestAnswerShallowList(t *testing.T) {
	store := testSource{commits: []string{"c1", "c2", "c3"}, all: []measured{
		{"A", "c3", "f", 3}, {"A", "c2", "f", 2}, {"A", "c1", "f", 1},
	}}
	a := series.Answer{List: []series.Commit{{Hash: "c3"}}}
	if err := a.Ask(context.Background(), series.Old, &series.Question{}, store); err != nil {
		t.Fatal(err)
	}
	a.Sort()
	want := "c1 c2 c3 by list\n,host=h,name=A, | 0:[1] 1:[2] 2:[3]\n" +
		"order of commits: by the list of commits, which lacks 2 of them: they are placed by the order of the database"
	if diff := cmp.Diff(want, describeAnswer(&a, 1)+a.Order.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each calls its function with each series as Ask collects it.
func TestAnswerEach(t *testing.T) {
	source := testSource{commits: []string{"c1", "c2"}, all: []measured{
		{"A", "c1", "f1", 1}, {"A", "c2", "f2", 2}, {"B", "c2", "f2", 3},
	}}
	var a series.Answer
	var got []string
	err := a.Each(context.Background(), &series.Question{}, source, func(s *series.Series) error {
		commits, medians := series.Medians(s.Samples(series.Old))
		got = append(got, fmt.Sprint(s.Trace, commits, medians))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{",host=h,name=A,[0 1] [1 2]", ",host=h,name=B,[1] [3]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Named returns the commits of the sides, and all that have a name, sorted.
func TestAnswerNamed(t *testing.T) {
	all := []measured{{"A", "c2", "f", 1}, {"A", "", "f", 2}, {"A", "c1", "f", 3}, {"A", "b", "f", 4}}
	for name, source := range map[string]testSource{
		"a file":  {all: all},
		"a store": {all: all, commits: []string{"", "b", "c1", "c2"}},
	} {
		t.Run(name, func(t *testing.T) {
			var a series.Answer
			q := series.Question{Commits: []string{"c1", "c"}}
			if err := a.Ask(context.Background(), series.Old, &q, source); err != nil {
				t.Fatal(err)
			}
			found, named := a.Named()
			slices.Sort(found[1])
			want, got := [][]string{{"c1"}, {"c1", "c2"}, {"b", "c1", "c2"}}, append(found, named)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A source is not read if it has no commit of a bound.
func TestAnswerBounds(t *testing.T) {
	source := testSource{commits: []string{"c1", "c2"}, all: []measured{{"A", "c1", "f1", 1}}}
	for _, q := range []series.Question{{First: "none"}, {Until: "none"}, {First: "c1", Until: "none"}} {
		var a series.Answer
		err := a.Each(context.Background(), &q, source, func(*series.Series) error { return errors.New("it was read") })
		if n := a.Sort(); err != nil || n != 0 {
			t.Errorf("%+v: %v, %d commits", q, err, n)
		}
	}
}

// A question without bounds is not bound by a run that names no commit, and a commit that two sets have is one.
func TestFindCommit(t *testing.T) {
	var commits []series.Commit
	for hash := range strings.SplitSeq("aaaa1111,,aaaa2222,bbbb,v1.0,v1.0.1,aaaa2222,v1.0.2", ",") {
		commits = append(commits, series.Commit{Hash: hash})
	}
	for _, test := range []struct {
		text     string
		index, n int
	}{
		{"", 0, 0}, {"bbbb", 3, 1}, {"bb", 3, 1}, {"aaaa2222", 2, 1}, {"aaaa2", 2, 1}, {"aaaa3", 0, 0}, {"v1.0", 4, 1},
		{"v1.0.1", 5, 1},
	} {
		t.Run(test.text, func(t *testing.T) {
			if index, n := series.FindCommit(commits, test.text); index != test.index || n != test.n {
				t.Errorf("index %d of %d, want %d of %d", index, n, test.index, test.n)
			}
		})
	}
	for _, text := range []string{"aaaa", "v1.0.", "v"} {
		if _, n := series.FindCommit(commits, text); n < 2 {
			t.Errorf("%q may mean %d commits", text, n)
		}
	}
}

// Shared returns what all new series have in common, and lists what else they have.
func TestAnswerShared(t *testing.T) {
	var a series.Answer
	source := testSource{all: []measured{{"A", "c", "f", 1}, {"B", "c", "f", 2}}}
	if err := a.Ask(context.Background(), series.New, &series.Question{}, source); err != nil {
		t.Fatal(err)
	}
	shared, listed, err := a.Shared(series.New)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		params         traceid.Params
		shared, listed bool
	}{
		{traceid.Of("host", "h", "name", "A"), true, true},
		{traceid.Of("host", "h", "name", "C"), true, false},
		{traceid.Of("host", "g", "name", "A"), false, false},
	} {
		isShared, err := shared.Match(test.params)
		isListed, err2 := listed.Match(test.params)
		if isShared != test.shared || isListed != test.listed || err != nil || err2 != nil {
			t.Errorf("%v: shared %v, listed %v, %v, %v", test.params, isShared, isListed, err, err2)
		}
	}
}

// The queries of Shared have the params that all series of the side have, with up to 300 values.
func TestSharedParams(t *testing.T) {
	charset, err := series.ParseCharset("[^a-z0-9!]")
	if err != nil {
		t.Fatal(err)
	}
	a := series.Answer{Charset: charset}
	records := func(yield func(*format.Record, error) bool) {
		for i := range 301 {
			params := traceid.Of("all", "301 "+strconv.Itoa(i), "host", "h", "most", strconv.Itoa(max(i, 1)), "sign", "v")
			switch i {
			case 150:
				params = traceid.Merge(params, traceid.Of("sign", "!v"))
			case 151:
				params = traceid.Merge(params, traceid.Of("some", "x"))
			}
			if !yield(&format.Record{Params: params, Value: 1}, nil) {
				return
			}
		}
	}
	other := func(yield func(*format.Record, error) bool) {
		yield(&format.Record{Params: traceid.Of("name", "other"), Value: 1}, nil)
	}
	for side, all := range map[int]iter.Seq2[*format.Record, error]{series.Old: other, series.New: records} {
		if err := a.Ask(t.Context(), side, &series.Question{}, &series.Records{Name: "f", All: all}); err != nil {
			t.Fatal(err)
		}
	}

	shared, listed, err := a.Shared(series.New)
	if err != nil {
		t.Fatal(err)
	}
	without, none, err := a.Shared(series.New, "host", "most")
	if err != nil || len(without.Terms())+len(none.Terms()) > 0 {
		t.Errorf("without its keys: %v, %v, %v", without, none, err)
	}
	for _, test := range []struct {
		key, value     string
		shared, listed bool
	}{
		{"host", "h", true, true}, {"host", "g", false, false}, {"most", "300", true, true}, {"most", "301", true, false},
		{"all", "x", true, true}, {"sign", "x", true, true}, {"some", "y", true, true},
	} {
		params := traceid.Merge(traceid.Of("host", "h", "most", "1"), traceid.Of(test.key, test.value))
		isShared, err := shared.Match(params)
		isListed, err2 := listed.Match(params)
		if isShared != test.shared || isListed != test.listed || err != nil || err2 != nil {
			t.Errorf("%v: shared %v, listed %v, %v, %v", params, isShared, isListed, err, err2)
		}
	}
}

// The records of a file are read on after errors that a Reader reads on after, of which the first one is returned.
func TestRecords(t *testing.T) {
	recoverable := &format.Error{Message: "first", Severity: format.Recoverable}
	fatal := errors.New("the input broke")
	rec := &format.Record{Params: traceid.Of("name", "A"), Value: 1}
	for _, test := range []struct {
		name   string
		faults []error // between records
		want   error
		values int
	}{
		{"none", []error{nil, nil}, nil, 2},
		{"recoverable", []error{nil, recoverable, &format.Error{Message: "second", Severity: format.Recoverable}, nil}, recoverable, 2},
		{"fatal", []error{nil, recoverable, fatal, nil}, fatal, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := func(yield func(*format.Record, error) bool) {
				for _, err := range test.faults {
					if !yield(rec, err) {
						return
					}
				}
			}
			var a series.Answer
			err := a.Ask(context.Background(), series.Old, &series.Question{}, &series.Records{Name: "f", All: all})
			a.Sort()
			if n := a.Series()[0].Len(); !errors.Is(err, test.want) || n != test.values {
				t.Errorf("%v, %d values; want %v, %d", err, n, test.want, test.values)
			}
		})
	}
}
