package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/traceid"
)

// collect returns the steps of a question. None may fail.
func collect[T any](t *testing.T, all func(yield func(T, error) bool)) (steps []T) {
	t.Helper()
	for one, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, one)
	}
	return steps
}

// keepPoints returns copies of series with some of their points only. Their params, units and
// directions may come from a point that is left out, so these are dropped.
func keepPoints(all []*Trace, keep func(one *Trace, p Point) bool) (kept []*Trace) {
	for _, one := range all {
		c := &Trace{ID: one.ID, Order: one.Order}
		for _, p := range one.Points {
			if keep(one, p) {
				c.Points = append(c.Points, p)
			}
		}
		if len(c.Points) > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// competing returns files that compete for the values of traces at 40 commits, some without a
// commit, and in trials.
func competing() tree {
	files := randomTree(3, 80)
	for i := range 40 {
		var results []string
		for test := range 20 {
			if (i*test)%7 != 3 {
				results = append(results, fmt.Sprintf("t%d=%d", test, (i*31+test*17)%50))
			}
		}
		files[fmt.Sprintf("b/d/2026/02/01/%02d/%d.json", i*7%24, i)] = skia(at(fmt.Sprintf("d%d", i)), results...)
	}
	return files
}

// Questions for a commit, two commits, the newest values and a trace say what a query for everything
// says, however much memory they have.
func TestAnswers(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, competing(), ingest.RunOptions{})
		for _, trial := range []Trial{{}, {Issue: "0"}, {Issue: "1"}} {
			for _, s.maxScan = range []int{newMemory(defaultMemory).maxScan, 3000} {
				testAnswers(t, s, trial)
			}
		}
		for one, err := range s.Query(t.Context(), nil, Range{First: "none", Last: "none"}) {
			if !errors.Is(err, ErrUnknownCommit) {
				t.Errorf("an unknown commit: %v, %v", one, err)
			}
		}
		for one, err := range s.Query(t.Context(), nil, Range{Trace: ",test=none,"}) {
			if !errors.Is(err, ErrUnknownTrace) || one != nil {
				t.Errorf("an unknown trace: %v, %v", one, err)
			}
		}
		for one, err := range s.Measurements(t.Context(), nil, Range{Trace: ",test=none,"}) {
			if !errors.Is(err, ErrUnknownTrace) {
				t.Errorf("an unknown trace: %v, %v", one, err)
			}
		}
		for range s.Query(t.Context(), nil, Range{First: "d1", Last: "d1"}) {
			break
		}
		for range s.Measurements(t.Context(), nil, Range{First: "d1", Last: "d2"}) {
			break
		}
	})
}

