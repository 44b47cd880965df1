package perfdata_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// The pages for people name tests and flags of tests that exist, and each claim of SECURITY.md names
// a test.
func TestClaims(t *testing.T) {
	tests := testSources(t)
	for _, page := range []string{"SECURITY.md", "CONTRIBUTING.md", "README.md", "bench/README.md"} {
		text := formattest.ReadFile(t, filepath.FromSlash(page))
		for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`).FindAllString(text, -1) {
			if !strings.Contains(tests, "func "+name) { // or a name of which it is the beginning, as for -run
				t.Errorf("%s: there is no %s", page, name)
			}
		}

		for _, command := range regexp.MustCompile("go test [^`|\n]*").FindAllString(text, -1) {
			for _, arg := range strings.Fields(command)[2:] {
				name, isFlag := strings.CutPrefix(arg, "-")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && !goFlags[name] && !strings.Contains(tests, `"`+name+`", `) {
					t.Errorf("%s: no test has the flag %s of %s", page, arg, command)
				}
			}
		}
	}

	claims := 0
	header := ""
	for line := range strings.Lines(formattest.ReadFile(t, "SECURITY.md")) {
		switch {
		case !strings.HasPrefix(line, "| "):
			header = ""
		case header == "":
			header = line
		case strings.HasPrefix(header, "| claim") && !strings.HasPrefix(line, "| ---"):
			claims++
			if cells := strings.Split(line, " | "); !regexp.MustCompile(`Test|Fuzz|fuzz`).MatchString(strings.Join(cells[1:], "")) {
				t.Errorf("no test: %s", line)
			}
		}
	}
	if claims < 40 {
		t.Errorf("%d claims", claims)
	}
}

// goFlags are flags of go test itself that the pages use.
var goFlags = map[string]bool{
	"bench": true, "benchmem": true, "benchtime": true, "count": true, "coverpkg": true, "coverprofile": true, "cpu": true,
	"fuzz": true, "fuzztime": true, "json": true, "list": true, "parallel": true, "race": true, "run": true, "short": true, "skip": true, "timeout": true, "v": true,
}

// testSources returns the lines of all tests of the repository that declare a function or a flag.
func testSources(t *testing.T) string {
	var text strings.Builder
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for line := range strings.Lines(formattest.ReadFile(t, path)) {
				if strings.HasPrefix(line, "func ") || strings.Contains(line, "flag.") {
					text.WriteString(line)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}
