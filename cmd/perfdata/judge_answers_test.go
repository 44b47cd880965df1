package main

import (
	"crypto/sha1"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/quick"
)

var randomStores = flag.Int("random-stores", 8, "`number` of random databases that are asked what their files are asked")

// A database gives the same answers, to the last digit, as the files of its newest runs with the list of the
// commits: whatever the order in which they were stored.
func TestStoresAnswerAsFiles(t *testing.T) {
	seeds := []int{44, 62} // commits in another order than the list, and runs without a commit among the last
	for seed := range quick.Of(*randomStores, 2) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareStore(t, newRandomStore(t, uint64(seed))) })
	}
}

// A randomStore has files in the storage layout, and a database of them. The files in kept belong
// to the newest runs.
type randomStore struct {
	dir, db, list, new string
	commits            []string
	kept               []string // files, by path
	hasNameless        bool     // some results name no commit
}

// newRandomStore makes files of several commits and machines, stores them in any order, and deletes some.
func newRandomStore(t *testing.T, seed uint64) *randomStore {
	r := rand.New(rand.NewPCG(seed, 37))
	dir := t.TempDir()
	s := &randomStore{dir: dir, db: filepath.Join(dir, "perf.db"), list: filepath.Join(dir, "commits.txt"),
		hasNameless: seed%2 == 0}
	for i := range 12 + r.IntN(30) {
		s.commits = append(s.commits, fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%d %d", seed, i))))
	}
	write(t, s.list, strings.Join(s.commits, "\n")+"\n")

	newest := make(map[string]string) // files, by commit and machine
	var all, deleted []string
	for i, commit := range s.commits {
		for machine := range 2 {
			if r.IntN(4) == 0 {
				continue
			}
			missing := r.IntN(63) // benchmarks, of all runs
			// The place of a run without a commit depends on the first file of each commit, which may be
			// of a run that was replaced: a database has either.
			for range 1 + r.IntN(5)/4*int(seed%2) {
				name := filepath.Join("tree", fmt.Sprintf("2026/01/%02d/%02d", 1+r.IntN(28), r.IntN(24)), fmt.Sprintf("%d-%d.txt", len(all), machine))
				head := "commit: " + commit + "\n"
				if seed%2 == 0 && r.IntN(12) == 0 {
					head = ""
				}
				write(t, filepath.Join(dir, name), head+randomResults(r, machine, missing, i >= len(s.commits)/2))
				all = append(all, name)
				key := fmt.Sprint(commit, machine)
				switch {
				case r.IntN(15) == 0:
					deleted = append(deleted, name)
				case head == "":
					newest[name] = name
				case name > newest[key]:
					newest[key] = name
				}
			}
		}
	}
	for _, name := range newest {
		s.kept = append(s.kept, filepath.Join(dir, name))
	}
	slices.Sort(s.kept)

	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for some := range slices.Chunk(all, 1+r.IntN(20)) {
		stage := filepath.Join(dir, "stage")
		for _, name := range some {
			rel, _ := filepath.Rel("tree", name)
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(stage, rel), string(text))
		}
		mustRun(t, "store", "ingest", "-q", "--allow-no-commit", s.db, stage)
		os.RemoveAll(stage)
	}
	trial := filepath.Join(dir, "trial.json")
	write(t, trial, `{"version":1,"git_hash":"t","issue":"77","patchset":"1","key":{"name":"B0","unit":"ns/op"},"results":[`+
		`{"key":{"stat":"x"},"measurement":7}]}`)
	mustRun(t, "store", "ingest", "-q", s.db, trial)
	mustRun(t, "store", "commits", "-q", s.db, s.list)
	for _, name := range deleted {
		rel, _ := filepath.Rel("tree", name)
		mustRun(t, "store", "delete", "-q", s.db, filepath.ToSlash(rel))
	}
	s.new = filepath.Join(dir, "new.txt")
	write(t, s.new, "commit: ffff\n"+randomResults(r, r.IntN(2), r.IntN(63), true))
	return s
}

// randomResults returns the results of a run. The benchmarks of some bits are missing.
func randomResults(r *rand.Rand, machine, missing int, isSlow bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine: m%d\n", machine)
	n := 1 + r.IntN(3)
	for i := range 6 {
		if missing>>i&1 != 0 {
			continue
		}
		level := 100.0 * float64(i+1)
		if isSlow && i%3 == 0 {
			level *= 1.4
		}
		for range n {
			fmt.Fprintf(&b, "BenchmarkB%d 1 %.4f ns/op\n", i, level*(1+0.03*r.NormFloat64()))
		}
	}
	return b.String()
}

// compareStore asks a database and the files the same questions.
func compareStore(t *testing.T, s *randomStore) {
	files := func(before, after []string) []string { return slices.Concat(before, s.kept, after) }
	a, b := s.commits[len(s.commits)/4], s.commits[len(s.commits)*3/4]
	type question struct {
		name          string
		stored, files []string
	}
	questions := []question{
		{"check", []string{"check", "--as", "json", s.db, "--", s.new},
			files([]string{"check", "--as", "json", "--commits", s.list}, []string{"--", s.new})},
		{"check, an older base", []string{"check", "--as", "json", "--base", b, s.db, "--", s.new},
			files([]string{"check", "--as", "json", "--commits", s.list, "--base", b}, []string{"--", s.new})},
		{"check, without the machine", []string{"check", "--as", "json", "--ignore", "machine", s.db, "--", s.new},
			files([]string{"check", "--as", "json", "--commits", s.list, "--ignore", "machine"}, []string{"--", s.new})},
		{"compare", []string{"compare", "--as", "json", a + ".." + b, s.db}, files([]string{"compare", "--as", "json", a + ".." + b}, nil)},
		{"changes", []string{"changes", "--as", "json", s.db}, files([]string{"changes", "--as", "json", "--commits", s.list}, nil)},
	}
	if !s.hasNameless { // their place depends on the first file of each commit, which may be another machine's
		questions = append(questions, question{"changes, a query",
			[]string{"changes", "--as", "json", "--match", "machine=m1", s.db},
			files([]string{"changes", "--as", "json", "--match", "machine=m1", "--commits", s.list}, nil)})
	}
	for _, question := range questions {
		t.Run(question.name, func(t *testing.T) {
			stored, _, storedStatus := runTool(nil, question.stored...)
			read, stderr, status := runTool(nil, question.files...)
			if status != storedStatus {
				t.Errorf("status %d of the files, %d of the database: %s", status, storedStatus, stderr)
			}
			if diff := cmp.Diff(jsonLines(read), jsonLines(stored)); diff != "" {
				t.Errorf("(-files +database):\n%s", diff)
			}
		})
	}
}

// jsonLines returns JSON with a line for each object.
func jsonLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "},", "},\n"), "\n")
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	if _, stderr, status := runTool(nil, args...); status != statusOK {
		t.Fatalf("%v: status %d: %s", args, status, stderr)
	}
}
