package store

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// The test binary is its own child: with this variable, it stores files in a database instead of
// running tests. Its value is the database, seed and moment of a child, separated by spaces.
const childVariable = "PERFDATA_STORE_CHILD"

// The files of children.
const (
	childSeed  = 7
	childFiles = 40
)

// A moment is when a child waits to be killed.
type moment struct {
	stage string // begin, add, commit or call; open, delete, vacuum or read, to store nothing; or empty
	file  int64  // counts the files that have reached the stage, or the calls of the database
}

// childMain does the work of a child, and reports whether the process is one.
func childMain() bool {
	text := os.Getenv(childVariable)
	if text == "" {
		return false
	}
	var database, stage string
	var seed uint64
	var file int64
	if _, err := fmt.Sscanf(text, "%q %d %q %d", &database, &seed, &stage, &file); err != nil {
		panic(err)
	}
	run := ingestChild
	switch stage {
	case "call":
		run = storeChild
	case "open":
		run = openChild
	case "delete":
		run = deleteChild
	case "vacuum":
		run = vacuumChild
	case "read":
		run = readChild
	}
	if err := run(database, seed, moment{stage, file}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	return true
}

func ingestChild(database string, seed uint64, m moment) error {
	ctx := context.Background()
	s, err := Open(ctx, database)
	if err != nil {
		return err
	}
	defer s.Close()
	return ingestFiles(ctx, s, seed, m)
}

// storeChild is ingestChild, and waits to be killed before a call of the database.
func storeChild(database string, seed uint64, m moment) error {
	return callChild(database, m, func(ctx context.Context, s *Store) error { return ingestFiles(ctx, s, seed, m) })
}

func ingestFiles(ctx context.Context, s *Store, seed uint64, m moment) error {
	var reports []error
	sink := &reportingSink{Store: s, moment: m}
	_, err := ingest.Run(ctx, shuffled(randomTree(childSeed, childFiles), seed), sink, ingest.RunOptions{
		Workers: 4,
		Report: func(r ingest.Report) {
			if err := s.Note(ctx, r); err != nil {
				reports = append(reports, err)
			}
		},
	})
	return errors.Join(append(reports, err)...)
}

// openChild opens a database, and waits to be killed before a call of it.
func openChild(database string, _ uint64, m moment) error {
	return callChild(database, m, func(context.Context, *Store) error { return nil })
}

// deleteChild deletes files, and waits to be killed before a call of the database.
func deleteChild(database string, _ uint64, m moment) error {
	return callChild(database, m, func(ctx context.Context, s *Store) error {
		_, err := s.Delete(ctx, childSelection)
		return err
	})
}

// vacuumChild vacuums a database, and waits to be killed before a call of it.
func vacuumChild(database string, _ uint64, m moment) error {
	return callChild(database, m, func(ctx context.Context, s *Store) error {
		_, err := s.Vacuum(ctx)
		return err
	})
}

// callChild opens a database and uses it, and waits to be killed before a call of it.
func callChild(database string, m moment, use func(context.Context, *Store) error) error {
	var calls atomic.Int64
	ctx := context.Background()
	s, err := openBy(ctx, database, Options{}, watchedOpener(func() {
		if calls.Add(1) == m.file {
			fmt.Println("begin open")
			fmt.Println("kill")
			select {}
		}
	}))
	if err != nil {
		return err
	}
	return errors.Join(use(ctx, s), s.Close())
}

// A reportingSink prints what happens to each file, and waits at its moment to be killed. The
// stage commit does not wait: it is killed at any time in Commit.
type reportingSink struct {
	*Store
	moment
	begins, adds, commits atomic.Int64
}

func (s *reportingSink) at(stage string, path string, count *atomic.Int64) {
	fmt.Printf("%s %s\n", stage, path)
	if count.Add(1) == s.file && stage == s.stage {
		fmt.Println("kill")
		if stage != "commit" {
			select {}
		}
	}
}

func (s *reportingSink) Begin(ctx context.Context, src ingest.Source) (ingest.Batch, error) {
	b, err := s.Store.Begin(ctx, src)
	if err != nil {
		return nil, err
	}
	s.at("begin", src.Path, &s.begins)
	return &reportingBatch{Batch: b, sink: s, path: src.Path}, nil
}

type reportingBatch struct {
	ingest.Batch
	sink *reportingSink
	path string
	n    int
}

func (b *reportingBatch) Add(at *series.Point) error {
	if b.n++; b.n == 3 {
		b.sink.at("add", b.path, &b.sink.adds)
	}
	return b.Batch.Add(at)
}

func (b *reportingBatch) Commit(header format.Header, content ingest.Content) error {
	b.sink.at("commit", b.path, &b.sink.commits)
	err := b.Batch.Commit(header, content)
	fmt.Println("end", b.path)
	return err
}

func (b *reportingBatch) Rollback() error {
	fmt.Println("end", b.path)
	return b.Batch.Rollback()
}

// child returns a command that runs a child.
func child(t *testing.T, database string, seed uint64, m moment) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), childVariable+"="+fmt.Sprintf("%q %d %q %d", database, seed, m.stage, m.file))
	cmd.Stderr = os.Stderr
	return cmd
}