// A scan of all traces ends when the values take more memory than it has.
func TestScanEnds(t *testing.T) {
	s := open(t, t.TempDir()+"/perf.db")
	putAll(t, s, tree{oldPath: skia(at("c1"), "x=1", "y=2")})
	putAll(t, s, tree{newPath: skia(at("c2"), "x=3")}) // second, so that its row group is read second
	for _, test := range []struct{ most, size, traces int }{
		{1000, 3*rowMemory + 2*traceMemory, 2}, {2*rowMemory + 2*traceMemory - 1, 2*rowMemory + 2*traceMemory, 2},
		{2*rowMemory + 2*traceMemory, 3*rowMemory + 2*traceMemory, 2},
	} {
		err := s.read(t.Context(), func(v *viewer) error {
			if err := v.selectCommits(Range{}); err != nil {
				return err
			}
			byTrace := make(map[int64][]measurement)
			size, err := v.readMeasurements(nil, v.blocks, byTrace, test.most)
			check(t, fmt.Sprint("size of up to ", test.most), test.size, size)
			check(t, fmt.Sprint("traces of up to ", test.most), test.traces, len(byTrace))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	// Then others are found that it has not read.
	putAll(t, s, tree{"z.json": skia(at("c3"), "z=4")})
	s.maxScan = 2*rowMemory + 2*traceMemory - 1
	check(t, "others", []string{",test=z, c3=4"}, found(t, s, "test=!x&test=!y", Range{}))
}

// The parts of the memory of a Store are not more than the whole, with 8 readers and 140 bytes a trace.
func TestNewMemory(t *testing.T) {
	for _, total := range []int64{1 << 20, defaultMemory, 1 << 33} {
		m := newMemory(total)
		parts := []int{int(m.maxMemory), m.maxScan, 140 * m.maxTraces, m.names, m.writerCache, 8 * m.readerCache}
		sum := 0
		for _, part := range parts {
			if sum += part; part < int(total/20) {
				t.Errorf("%d: a part has %d", total, part)
			}
		}
		if sum > int(total) {
			t.Errorf("%d: the parts %v are %d", total, parts, sum)
		}
	}
}

func testAnswers(t *testing.T, s *Store, trial Trial) {
	all := collect(t, s.Query(t.Context(), nil, Range{Trial: trial}))
	rows := storedRows(t, s, Range{Trial: trial})
	commits, _, err := s.Commits(t.Context(), trial)
	if err != nil || len(commits) < 2 || len(all) == 0 {
		t.Fatal(len(commits), "commits of", trial, err)
	}

	newest := keepPoints(all, func(one *Trace, p Point) bool { return p.Commit == one.Points[len(one.Points)-1].Commit })
	anything := func(*Trace, Point) bool { return true }
	got := keepPoints(collect(t, s.Query(t.Context(), nil, Range{Newest: true, Trial: trial})), anything)
	check(t, "newest", newest, got)
	check(t, "newest measurements", countPoints(newest), len(storedRows(t, s, Range{Trial: trial, Newest: true})))

	var ofTraces []string
	for _, one := range all {
		ofTrace := Range{Trace: one.ID, Trial: trial}
		check(t, "trace", []*Trace{one}, collect(t, s.Query(t.Context(), nil, ofTrace)))
		ofTraces = append(ofTraces, storedRows(t, s, ofTrace)...)
	}
	check(t, "measurements of traces", rows, ofTraces)

	for i, c := range commits {
		if i%quick.Of(1, 3) > 0 {
			continue
		}
		want := keepPoints(all, func(_ *Trace, p Point) bool { return p.Commit == c.Name })
		check(t, "at "+c.Name, want, keepPoints(collect(t, s.Query(t.Context(), nil, Range{First: c.Name, Last: c.Name, Trial: trial})), anything))
		at := Range{First: c.Name, Last: c.Name, Trial: trial}
		check(t, "measurements at "+c.Name, rowsAt(rows, all, c.Name), storedRows(t, s, at))

		two := []string{c.Name, commits[(i*3+1)%len(commits)].Name}
		a := series.Answer{Charset: s.Charset()}
		if err := a.Ask(t.Context(), series.Old, &series.Question{Trial: trial, Commits: two}, s); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range a.Series() {
			got = append(got, fmt.Sprint(one.Trace, one.AppendSide(nil, series.Old), one.AppendSide(nil, series.New)))
		}
		check(t, fmt.Sprint("values at ", two), valuesAt(all, two), got)
	}
}

// A trace with more points than MaxPoints is an error, and the traces before it are read, however many
// rows all of them have. Links have a limit of their own.
func TestMaxPoints(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var results []string
		for i := range 40 {
			results = append(results, fmt.Sprint("a=", i), fmt.Sprint("b=", i), fmt.Sprint("c=", i), fmt.Sprint("d=", i))
		}
		putAll(t, s, tree{"a.json": skia(at("c1"), results...), "b.json": skia(at("c2"), "c=1", "d=1")})
		for most, want := range map[int]string{
			0: ",test=a, ,test=b, ,test=c, ,test=d, <nil>", 41: ",test=a, ,test=b, ,test=c, ,test=d, <nil>",
			40: `,test=a, ,test=b, store: query: trace ",test=c," has more than 40 points`,
			39: `store: query: trace ",test=a," has more than 39 points`,
		} {
			got := ""
			for one, err := range s.Query(t.Context(), nil, Range{MaxPoints: most}) {
				if err != nil {
					got += err.Error()
					check(t, "is a limit", true, errors.Is(err, format.ErrLimit))
					break
				}
				if got += one.ID + " "; one.ID == ",test=d," {
					got += "<nil>"
				}
			}
			check(t, fmt.Sprint("at most ", most), want, got)
		}

		for most, want := range map[int]bool{100: false, 40: false, 39: true} {
			s.maxScan = most * rowMemory
			_, err := s.Links(t.Context(), Trial{}, ",test=c,", Point{Commit: "c1", N: 1})
			check(t, fmt.Sprint("links of at most ", most), want, errors.Is(err, format.ErrLimit))
			_, err = s.Links(t.Context(), Trial{}, "", Point{Commit: "c1", N: 1}) // no trace, not all
			check(t, fmt.Sprint("links without an ID, of at most ", most), nil, err)
		}
	})
}

// rowsAt returns the rows of a commit, given those of the points of all series.
func rowsAt(rows []string, all []*Trace, commit string) (kept []string) {
	for _, one := range all {
		for _, p := range one.Points {
			if p.Commit == commit {
				kept = append(kept, rows[0])
			}
			rows = rows[1:]
		}
	}
	return kept
}

func countPoints(all []*Trace) (n int) {
	for _, one := range all {
		n += len(one.Points)
	}
	return n
}

// valuesAt returns the series with their values at two commits, if they have some.
func valuesAt(all []*Trace, commits []string) (lines []string) {
	for _, one := range all {
		sides := make([][]float64, 2)
		for _, p := range one.Points {
			for side := range sides {
				if p.Commit == commits[side] {
					sides[side] = append(sides[side], p.Value)
				}
			}
		}
		if len(sides[0])+len(sides[1]) > 0 {
			lines = append(lines, fmt.Sprint(one.ID, sides[0], sides[1]))
		}
	}
	return lines
}

// A Store that has seen the commits sees what another one does to them, and loads nothing if that is
// nothing.
func TestCommitCache(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		reader, writer := open(t, name), open(t, name)
		commits := func(s *Store) (names []string) {
			all, order, err := s.Commits(t.Context(), Trial{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range all {
				names = append(names, fmt.Sprint(c.Name, c.Hour.Hour(), c.Time.Unix(), c.Listed.Subject))
			}
			return append(names, order.By)
		}
		store := func(path, text string) func() {
			return func() { putAll(t, writer, tree{path: text}) }
		}
		const bench = "BenchmarkX 1 1 ns/op\n"
		for _, step := range []struct {
			name    string
			do      func()
			changes bool
		}{
			{"a commit", store("2026/01/02/05/a.json", skia(at("aaaa1"), "x=1")), true},
			{"another file of it", store("2026/01/02/06/a.json", skia(at("aaaa1"), "x=1")), false},
			{"an earlier file of it", store("2026/01/02/04/a.json", skia(at("aaaa1"), "x=1")), true},
			{"a second commit", store("2026/01/02/03/a.json", skia(at("bbbb1"), "x=1")), true},
			{"a trial", store("2026/01/02/03/t.json", skia(at("bbbb1")+`,"issue":"1"`, "x=1")), true},
			{"a time", store("2026/01/02/07/b", "commit: aaaa1\ncommit-time: 2026-01-02T03:04:05Z\n"+bench), true},
			{"the same time", store("2026/01/02/08/b", "commit: aaaa1\ncommit-time: 2026-01-02T03:04:05Z\n"+bench), false},
			{"a later time", store("2026/01/02/09/b", "commit: aaaa1\ncommit-time: 2026-01-02T03:04:06Z\n"+bench), false},
			{"an earlier time", store("2026/01/02/10/b", "commit: aaaa1\ncommit-time: 2026-01-02T03:04:04Z\n"+bench), true},
			{"a list", func() {
				list := []series.Commit{{Hash: "aaaa1", Subject: "first"}, {Hash: "bbbb1"}}
				if _, err := writer.SetCommits(t.Context(), "", list); err != nil {
					t.Fatal(err)
				}
			}, true},
			{"a file of it deleted", func() {
				deletePath(t, writer, "2026/01/02/04/a.json")
			}, true},
			{"no list", func() {
				if err := writer.DeleteCommits(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
			}, true},
		} {
			before := reader.commits.values[Trial{}]
			step.do()
			check(t, step.name, commits(open(t, name)), commits(reader))
			if changed := reader.commits.values[Trial{}] != before; changed != step.changes {
				t.Errorf("%s: commits were loaded: %v, want %v", step.name, changed, step.changes)
			}
		}
	})
}

// A cache forgets everything when the state changes, and when it is full.
func TestCache(t *testing.T) {
	c := cache[int, string, int]{max: 40}
	for i := range 10 {
		c.add(1, fmt.Sprint(i), i, 10)
		if value, ok := c.find(1, fmt.Sprint(i)); !ok || value != i || c.size > c.max {
			t.Errorf("value %d: found %d, %v; size %d", i, value, ok, c.size)
		}
	}
	c.add(1, "large", 1, 11)
	if _, ok := c.find(1, "large"); ok {
		t.Error("a value that takes more than a quarter was kept")
	}
	if _, ok := c.find(2, "9"); ok {
		t.Error("a value of another state was found")
	}
	c.add(2, "9", 3, 1)
	if value, _ := c.find(2, "9"); value != 3 || c.size != 1 {
		t.Errorf("found %d, size %d", value, c.size)
	}
}

// The memory of a question does not grow with its answer: 10,000 traces with IDs of 2.5 KB are 25
// MB, and the Store has a quarter of the default memory.
func TestMemoryOfQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it stores 25 MB")
	}
	const traces, files, maxGrowth = 10_000, 8, 16 << 20
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s, err := OpenWith(t.Context(), newDatabase(), Options{Memory: defaultMemory / 4})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		long := strings.Repeat("long_value_", 230)
		for i := range files {
			var b strings.Builder
			fmt.Fprintf(&b, `{"version":1,"git_hash":"c%d","results":[`, i%2)
			for j := range traces / files * 2 {
				if j > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `{"key":{"os":"x","test":"%s%d"},"measurement":%d}`, long, i/2*traces/files*2+j, i+j)
			}
			putAll(t, s, tree{fmt.Sprintf("2026/01/02/0%d/a.json", i): b.String() + "]}"})
		}
		s.names.values = nil // so that the heap is small
		for name, ask := range map[string]func() int{
			"query":        func() int { return countPeak(t, s.Query(t.Context(), nil, Range{}), maxGrowth) },
			"of a param":   func() int { return countPeak(t, s.queryText(t, "os=x"), maxGrowth) },
			"measurements": func() int { return countPeak(t, s.Measurements(t.Context(), nil, Range{}), maxGrowth) / 2 },
			"at":           func() int { return countPeak(t, s.Query(t.Context(), nil, Range{First: "c1", Last: "c1"}), maxGrowth) },
			"newest":       func() int { return countPeak(t, s.Query(t.Context(), nil, Range{Newest: true}), maxGrowth) },
			"measured at": func() int {
				return countPeak(t, s.Measurements(t.Context(), nil, Range{First: "c1", Last: "c1"}), maxGrowth)
			},
			"dump":   func() int { countPeak(t, dumped(s), maxGrowth); return traces },
			"params": func() int { return countPeak(t, s.Params(t.Context(), Trial{}), maxGrowth) - 1 },
		} {
			t.Run(name, func(t *testing.T) { check(t, "steps", traces, ask()) })
		}
	})
}

