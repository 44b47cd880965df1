package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The script of examples/nightly posts each regression of 28 commits once, although the first
// attempt to post fails.
func TestNightly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs 28 jobs")
	}
	for _, program := range []string{"git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	script, err := filepath.Abs("../../examples/nightly/nightly.sh")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(readFile(t, script), "\n"); n > 25 {
		t.Errorf("%d lines", n)
	}

	// TestMain has put the tool on the PATH. In place of the benchmarks, lines that depend on the number
	// of the commit: all get slower at the 10th, one at the 22nd, and one gets faster at the 15th. In
	// place of gh, a program that fails the first time.
	dir, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go": `#!/bin/sh
n=$(git rev-list --count HEAD) a=100 b=200 c=300
[ "$n" -lt 10 ] || a=130 b=260 c=390
[ "$n" -lt 15 ] || c=250
[ "$n" -lt 22 ] || b=330
for i in 1 2 3 4 5; do
  echo "cpu: model $((n % 3))"
  echo "BenchmarkA 100 $a.$(((n * 7 + i * 3) % 10)) ns/op"
  echo "BenchmarkB 100 $b.$(((n * 3 + i) % 10)) ns/op"
  echo "BenchmarkC 100 $c.$(((n * 9 + i) % 10)) ns/op"
done
`,
		"gh": `#!/bin/sh
[ -e ../tried ] || { touch ../tried; echo "gh: no network" >&2; exit 1; }
printf '%s\n' "$4" >> issues.txt
`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}

	clone := filepath.Join(dir, "clone")
	nights := exec.Command("bash", "-e", "-c", `
git init -q origin
git -C origin commit -q --allow-empty -m 0
git clone -q origin clone
cd clone
failures=0
for n in $(seq 27); do
  git -C ../origin commit -q --allow-empty -m "$n"
  "$SCRIPT" || failures=$((failures + 1))
done
echo "failures: $failures"
`)
	nights.Dir = dir
	nights.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "SCRIPT="+script,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := nights.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "failures: 1\n") {
		t.Errorf("%v: %s", err, out)
	}
	commits := strings.Fields(readFile(t, filepath.Join(clone, "commits.txt")))
	issues := regexp.MustCompile(`[0-9a-f]{9}`).ReplaceAllStringFunc(readFile(t, filepath.Join(clone, "issues.txt")), func(hash string) string {
		for i, commit := range commits {
			if strings.HasPrefix(commit, hash) {
				return "commit " + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
			}
		}
		return hash
	})
	want := "Slower since commit 10: 3 worse, by the most 30%\nSlower since commit 22: 1 worse, by the most 27%\n"
	if diff := cmp.Diff(want, issues); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}
