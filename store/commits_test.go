package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// listed returns a list of commits, which are separated by blanks. A number after @ is the time in
// seconds.
func listed(text string) []series.Commit {
	var list []series.Commit
	for word := range strings.FieldsSeq(text) {
		hash, seconds, ok := strings.Cut(word, "@")
		c := series.Commit{Hash: hash}
		if ok {
			var n int64
			fmt.Sscan(seconds, &n)
			c.Time = time.Unix(n, 0).UTC()
		}
		list = append(list, c)
	}
	return list
}

// setCommits gives a store a list.
func setCommits(t testing.TB, s *Store, repository, list string) ListSummary {
	t.Helper()
	summary, err := s.SetCommits(t.Context(), repository, listed(list))
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// commits returns the commits of a store in their order, and the order. A commit that is listed has
// = and its hash, and one that is ambiguous has a question mark.
func commits(t testing.TB, s *Store) (names, order string) {
	t.Helper()
	commits, by, err := s.Commits(t.Context(), Trial{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range commits {
		text := c.Name
		if c.Listed.Hash != "" {
			text += "=" + c.Listed.Hash
		}
		if c.Ambiguous {
			text += "?"
		}
		list = append(list, text)
	}
	return strings.Join(list, " "), strings.TrimPrefix(by.String(), "order of commits: ")
}

// history returns a history of github-action-benchmark. A line is a commit, its time, and when it
// was run; an empty line begins another suite.
func history(lines ...string) string {
	suites, entries := []string{}, []string{}
	for _, line := range append(lines, "") {
		var commit, time string
		var date int
		if fmt.Sscan(line, &commit, &time, &date); commit == "" {
			suites = append(suites, fmt.Sprintf(`"S%d":[%s]`, len(suites), strings.Join(entries, ",")))
			entries = nil
			continue
		}
		entries = append(entries, fmt.Sprintf(
			`{"commit":{"id":%q,"timestamp":%q},"date":%d,"tool":"go","benches":[{"name":"X","value":1}]}`,
			commit, time, date*1000))
	}
	return `window.BENCHMARK_DATA = {"entries":{` + strings.Join(suites, ",") + `}};`
}

func TestCommits(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{
			"b/d/2026/01/02/03/a.json": skia(at("beef"), "x=1"),
			"b/d/2026/01/02/04/a.json": skia(at("abcd"), "x=2"),
			"b/d/2026/01/02/05/a.json": skia(at("CP:10"), "x=3"),
			"b/d/2026/01/02/06/a.json": skia(at("CP:9"), "x=4"),
			"b/d/2026/01/02/01/b.json": skia(at("abcd"), "y=5"),
		})
		names, _ := commits(t, s)
		check(t, "by the first file", "abcd beef CP:10 CP:9", names)
		check(t, "series", []string{",test=x, abcd=2 beef=1 CP:10=3 CP:9=4", ",test=y, abcd=5"}, found(t, s, "", Range{}))

		deletePath(t, s, "b/d/2026/01/02/01/b.json")
		names, _ = commits(t, s)
		check(t, "without the earliest file", "beef abcd CP:10 CP:9", names)
		setCommits(t, s, "", "later CP:9 beef")
		names, order := commits(t, s)
		check(t, "as set", "CP:9=CP:9 beef=beef abcd CP:10", names)
		check(t, "order", "by the list of commits, which lacks 2 of them: "+
			"they are placed by the hours and paths of the files, which is a guess", order)

		for _, test := range []struct {
			name string
			r    Range
			want []string
		}{
			{"first", Range{First: "abcd"}, []string{",test=x, abcd=2 CP:10=3"}},
			{"last", Range{Last: "beef"}, []string{",test=x, CP:9=4 beef=1"}},
			{"one", Range{First: "CP:9", Last: "CP:9"}, []string{",test=x, CP:9=4"}},
			{"none", Range{First: "beef", Last: "CP:9"}, nil},
			{"hours", Range{From: hour(4), Until: hour(6)}, []string{",test=x, abcd=2 CP:10=3"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				check(t, "series", test.want, found(t, s, "", test.r))
			})
		}
		for _, err := range s.Query(t.Context(), nil, Range{First: "nowhere"}) {
			if err == nil || !strings.Contains(err.Error(), `commit "nowhere" is not in the store`) {
				t.Errorf("error %v", err)
			}
		}
	})
}

