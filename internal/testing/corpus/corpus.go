// Package corpus locates the recorded inputs and answers of other programs, for tests: the corpus of
// the reference implementations, the oracles, and files of other projects. They are in a folder next to
// the project's, and not part of the project.
package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the path of a folder of the corpus. If the corpus is missing, it skips the test with
// a message.
func Dir(t testing.TB, folder string) string {
	t.Helper()
	return Shared(t, "corpus", folder)
}

// Shared is Dir for folders of a kind: "corpus"; "oracles"; or "runners", the files that runners wrote in
// other projects.
func Shared(t testing.TB, kind, folder string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
			continue
		}
		path := filepath.Join(filepath.Dir(root), "shared", kind, folder)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("%s not found: no folder shared/%s/%s beside a module above %s", kind, kind, folder, dir)
	return ""
}

// Glob returns the paths of the files in a folder that match the pattern. It fails the test if none does.
func Glob(t testing.TB, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s in %s: %v", pattern, dir, err)
	}
	return files
}

// ReadOracle decodes a JSON file.
func ReadOracle(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
