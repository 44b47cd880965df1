package vitest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/vitest"
)

// installed returns a folder in which the packages of an installed Vitest can be imported, and its
// program. It skips the test where Vitest is not installed.
func installed(t *testing.T) (dir, program string) {
	t.Helper()
	program, err := exec.LookPath("vitest")
	if err != nil {
		t.Skip(err)
	}
	resolved, err := filepath.EvalSymlinks(program)
	if err != nil {
		t.Fatal(err)
	}
	modules, dir := path.Dir(path.Dir(filepath.ToSlash(resolved))), t.TempDir()
	if err := os.Symlink(filepath.FromSlash(modules), filepath.Join(dir, "node_modules")); err != nil {
		t.Skip(err)
	}
	return dir, program
}

// run runs a program in a folder with a script in it.
func run(t *testing.T, dir, script, text, program string, args ...string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, script), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// read returns the names and stats that a document has, and its errors.
func read(document string) (all []string) {
	for rec, err := range runners.NewReader(strings.NewReader(document), vitest.Format()).Records() {
		if err != nil {
			_, message, _ := strings.Cut(err.Error(), ".")
			all = append(all, message)
			continue
		}
		name, _ := rec.Params.Get("name")
		group, _ := rec.Params.Get("group")
		stat, _ := rec.Params.Get("stat")
		all = append(all, strings.Join([]string{group, name, stat}, " "))
	}
	return all
}

// What Vitest itself writes is read: a benchmark that threw is an error.
func TestRunner(t *testing.T) {
	dir, program := installed(t)
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var version int
	if _, err := fmt.Sscanf(string(out), "vitest/%d", &version); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	script, args := `import { bench, describe } from 'vitest'
describe('sort', () => {
  bench('ok', () => { [3, 1, 2].sort() }, { time: 10, iterations: 3, warmupTime: 1 })
  bench('throws', () => { throw new Error('no') }, { time: 10, iterations: 3, throws: false })
})
`, []string{"bench", "--run", "--outputJson", "out.json"}
	wantErr := "groups.0.benchmarks.1: throws: the benchmark has no numbers: it threw an error, or did not run"
	if version >= 5 {
		script, args = `import { test } from 'vitest'
test('sort', async ({ bench }) => { await bench('ok', () => { [3, 1, 2].sort() }).run({ time: 10, iterations: 3 }) })
test('throws', async ({ bench }) => { await bench('t', () => { throw new Error('no') }).run({ time: 10 }) })
`, []string{"bench", "--run", "--reporter=json", "--outputFile=out.json"}
		wantErr = "assertionResults.1: throws: the test failed: Error: no"
	}
	if err := os.WriteFile(filepath.Join(dir, "a.bench.js"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: a test failed
		t.Fatalf("%v\n%s", err, out)
	}

	got := map[string]bool{}
	for _, text := range read(formattest.ReadFile(t, dir, "out.json")) {
		if at := max(strings.Index(text, "groups."), strings.Index(text, "assertionResults.")); at >= 0 {
			text = text[at:]
		}
		got[text] = true
	}
	want := map[string]bool{wantErr: true}
	for _, stat := range []string{"mean", "median", "min", "max", "p75", "p99", "p995", "p999"} {
		want["sort ok "+stat] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The tasks of the tinybench that Vitest uses are read.
func TestTinybench(t *testing.T) {
	dir, _ := installed(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	const script = `import { Bench } from 'tinybench'
const bench = new Bench({ time: 10, iterations: 3 })
bench.add('a', () => { [3, 1, 2].sort() })
await bench.run()
console.log(JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, result }))))
`
	var stats []string
	for _, text := range read(run(t, dir, "a.mjs", script, node, "a.mjs")) {
		name, stat, _ := strings.Cut(strings.TrimSpace(text), " ")
		if name != "a" {
			t.Fatal(text)
		}
		stats = append(stats, stat)
	}
	if !slices.Contains(stats, "mean") && !slices.Contains(stats, "") {
		t.Errorf("no mean and no samples: %q", stats)
	}
}