// The hashes of commits never decide about their order.
func TestOrderOfCommits(t *testing.T) {
	goBench := func(lines ...string) string {
		var b strings.Builder
		for i, line := range lines {
			fmt.Fprintf(&b, "%s\nBenchmarkX 1 %d ns/op\n", strings.ReplaceAll(line, "; ", "\n"), i)
		}
		return b.String()
	}
	// history returns a file of github-action-benchmark, from lines with a commit, its time and the
	// date of its run. An empty line begins another suite.
	for _, test := range []struct {
		name  string
		files tree
		list  string
		want  string
		order string
	}{
		{
			name: "a list, and commits that were measured late",
			files: tree{
				"d/2026/01/02/03/a.json": skia(at("c9"), "x=1"), "d/2026/01/02/03/b.json": skia(at("c1"), "x=1"),
				"d/2026/01/02/09/a.json": skia(at("c5"), "x=1"), "d/2026/01/02/08/a.json": skia(at("c3"), "x=1"),
			},
			list: "c1 c2 c3 c4 c5 c6 c9", want: "c1=c1 c3=c3 c5=c5 c9=c9", order: "by the list of commits",
		},
		{
			name: "abbreviated hashes",
			files: tree{
				"a": skia(at("3a1f"), "x=1"), "b": skia(at("7cd9055"), "x=1"), "c": skia(at("beef"), "x=1"),
				"d": skia(at("3a1f09c6d2"), "x=1"), "e": skia(at("7cd"), "x=1"),
			},
			list: "7cd9055eaa 3a1f09c6d2 beef01 beef02",
			want: "7cd9055=7cd9055eaa 3a1f=3a1f09c6d2 beef? 3a1f09c6d2=3a1f09c6d2 7cd",
			order: "by the list of commits, which lacks 2 of them: " +
				"they are placed by the hours and paths of the files, which is a guess",
		},
		{
			name: "the beginning of a number is not an abbreviation",
			files: tree{
				"a": skia(at("CP:727902"), "x=1"), "b": skia(at("CP:7279"), "x=1"), "c": skia(at("CP:727901"), "x=1"),
			},
			list:  "CP:727901 CP:727902",
			want:  "CP:7279 CP:727901=CP:727901 CP:727902=CP:727902",
			order: "by the list of commits, which lacks one of them: it is placed by the numbers of the commits",
		},
		{
			name: "numbers",
			files: tree{
				"d/2026/01/02/03/a.json": skia(at("CP:10"), "x=1"), "d/2026/01/02/03/b.json": skia(at("CP:9"), "x=1"),
			},
			want: "CP:9 CP:10", order: "by the numbers of the commits",
		},
		{
			name: "times",
			files: tree{
				"a": goBench("commit: c3; commit-time: 2026-01-03T00:00:00Z", "commit: c1; commit-time: 2026-01-01T00:00:00+01:00"),
				"b": goBench("commit: c2; commit-time: 2026-01-02T00:00:00Z"),
			},
			want: "c1 c2 c3", order: "by the times of the commits",
		},
		{
			name: "the earliest time of a commit",
			files: tree{
				"a": goBench("commit: c1; commit-time: 2026-01-09T00:00:00Z", "commit: c2; commit-time: 2026-01-02T00:00:00Z"),
				"b": goBench("commit: c1; commit-time: 2026-01-01T00:00:00Z"), "c": goBench("commit: c1"),
			},
			want: "c1 c2", order: "by the times of the commits",
		},
		{
			name: "a history, whose commit times are inverted",
			files: tree{
				"data.js": history("c1 2026-01-09T00:00:00Z 1", "c2 2026-01-03T00:00:00Z 2", "c1 2026-01-09T00:00:00Z 3"),
			},
			want: "c1 c2", order: "by the history that a file holds",
		},
		{
			name: "a history of two suites, and another file",
			files: tree{
				"data.js": history("b 2026-01-02T00:00:00Z 2", "d 2026-01-05T00:00:00Z 4", "",
					"a 2026-01-01T00:00:00Z 1", "b 2026-01-02T00:00:00Z 2", "c 2026-01-04T00:00:00Z 3"),
				"new": goBench("commit: e; commit-time: 2026-01-06T00:00:00Z"),
			},
			want:  "a b c d e",
			order: "by the history that a file holds, which lacks one of them: it is placed by the times of the commits",
		},
		{
			name: "a time is missing: position in the file, then path",
			files: tree{
				"b": goBench("commit: z; commit-time: 2026-01-03T00:00:00Z", "commit: y", "commit: a; commit-time: 2026-01-01T00:00:00Z"),
				"c": goBench("commit: b"),
			},
			want: "z y a b", order: "by the hours and paths of the files, which is a guess",
		},
		{
			name: "files of one hour, by path",
			files: tree{
				"d/2026/01/02/03/a.json": skia(at("f00d"), "x=1"), "d/2026/01/02/03/b.json": skia(at("beef"), "x=1"),
				"d/2026/01/02/03/c.json": skia(at("abcd"), "x=1"), "e/2026/01/02/02/z.json": skia(at("ffff"), "x=1"),
			},
			want: "ffff f00d beef abcd", order: "by the hours and paths of the files, which is a guess",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				dumps := make(map[string]bool)
				for i := range uint64(2) {
					s := open(t, newDatabase())
					if test.list != "" && i == 0 {
						setCommits(t, s, "", test.list)
					}
					putShuffled(t, s, test.files, i)
					if test.list != "" && i > 0 {
						setCommits(t, s, "", test.list)
					}
					names, order := commits(t, s)
					check(t, "commits", test.want, names)
					check(t, "order", test.order, order)
					dumps[dump(t, s)] = true
				}
				check(t, "different dumps", 1, len(dumps))
			})
		})
	}
}

