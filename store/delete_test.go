package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdata/ingest"
	"perfdata/series"
)

// The files of the tests of deletions: two versions of c1, one of which is a change under review, and
// files without an hour.
func deletable() tree {
	link := func(text string) string { return fmt.Sprintf(`,"links":{"log":"https://example.com/%s"}`, text) }
	return tree{
		"d/2026/01/02/03/old.json":   skia(at("c1")+link("old"), "x=1", "y y=2"),
		"d/2026/01/02/04/new.json":   skia(at("c1")+link("new"), "x=3", "z=4"),
		"d/2026/01/02/05/later.json": skia(at("c2"), "x=5", "y y=6"),
		"d/2026/01/02/06/trial.json": skia(at("c1")+`,"issue":"7"`, "x=7"),
		"d/2026/01/02/07/bad.json":   "{",
		"plain.json":                 skia(at("c3"), "x=8"),
	}
}

// without returns the files of a tree whose paths contain none of some texts.
func (files tree) without(texts ...string) tree {
	left := make(tree)
	for path, text := range files {
		if !slices.ContainsFunc(texts, func(part string) bool { return strings.Contains(path, part) }) {
			left[path] = text
		}
	}
	return left
}

// Deleted files leave the store as it would be without them.
func TestDeleteFiles(t *testing.T) {
	const day = "d/2026/01/02/"
	old, newer := DeletedFile{day + "03/old.json", 2}, DeletedFile{day + "04/new.json", 2}
	for _, test := range []struct {
		name      string
		selection Selection
		want      Deleted
		without   []string
	}{
		{"a path and a missing one", Selection{Paths: []string{"x", day + "04/new.json", "x"}},
			Deleted{Files: []DeletedFile{newer}, Measurements: 2, Missing: []string{"x"}}, []string{"new"}},
		{"a file that failed", Selection{Paths: []string{day + "07/bad.json"}},
			Deleted{Files: []DeletedFile{{day + "07/bad.json", 0}}}, []string{"bad"}},
		{"a run", Selection{Run: day + "03/old.json"}, Deleted{Files: []DeletedFile{old}, Measurements: 2}, []string{"old"}},
		{"an age", Selection{Before: hour(5).Add(time.Minute)},
			Deleted{Files: []DeletedFile{old, newer}, Measurements: 4, NoHour: 1}, []string{"old", "new"}},
		{"a trial", Selection{Trial: &Trial{Issue: "7"}},
			Deleted{Files: []DeletedFile{{day + "06/trial.json", 1}}, Measurements: 1}, []string{"trial"}},
		{"the mainline before an hour", Selection{Trial: &Trial{}, Before: hour(4)},
			Deleted{Files: []DeletedFile{old}, Measurements: 2, NoHour: 1}, []string{"old"}},
		{"nothing", Selection{Run: "x", Before: hour(9)}, Deleted{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			fresh := open(t, filepath.Join(t.TempDir(), "fresh.db"))
			put(t, fresh, deletable().without(test.without...), ingest.RunOptions{})
			want := dump(t, fresh)
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				put(t, s, deletable(), ingest.RunOptions{})
				all := dump(t, s)
				selected, err := s.Selected(t.Context(), test.selection)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "selected", test.want, selected)
				check(t, "dump before", all, dump(t, s))

				deleted, err := s.Delete(t.Context(), test.selection)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "deleted", test.want, deleted)
				check(t, "dump", want, dump(t, s))

				put(t, s, deletable(), ingest.RunOptions{}) // the deleted files are stored again
				check(t, "dump of all", all, dump(t, s))
			})
		})
	}
}