// undisturbed returns the checksum of a store of the children's files.
func undisturbed(t *testing.T) string {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	put(t, s, randomTree(childSeed, childFiles), ingest.RunOptions{})
	return checksum(t, s)
}

func TestTenProcesses(t *testing.T) {
	leaveOut(t)
	want := undisturbed(t)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		database := newDatabase() // they also create the tables
		var running []*exec.Cmd
		for i := range uint64(10) {
			cmd := child(t, database, i, moment{})
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd)
		}
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		if got := checksum(t, open(t, database)); got != want {
			t.Errorf("checksum %s, want %s", got, want)
		}
	})
}

var killsOfTest = flag.Int("kills", 20, "number of processes that TestKill kills")

// killsOfDatabase is the number of processes that are killed with each database. After more, few
// files are left that are not stored.
const killsOfDatabase = 5

// A process that is killed, at any time, leaves nothing half stored, and the next one goes on.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	want := undisturbed(t)
	onEach(t, func(t *testing.T, newDatabase func() string) {
		r := rand.New(rand.NewPCG(1, 2))
		within, unstored := 0, 0
		for first := 0; first < *killsOfTest; first += killsOfDatabase {
			database := newDatabase()
			for range min(killsOfDatabase, *killsOfTest-first) {
				stage := []string{"begin", "add", "commit", "call", "call", "call"}[r.IntN(6)]
				m := moment{stage, 1 + r.Int64N(childFiles/2)}
				if stage == "call" {
					m.file *= 10
				}
				if kill(t, child(t, database, r.Uint64(), m)) {
					within++
				}
			}

			s := open(t, database)
			for src := range s.Sources(t.Context()) {
				if src.SHA256 != nil {
					unstored--
				}
			}
			unstored += childFiles
			if err := child(t, database, 0, moment{}).Run(); err != nil {
				t.Fatal(err)
			}
			if got := checksum(t, s); got != want {
				t.Errorf("checksum %s, want %s", got, want)
			}
			s.Close()
		}
		t.Logf("%d of %d processes were killed before they ended, and left %d files", within, *killsOfTest, unstored)
		if within < *killsOfTest/4 || unstored == 0 {
			t.Errorf("%d of %d processes were killed before they ended, want at least a quarter", within, *killsOfTest)
		}
	})
}

// kill runs a child until its moment, and kills it. It reports whether a file had begun and not
// ended.
func kill(t *testing.T, cmd *exec.Cmd) (unfinished bool) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := make(map[string]bool)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch event, path, _ := strings.Cut(lines.Text(), " "); event {
		case "kill":
			cmd.Process.Kill()
		case "begin":
			begun[path] = true
		case "end":
			delete(begun, path)
		}
	}
	io.Copy(io.Discard, out)
	cmd.Wait() // its error is that it was killed
	return len(begun) > 0
}

// answersOf returns the values of a store.
func answersOf(ctx context.Context, s *Store) (lines []string) {
	for m, err := range s.Measurements(ctx, nil, Range{}) {
		if err != nil {
			return []string{err.Error()}
		}
		lines = append(lines, fmt.Sprint(m.Record.Params.ID(), " ", m.Record.Value))
	}
	return lines
}

// readChild prints the values of a database, and the error of a write.
func readChild(database string, _ uint64, _ moment) error {
	ctx := context.Background()
	s, err := Open(ctx, database)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, line := range answersOf(ctx, s) {
		fmt.Println(line)
	}
	_, err = s.SetCommits(ctx, "", []series.Commit{{Hash: "c1"}})
	return err
}