// The position, hour, path and time of a commit come from the files that are left.
func TestOrderAfterDelete(t *testing.T) {
	files := tree{
		"d/2026/01/02/03/a": "commit: c9\ncommit-time: 2026-01-03T00:00:00Z\nBenchmarkX 1 1 ns/op\n" +
			"commit: c2\ncommit-time: 2026-01-01T00:00:00Z\nBenchmarkX 1 1 ns/op\n",
		"d/2026/01/02/03/b": "commit: c2\ncommit-time: 2026-01-04T00:00:00Z\nBenchmarkX 1 1 ns/op\n",
		"d/2026/01/02/03/c": "commit: c9\nBenchmarkX 1 1 ns/op\n",
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, files)
		before := dump(t, s)
		for _, step := range []struct{ path, want, order string }{
			{"d/2026/01/02/03/b", "c2 c9", "by the times of the commits"},
			{"d/2026/01/02/03/c", "c2 c9", "by the times of the commits"},
		} {
			names, order := commits(t, s)
			check(t, "commits", step.want, names)
			check(t, "order", step.order, order)
			deletePath(t, s, step.path)
		}
		putAll(t, s, files)
		check(t, "dump", before, dump(t, s))
		deletePath(t, s, "d/2026/01/02/03/a")
		names, order := commits(t, s)
		check(t, "commits", "c2 c9", names)
		check(t, "order", "by the hours and paths of the files, which is a guess", order)
	})
}

// The workers may finish in any order: files without an hour are ordered by path.
func TestOrderOfArrival(t *testing.T) {
	leaveOut(t)
	files := make(tree)
	var want []string
	for i := range 26 {
		commit := fmt.Sprintf("%x", 997*(i+1)%251)
		files[fmt.Sprintf("run-%c.json", 'a'+i)] = skia(at(commit), "x=1")
		want = append(want, commit)
	}
	dumps := make(map[string]bool)
	for i := range uint64(30) {
		s := open(t, filepath.Join(t.TempDir(), "perf.db"))
		putShuffled(t, s, files, i)
		names, _ := commits(t, s)
		check(t, "commits", strings.Join(want, " "), names)
		dumps[dump(t, s)] = true
	}
	check(t, "different dumps", 1, len(dumps))
}