// Deleted measurements leave their files, which are not stored again.
func TestDeleteMeasurements(t *testing.T) {
	const day = "d/2026/01/02/"
	for _, test := range []struct {
		name        string
		selection   Selection
		want        []DeletedFile
		left        []string // as series of the mainline
		trial       []string
		annotations int // rows
	}{
		{"a commit, also of trials", Selection{Commit: "c1"},
			[]DeletedFile{{day + "03/old.json", 2}, {day + "04/new.json", 2}, {day + "06/trial.json", 1}},
			[]string{",test=x, c3=8 c2=5", ",test=y_y, c2=6"}, nil, 0},
		{"a commit of the mainline", Selection{Commit: "c1", Trial: &Trial{}},
			[]DeletedFile{{day + "03/old.json", 2}, {day + "04/new.json", 2}},
			[]string{",test=x, c3=8 c2=5", ",test=y_y, c2=6"}, []string{",test=x, c1=7"}, 0},
		{"a query, of all versions", Selection{Query: mustQuery(t, "test=x")},
			[]DeletedFile{{"plain.json", 1}, {day + "03/old.json", 1}, {day + "04/new.json", 1}, {day + "05/later.json", 1},
				{day + "06/trial.json", 1}},
			[]string{",test=y_y, c1=2 c2=6", ",test=z, c1=4"}, nil, 2},
		{"a query and a commit in a file",
			Selection{Query: mustQuery(t, "test=~^[xz]"), Commit: "c1", Paths: []string{day + "04/new.json"}},
			[]DeletedFile{{day + "04/new.json", 2}},
			[]string{",test=x, c3=8 c1=1 c2=5", ",test=y_y, c1=2 c2=6"}, []string{",test=x, c1=7"}, 1},
		{"an unknown commit", Selection{Commit: "c9"}, nil,
			[]string{",test=x, c3=8 c1=3 c2=5", ",test=y_y, c1=2 c2=6", ",test=z, c1=4"}, []string{",test=x, c1=7"}, 2},
		{"a query of nothing", Selection{Query: mustQuery(t, "test=none")}, nil,
			[]string{",test=x, c3=8 c1=3 c2=5", ",test=y_y, c1=2 c2=6", ",test=z, c1=4"}, []string{",test=x, c1=7"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				put(t, s, deletable(), ingest.RunOptions{})
				want := Deleted{Files: test.want}
				for _, f := range test.want {
					want.Measurements += f.Measurements
				}
				selected, err := s.Selected(t.Context(), test.selection)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "selected", want, selected)
				deleted, err := s.Delete(t.Context(), test.selection)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "deleted", want, deleted)

				for range 2 { // to ingest the files again changes nothing
					check(t, "series", test.left, found(t, s, "", Range{}))
					check(t, "trial", test.trial, found(t, s, "", Range{Trial: Trial{Issue: "7"}}))
					check(t, "rows of annotations", test.annotations, countRows(t, s, "annotations"))
					checkRecords(t, s)
					put(t, s, deletable(), ingest.RunOptions{})
				}
			})
		})
	}
}

func countRows(t testing.TB, s *Store, table string) (n int) {
	t.Helper()
	err := s.write(t.Context(), func(tx *transaction) error {
		return tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkRecords checks that the records and commits of each source match its row groups.
func checkRecords(t *testing.T, s *Store) {
	t.Helper()
	records, commits := make(map[string]int), make(map[string]bool)
	want, listed := make(map[string]int), make(map[string]bool)
	for line := range strings.Lines(dump(t, s)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch fields[0] {
		case `"measurement"`:
			records[fields[5]]++
			commits[fields[5]+fields[2]] = true
		case `"source"`:
			if fields[8] != "0" {
				fmt.Sscan(fields[8], new(int))
				var n int
				fmt.Sscan(fields[8], &n)
				want[fields[1]] = n
			}
		case `"source commit"`:
			listed[fields[1]+fields[2]] = true
		}
	}
	check(t, "records of sources", records, want)
	check(t, "commits of sources", commits, listed)
}

// What a query and a commit select of random files is deleted, and everything else stays.
func TestDeleteRandom(t *testing.T) {
	files := randomTree(3, 40)
	isSelected := func(line string) bool {
		return strings.HasPrefix(line, `"measurement"`) && strings.Contains(line, `"c2"`) && strings.Contains(line, "_a1")
	}
	query := mustQuery(t, "test=~_a1")
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, files, ingest.RunOptions{})
		want, selected := linesOf(dump(t, s), isSelected)
		deleted, err := s.Delete(t.Context(), Selection{Query: query, Commit: "c2"})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "deleted", len(selected), deleted.Measurements)
		got, more := linesOf(dump(t, s), isSelected)
		check(t, "left of what was selected", []string(nil), more)
		check(t, "measurements", want, got)
		checkRecords(t, s)
	})
}

