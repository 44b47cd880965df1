package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdata/ingest"
	"perfdata/internal/testing/faulty"
)

// nameTables are the tables of what a Vacuum deletes.
var nameTables = []string{"traces", "spellings", "params", "commits"}

func tableRows(t *testing.T, s *Store) map[string]int {
	t.Helper()
	rows := make(map[string]int)
	for _, table := range append(nameTables, "postings", "row_groups", "annotations", "source_commits") {
		rows[table] = countRows(t, s, table)
	}
	return rows
}

func vacuum(t *testing.T, s *Store) Vacuumed {
	t.Helper()
	done, err := s.Vacuum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A vacuumed store has the rows of a store that never had the deleted files.
func TestVacuum(t *testing.T) {
	onBoth(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s, other := open(t, name), open(t, name)
		kept := tree{"d/2026/01/02/04/b.json": skia(at("c2"), "x=1", "b b=2")}
		putAll(t, s, kept)
		own := tree{"d/2026/01/02/07/own.json": skia(at("c4"), wide()...)}
		want, wantRows := dump(t, s), tableRows(t, s)
		files := tree{
			"d/2026/01/02/03/a.json": skia(at("c1"), wide()...),
			"d/2026/01/02/05/c.json": skia(at("c3")+`,"issue":"7"`, "x=3", "c c=4"),
		}
		last := tree{"d/2026/01/02/06/last.json": skia(at("c2"), "last one=1")}
		putAll(t, other, files)
		putAll(t, s, last) // the newest names stay
		all := dump(t, s)
		check(t, "vacuumed, with nothing to delete", Vacuumed{}, vacuum(t, s))

		for path := range files {
			deletePath(t, s, path)
		}
		deletePath(t, s, "d/2026/01/02/06/last.json")
		traces := wantRows["traces"]
		done := vacuum(t, s)
		check(t, "vacuumed traces", len(uniqueTraces(all))-traces-1, done.Traces)
		if done.Params < 100 || done.Spellings < 100 || done.Commits != 2 {
			t.Errorf("vacuumed %+v", done)
		}
		for _, table := range []string{"traces", "spellings", "params"} {
			wantRows[table]++ // the newest
		}
		wantRows["postings"]++
		check(t, "rows", wantRows, tableRows(t, s))
		check(t, "dump", want, dump(t, s))

		// Another Store has the traces in its cache. It notices, and stores the file the next time.
		failed := put(t, other, files, ingest.RunOptions{Workers: 1})
		if err := fmt.Sprint(failed); len(failed) != 1 || !strings.Contains(err, "was deleted while the file was read") {
			t.Errorf("failed: %s, want the first file with deleted traces", err)
		}
		putAll(t, other, files)
		putAll(t, s, last)
		check(t, "dump of all", all, dump(t, s))

		// The Store that vacuums has forgotten them.
		putAll(t, s, own)
		for path := range own {
			deletePath(t, s, path)
		}
		for path := range files {
			deletePath(t, s, path)
		}
		vacuum(t, s)
		putAll(t, s, files)
		check(t, "dump after Vacuum of the same Store", all, dump(t, s))
		check(t, "series of a param", []string{",test=last_one, c2=1"}, found(t, s, "test=last_one", Range{}))
	})
}

// wide returns results of many traces, with spellings of their own.
func wide() []string {
	var results []string
	for i := range 150 {
		results = append(results, fmt.Sprintf("wide %d=1", i))
	}
	return results
}

// uniqueTraces returns the traces of the measurements of a dump.
func uniqueTraces(dump string) map[string]bool {
	traces := make(map[string]bool)
	all, _ := linesOf(dump, func(string) bool { return false })
	for _, line := range all {
		traces[strings.Split(line, "\t")[1]] = true
	}
	return traces
}

// Files are stored, deleted and swept at the same time, by several Stores, and nothing is lost.
func TestVacuumWhileOthersWrite(t *testing.T) {
	leaveOut(t)
	files := randomTree(5, 60)
	fresh := open(t, filepath.Join(t.TempDir(), "fresh.db"))
	put(t, fresh, files, ingest.RunOptions{})
	want := dump(t, fresh)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s, other := open(t, name), open(t, name)
		done := make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			defer close(done)
			for seed := range uint64(4) {
				putShuffled(t, other, files, seed)
			}
		})
		r := rand.New(rand.NewPCG(1, 2))
		swept := 0
		for isDone := false; !isDone; {
			select {
			case <-done:
				isDone = true
			default:
			}
			for path := range files {
				if r.IntN(4) == 0 {
					if _, err := s.Delete(t.Context(), Selection{Paths: []string{path}}); err != nil {
						t.Fatal(err)
					}
				}
			}
			swept += vacuum(t, s).Traces
		}
		running.Wait()
		t.Logf("%d traces were swept", swept)

		put(t, s, files, ingest.RunOptions{})
		put(t, s, files, ingest.RunOptions{}) // a trace of one of the files may have been swept
		check(t, "dump", want, dump(t, s))
		vacuum(t, s)
		check(t, "dump after Vacuum", want, dump(t, s))
		checkRecords(t, s)
	})
}

