package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The shell lines of examples/ci store and judge each commit: a step of 50% fails one commit, and
// the database has the order of the repository.
func TestCIExamples(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs a dozen jobs")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	// TestMain has put the tool on the PATH. In place of the benchmarks, lines that depend on the number
	// of the commit.
	bin := t.TempDir()
	const benchmarks = `#!/bin/sh
n=$(git rev-list --count HEAD) level=100
[ "$n" -lt 9 ] || level=150
for i in 1 2 3 4 5; do
  echo "cpu: model $((n % 3))"
  echo "BenchmarkA 100 $level.$(((n * 7 + i * 3) % 10)) ns/op"
  echo "BenchmarkB 100 50.$(((n * 3 + i) % 10)) ns/op"
done
`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(benchmarks), 0o755); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"github.yml", "gitlab.yml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := readFile(t, filepath.Join("../../examples/ci", name))
			if n := strings.Count(text, "\n"); n > 40 {
				t.Errorf("%d lines, want at most 40", n)
			}
			dir := t.TempDir()
			run := func(command string) (string, error) {
				cmd := exec.Command("bash", "-e", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null",
					"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := run("git init -q"); err != nil {
				t.Fatal(err, out)
			}
			statuses := ""
			for n := range 12 {
				if out, err := run(fmt.Sprintf("git commit -q --allow-empty -m %d", n)); err != nil {
					t.Fatal(err, out)
				}
				out, err := run(shellOf(text))
				if err != nil && !strings.Contains(out, "worse") {
					t.Errorf("commit %d: %v: %s", n+1, err, out)
				}
				statuses += map[bool]string{true: "0", false: "3"}[err == nil]
			}
			if want := "000000003000"; statuses != want {
				t.Errorf("statuses %s, want %s", statuses, want)
			}
			out, err := run("perfdata store commits -q perf.db; perfdata changes --ignore cpu perf.db")
			if err != nil || !strings.Contains(out, "by the list of commits") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// shellOf returns the block of shell lines of a YAML file.
func shellOf(text string) string {
	_, rest, _ := strings.Cut(text, "|\n")
	indent := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	var b strings.Builder
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, indent) {
			break
		}
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	return b.String()
}