// linesOf returns the measurements of a dump that are not selected, and the selected ones.
func linesOf(dump string, isSelected func(line string) bool) (others, selected []string) {
	for line := range strings.Lines(dump) {
		switch {
		case isSelected(line):
			selected = append(selected, line)
		case strings.HasPrefix(line, `"measurement"`):
			others = append(others, line)
		}
	}
	return others, selected
}

// A Delete that is killed, before any call of the database, deletes whole files, and the next one
// goes on.
func TestDeleteIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	fresh := open(t, filepath.Join(t.TempDir(), "fresh.db"))
	put(t, fresh, deleteChildTree(), ingest.RunOptions{})
	all := checksum(t, fresh)
	if _, err := fresh.Delete(t.Context(), childSelection); err != nil {
		t.Fatal(err)
	}
	want := checksum(t, fresh)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		r := rand.New(rand.NewPCG(1, 2))
		kills, between := 0, 0
		for range 2 {
			put(t, s, deleteChildTree(), ingest.RunOptions{})
			check(t, "checksum of all", all, checksum(t, s))
			for kill(t, child(t, name, 0, moment{"delete", 1 + r.Int64N(4<<r.IntN(11))})) {
				if kills++; kills > 500 {
					t.Fatal("no process has ended by itself")
				}
				if got := checksum(t, s); got != all && got != want {
					between++
				}
				checkRecords(t, s)
			}
			check(t, "checksum", want, checksum(t, s))
		}
		t.Logf("%d kills, %d of which between two transactions", kills, between)
		if kills < 3 || between < 1 {
			t.Errorf("%d kills, %d of which between two transactions: want 3 and 1", kills, between)
		}
	})
}

// childSelection is what the children of TestDeleteIsKilled delete.
var childSelection = Selection{Before: time.Date(2026, 1, 3, 20, 0, 0, 0, time.UTC)}

// deleteChildTree returns enough files for several transactions.
func deleteChildTree() tree { return randomTree(childSeed, 2*deletedFiles) }

// A file whose selected measurements were deleted by another, after they were found, is not one of the
// deleted.
func TestDeletedMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, deletable(), ingest.RunOptions{})
		d, err := s.plan(t.Context(), Selection{Query: mustQuery(t, "test=~^[yz]")})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "files", 3, len(d.files))
		if _, err := s.Delete(t.Context(), Selection{Query: mustQuery(t, "test=z")}); err != nil {
			t.Fatal(err)
		}
		err = s.write(t.Context(), func(tx *transaction) error {
			deleted, err := d.delete(tx, d.files)
			want := []DeletedFile{{"d/2026/01/02/03/old.json", 1}, {"d/2026/01/02/05/later.json", 1}}
			check(t, "deleted", Deleted{Files: want, Measurements: 2}, deleted)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// SourcesAfter has the files after one, also if that is gone.
func TestSourcesAfter(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, deletable(), ingest.RunOptions{})
		deletePath(t, s, "d/2026/01/02/04/new.json")
		var got []string
		for src, err := range s.SourcesAfter(t.Context(), hour(4), "d/2026/01/02/04/new.json") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, src.Path)
		}
		check(t, "paths", []string{
			"d/2026/01/02/05/later.json", "d/2026/01/02/06/trial.json", "d/2026/01/02/07/bad.json",
		}, got)
	})
}

// Each transaction that writes is reported with its error.
func TestWrote(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		var written, failed atomic.Int64
		s, err := OpenWith(t.Context(), newDatabase(), Options{Wrote: func(one Transaction) {
			if one.Err != nil {
				failed.Add(1)
			}
			if one.Wait < 0 || one.Took < 0 {
				t.Errorf("%+v", one)
			}
			written.Add(1)
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		before := written.Load()
		putAll(t, s, tree{oldPath: skia(at("c1"), "x=1")})
		if written.Load() == before || failed.Load() != 0 {
			t.Errorf("%d transactions, %d of which failed", written.Load()-before, failed.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.SetCommits(ctx, "", []series.Commit{{Hash: "c1"}}); err == nil {
			t.Error("no error")
		}
		s.write(t.Context(), func(*transaction) error { return errors.New("broken") })
		if failed.Load() != 2 { // the one that was canceled, too
			t.Errorf("%d transactions failed, want 2", failed.Load())
		}
	})
}