// A Vacuum that is killed, before any call of the database, loses nothing, and the next one goes on.
func TestVacuumIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		r := rand.New(rand.NewPCG(1, 2))
		kills := 0
		for range 2 {
			s.names.values = nil // others have deleted some
			put(t, s, randomTree(childSeed, 20), ingest.RunOptions{})
			putAll(t, s, tree{"b/d/2026/02/01/00/wide.json": skia(at("c9"), wide()...)})
			deletePath(t, s, "b/d/2026/02/01/00/wide.json")
			want := dump(t, s)
			for kill(t, child(t, name, 0, moment{"vacuum", 1 + r.Int64N(4<<r.IntN(12))})) {
				if kills++; kills > 500 {
					t.Fatal("no process has ended by itself")
				}
				check(t, "dump", want, dump(t, s))
			}
			check(t, "dump", want, dump(t, s))
			check(t, "vacuumed once more", Vacuumed{}, vacuum(t, s))
		}
		t.Logf("%d kills", kills)
	})
}

// Whatever call of the database fails, nothing is lost, and the next Vacuum goes on.
func TestVacuumFails(t *testing.T) {
	total := 0
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		files := tree{oldPath: skia(at("c1")+`,"links":{"log":"https://example.com/0"}`, "x=1", "y y=2")}
		putAll(t, s, files)
		want := dump(t, s)
		total += faulty.Check(t, faulty.Subject{
			Forgiven: []string{"rollback"}, TriesAgain: true,
			IsFault: func(err error) bool { return errors.Is(err, faulty.Err) || errors.Is(err, net.ErrClosed) },
			Try: func(script *faulty.Script) (string, error) {
				s.names.values = nil // others have deleted some
				putAll(t, s, tree{newPath: skia(at("c2"), "a a=2", "z z=4"), newPath + "2": skia(at("c2"), "zz z=4")})
				deletePath(t, s, newPath)
				deletePath(t, s, newPath+"2")
				first, err := openBy(t.Context(), name, Options{}, faultyOpener(&script, refused))
				if err == nil {
					_, err = first.Vacuum(t.Context())
					first.Close()
				}
				check(t, "dump", want, dump(t, s))
				vacuum(t, s)
				check(t, "dump", want, dump(t, s))
				check(t, "traces", 3, countRows(t, s, "traces"))
				return "", err
			},
		})
	})
	t.Logf("%d calls failed", total)
}

// A file with a trace that was deleted, and is not the newest, is stored again at once.
func TestVacuumAndAgain(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		files := tree{oldPath: skia(at("c1"), "x=1", "y y=2")}
		putAll(t, s, files)
		putAll(t, s, tree{newPath: skia(at("c2"), "z z=3")})
		want := dump(t, s)
		const query = "test=~^[xz]" // the store remembers which params it means
		check(t, "series", 2, len(found(t, s, query, Range{})))
		deletePath(t, s, oldPath)
		check(t, "vacuumed", Vacuumed{Traces: 2, Params: 2, Spellings: 1, Commits: 1}, vacuum(t, s))
		check(t, "series", 1, len(found(t, s, query, Range{})))
		putAll(t, s, files)
		check(t, "dump", want, dump(t, s))
	})
}

// A backup has the whole contents of the database, and replaces a file only as a whole.
func TestBackup(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, randomTree(1, 20), ingest.RunOptions{})
		dir := t.TempDir()
		file := filepath.Join(dir, "it's.backup")
		if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		err := s.Backup(t.Context(), file)
		db, ok := s.db.(*sqliteDB)
		if !ok {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("error %v, want that it is not supported", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		copied := open(t, file)
		check(t, "dump", dump(t, s), dump(t, copied))
		copied.Close()
		check(t, "files", []string{"it's.backup"}, namesOf(t, dir))

		for _, name := range []string{db.file, filepath.Join(dir, "missing", "a.db"), dir} {
			if err := s.Backup(t.Context(), name); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		check(t, "files", []string{"it's.backup"}, namesOf(t, dir))
	})
}

// A Backup removes the files that a killed backup left, and nothing else.
func TestBackupAfterKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "perf.db"))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil { // its ID belongs to a process that has ended
		t.Fatal(err)
	}
	left := fmt.Sprintf("b.db.%s.%d.1.tmp", host, cmd.Process.Pid)
	kept := []string{
		"b.db", fmt.Sprintf("b.db.%s.%d.1.tmp", host, os.Getpid()), fmt.Sprintf("b.db.%s.x.1.tmp", host),
		fmt.Sprintf("b.db.other%s.%d.1.tmp", host, cmd.Process.Pid), "perf.db", "perf.db-shm", "perf.db-wal",
	}
	for _, name := range append([]string{left}, kept[1:4]...) {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Backup(t.Context(), filepath.Join(dir, "b.db")); err != nil {
		t.Fatal(err)
	}
	check(t, "files", slices.Sorted(slices.Values(kept)), namesOf(t, dir))
}

func namesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return slices.Sorted(slices.Values(names))
}

func TestSize(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, tree{oldPath: skia(at("c1"), "x=1", "y=2"), newPath: "{"}, ingest.RunOptions{})
		size, err := s.Size(t.Context())
		if err != nil || size.Bytes < 1000 {
			t.Errorf("size %+v, %v", size, err)
		}
		size.Bytes = 0
		check(t, "size", Size{Files: 2, Measurements: 2, Traces: 2}, size)
		if err := s.Probe(t.Context(), time.Minute); err != nil {
			t.Error(err)
		}
		err = s.write(t.Context(), func(tx *transaction) error {
			_, err := tx.exec(t.Context(), "UPDATE stamps SET value = $1 WHERE name = $2", schemaVersion+1, schemaStamp)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Probe(t.Context(), time.Minute); err == nil {
			t.Error("no error of another schema")
		}
	})
}
