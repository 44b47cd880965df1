// Package corpus locates the recorded inputs and answers of the reference implementations, for
// tests. The corpus is next to the project's folder, and not part of the project.
package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the path of a folder of the corpus. If the corpus is missing, it skips the test with
// a message.
func Dir(t testing.TB, folder string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
			continue
		}
		corpus := filepath.Join(filepath.Dir(root), "shared", "corpus", folder)
		if _, err := os.Stat(corpus); err == nil {
			return corpus
		}
	}
	t.Skipf("corpus not found: no folder shared/corpus/%s beside a module above %s", folder, dir)
	return ""
}

// Files returns the paths of the files in a folder of the corpus that match the pattern. It fails
// the test if none does.
func Files(t testing.TB, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Dir(t, folder), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s in folder %s of the corpus: %v", pattern, folder, err)
	}
	return files
}