// dumped iterates over the writes of a Dump.
func dumped(s *Store) func(yield func(int, error) bool) {
	return func(yield func(int, error) bool) {
		err := s.Dump(context.Background(), writerFunc(func(p []byte) (int, error) {
			yield(len(p), nil)
			return len(p), nil
		}))
		if err != nil {
			yield(0, err)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// countPeak counts the steps of a question, while the heap must not grow by more than a number of
// bytes.
func countPeak[T any](t *testing.T, all func(yield func(T, error) bool), maxGrowth uint64) (n int) {
	t.Helper()
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	before, peak := stats.HeapAlloc, uint64(0)
	for _, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%500 == 1 {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
	}
	growth := peak - min(peak, before)
	t.Logf("the heap has grown by %d bytes, from %d", growth, before)
	if growth > maxGrowth {
		t.Errorf("the heap has grown by %d bytes, want at most %d", growth, maxGrowth)
	}
	return n
}

// A question that filters reads the same, whether it looks up all terms or reads names.
func TestManyTraces(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		var results []string
		for i := range 3 * maxNamesRead {
			results = append(results, fmt.Sprintf("%d_%d=%d", i%3, i, i))
		}
		putAll(t, s, tree{
			"a.json": skia(at("c1")+`,"key":{"os":"linux","arch":"x"}`, results...),
			"b.json": skia(at("c2")+`,"key":{"os":"linux","arch":"y"}`, results...),
		})
		all := collect(t, s.Query(t.Context(), nil, Range{}))
		check(t, "sorted", true, slices.IsSortedFunc(all, func(a, b *Trace) int { return strings.Compare(a.ID, b.ID) }))
		for _, text := range []string{"os=linux", "os=linux&arch=y", "arch=x&test=~^1_", "test=~_7", "os=!linux", "arch=x&arch=y&test=!0_0"} {
			q, err := traceid.ParseQuery(text)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, one := range all {
				if selected, _ := q.MatchID(one.ID); selected {
					want = append(want, one.ID)
				}
			}
			var got []string
			for _, one := range collect(t, s.Query(t.Context(), q, Range{})) {
				got = append(got, one.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got): %.2000s", text, diff)
			}
		}
	})
}

// The param set follows every change of the database, including changes by other processes.
func TestParamsFollow(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		reader, writer := open(t, name), open(t, name)
		var b strings.Builder
		for i := range 2 * maxAtOnce {
			fmt.Fprintf(&b, "p%d=1 ", i)
		}
		for _, step := range []struct {
			do   func()
			want int
		}{
			{func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }, 2},
			{func() { putAll(t, writer, tree{"t.json": skia(at("c1")+`,"issue":"1"`, "z=1")}) }, 2},
			{func() { putAll(t, writer, tree{"b.json": skia(at("c2"), "z=1", "x=2")}) }, 3},
			{func() { putAll(t, writer, tree{"c.json": skia(at("c3"), strings.Fields(b.String())...)}) }, 3 + 2*maxAtOnce},
			{func() { deletePath(t, writer, "c.json") }, 3},
			{func() { deletePath(t, writer, "a.json") }, 2},
			{func() { deletePath(t, writer, "b.json") }, 0},
			{func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }, 2},
		} {
			step.do()
			fresh := open(t, name)
			want := collect(t, fresh.Params(t.Context(), Trial{}))
			fresh.Close()
			check(t, "number of params", step.want, len(want))
			for range 2 {
				check(t, "params", want, collect(t, reader.Params(t.Context(), Trial{})))
			}
		}
	})
}
