package benchfmt

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testFiles returns the contents of this project's files of the format, by name.
func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return filesIn(t, "../testdata/benchfmt")
}

// perfFiles returns the contents of the reference's own test data, by name. The files are in the
// reference's module.
func perfFiles(t testing.TB) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/perf").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, dir := range []string{
		"benchfmt/testdata",
		"benchproc/testdata",
		"cmd/benchstat/testdata",
		"cmd/benchseries/testdata",
		"storage/benchfmt/testdata",
	} {
		dir = filepath.Join(strings.TrimSpace(string(out)), filepath.FromSlash(dir))
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		for name, text := range filesIn(t, dir) {
			all[name] = text
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d files of x/perf's test data", len(all))
	}
	return all
}

func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