func TestSetCommits(t *testing.T) {
	const measured = "c2 c4 dead"
	for _, test := range []struct {
		name    string
		lists   []string // the last but one is given twice
		want    string   // the list
		summary ListSummary
	}{
		{"the same list", []string{"c1 c2 c3", "c1 c2 c3"}, "c1 c2 c3", ListSummary{Listed: 3, Matched: 1, Unmatched: 2}},
		{"more commits", []string{"c1 c2", "c1 c2 c3 c4"}, "c1 c2 c3 c4", ListSummary{Listed: 4, Matched: 2, Unmatched: 1}},
		{"the last commits", []string{"c1 c2 c3", "c3 c4"}, "c1 c2 c3 c4", ListSummary{4, 2, 2, 1, 0, nil}},
		{"the first commits", []string{"c1 c2 c3 c4", "c1 c2"}, "c1 c2 c3 c4", ListSummary{4, 2, 2, 1, 0, nil}},
		{"a commit between", []string{"c1 c4", "c1 c2 c4"}, "c1 c2 c4", ListSummary{3, 0, 2, 1, 0, nil}},
		{"a commit that is not on the branch any more", []string{"c1 c2 c3", "c1 c3 c4"}, "c1 c2 c3 c4", ListSummary{4, 1, 2, 1, 0, nil}},
		{"another order", []string{"c1 c2 c3 x", "c3 c2 c1"}, "c3 x c2 c1", ListSummary{4, 1, 1, 2, 0, nil}},
		{"nothing in common", []string{"c9 c8", "c1 c2"}, "c9 c8 c1 c2", ListSummary{4, 2, 1, 2, 0, nil}},
		{"nothing in common, with times", []string{"c9@90 c8@80", "c1@10 c2@20"}, "c1@10 c2@20 c9@90 c8@80", ListSummary{4, 2, 1, 2, 0, nil}},
		{"times are kept", []string{"c1@10 c2@20", "c1 c2@21 c3"}, "c1@10 c2@21 c3", ListSummary{3, 0, 1, 2, 0, nil}},
		{"ambiguous", []string{"dead1 dead2", "dead2 dead1 c2"}, "dead2 dead1 c2", ListSummary{3, 0, 1, 1, 1, []string{"dead"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				for commit := range strings.FieldsSeq(measured) {
					putAll(t, s, tree{commit: skia(at(commit), "x=1")})
				}
				setCommits(t, s, "other", "zzz")
				for _, list := range test.lists {
					setCommits(t, s, "", list)
				}
				check(t, "summary", test.summary, summaryAgain(t, s, test.lists[len(test.lists)-1]))
				length, err := s.ListLength(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				check(t, "length", test.summary.Listed, length)

				fresh := open(t, newDatabase())
				for commit := range strings.FieldsSeq(measured) {
					putAll(t, fresh, tree{commit: skia(at(commit), "x=1")})
				}
				setCommits(t, fresh, "", test.want)
				setCommits(t, fresh, "other", "zzz")
				check(t, "dump", dump(t, fresh), dump(t, s))
			})
		})
	}
}

// summaryAgain returns the summary of a list that the store has: nothing changes.
func summaryAgain(t *testing.T, s *Store, list string) ListSummary {
	t.Helper()
	before := dump(t, s)
	summary := setCommits(t, s, "", list)
	check(t, "dump after the same list", before, dump(t, s))
	return summary
}

// A list that says something else of a commit, and nothing new, is stored.
func TestSetAuthor(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	for _, author := range []string{"author-a", "author-b", "author-b"} {
		if _, err := s.SetCommits(t.Context(), "", []series.Commit{{Hash: "c1", Author: author}}); err != nil {
			t.Fatal(err)
		}
		if text := dump(t, s); !strings.Contains(text, author) {
			t.Errorf("%s is missing in\n%s", author, text)
		}
	}
}

// What a list with subjects said is kept by a list of hashes.
func TestListedCommits(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{"a": skia(at("7cd9"), "x=1")})
		full := series.Commit{
			Hash: "7cd9055e", Parents: []string{"1", "2"}, Time: time.Unix(1785405600, 0).UTC(), Author: "Ann Ä.", Subject: "png: faster\t!",
		}
		if _, err := s.SetCommits(t.Context(), "main", []series.Commit{{Hash: "1"}, full}); err != nil {
			t.Fatal(err)
		}
		setCommits(t, s, "main", "7cd9055e new")
		got, _, err := s.Commits(t.Context(), Trial{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "commits", []Commit{{Name: "7cd9", Time: full.Time, Listed: full, Repository: "main", Position: 1}}, got)
		for one, err := range s.Query(t.Context(), nil, Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			check(t, "order of a series", series.Order{By: "list"}, one.Order)
		}

		// A list that is refused costs nothing.
		if _, err := s.ReplaceCommits(t.Context(), "main", []series.Commit{{Hash: "a", Parents: []string{"a"}}}); err == nil {
			t.Error("no error for a commit that is its own parent")
		}
		again, _, err := s.Commits(t.Context(), Trial{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "commits after a faulty list", got, again)

		if err := s.DeleteCommits(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		got, _, err = s.Commits(t.Context(), Trial{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "commits without the list", []Commit{{Name: "7cd9", Position: -1}}, got)
	})
}

// A list of hashes that begins with the newest commit is refused if the parents are known.
func TestListBackwards(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		list := []series.Commit{{Hash: "a"}, {Hash: "b", Parents: []string{"a", "0"}}, {Hash: "c", Parents: []string{"b"}}}
		if _, err := s.SetCommits(t.Context(), "", list); err != nil {
			t.Fatal(err)
		}
		before := dump(t, s)
		_, err := s.SetCommits(t.Context(), "", listed("d c b"))
		if !errors.Is(err, format.ErrSchema) || !strings.Contains(err.Error(), `commit "c" is before its parent "b": want the oldest`) {
			t.Errorf("error %v", err)
		}
		check(t, "dump", before, dump(t, s))
		check(t, "summary", ListSummary{Listed: 4, Kept: 1}, setCommits(t, s, "", "b c d"))
	})
}

// The lists of two repositories keep their order, and are merged by the times of the commits.
func TestTwoRepositories(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		for _, commit := range []string{"b1", "b2", "a2", "a1", "a3", "both"} {
			putAll(t, s, tree{"d/" + commit: skia(at(commit), "x=1")})
		}
		setCommits(t, s, "a", "a1@10 a2@30 a3@25 both@26")
		setCommits(t, s, "b", "both@5 b1@20 b2@40")
		names, order := commits(t, s)
		check(t, "commits", "a1=a1 b1=b1 a2=a2 a3=a3 both=both b2=b2", names)
		check(t, "order", "by the list of commits", order)
	})
}

// A list of the size of a large repository.
func TestLongList(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 100,000 commits")
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, tree{"a": skia(at("0001869f"), "x=1"), "b": skia(at("0000"), "x=2")}, ingest.RunOptions{})
		list := make([]series.Commit, 100_000)
		for i := range list {
			list[i] = series.Commit{Hash: fmt.Sprintf("%08x0000", i)}
		}
		for range 2 {
			summary, err := s.SetCommits(t.Context(), "", list)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "summary", ListSummary{100_000, 0, 1, 0, 1, []string{"0000"}}, summary)
		}
	})
}

// A commit of a list is a bound of a question though it was not measured: the base of a change
// under review often was not.
func TestBoundsListed(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{
			"2026/01/02/05/a.json": skia(at("bbbb1"), "x=1"), "2026/01/02/06/a.json": skia(at("dddd1"), "x=1"),
			"2026/01/02/07/a.json": skia(at("ffff1"), "x=1"),
		})
		ask := func(first, until string) string {
			var a series.Answer
			if err := a.Ask(t.Context(), series.Old, &series.Question{First: first, Until: until}, s); err != nil {
				t.Fatal(err)
			}
			if n := a.Sort(); n != 1 {
				return fmt.Sprint(n)
			}
			var names []string
			for _, c := range a.Commits {
				names = append(names, c.Hash)
			}
			return strings.Join(names, " ")
		}
		check(t, "without a list", "0", ask("", "eeee1"))
		setCommits(t, s, "", "aaaa1 bbbb1 cccc1 cccc2 dddd1 eeee1 ffff1 abcd1")
		for _, test := range []struct{ first, until, want string }{
			{"", "eeee1", "bbbb1 dddd1"},
			{"", "eeee", "bbbb1 dddd1"},
			{"", "dddd1", "bbbb1 dddd1"},
			{"", "aaaa1", ""},
			{"", "abcd1", "bbbb1 dddd1 ffff1"},
			{"cccc2", "", "dddd1 ffff1"},
			{"cccc1", "cccc2", ""},
			{"aaaa1", "eeee1", "bbbb1 dddd1"},
			{"abcd1", "", ""},
			{"", "cccc", "0"}, // two
			{"", "eeee2", "0"},
		} {
			check(t, test.first+" to "+test.until, test.want, ask(test.first, test.until))
		}
	})
}
