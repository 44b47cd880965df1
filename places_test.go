package perfdata_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/internal/testing/formattest"
)

// formatPlaces are the files and folders that name a format in a string. Everything else, apart
// from tests and the format's own package, uses perfdata.Formats. Each place that is added here is
// one more to visit for the next format.
var formatPlaces = []string{
	"bench/metamorphic",
	"cmd/perfdata/look_validate.go",
	"cmd/perfdata/turn_profile.go",
	"examples/runner/main.go",
	"internal/testing/documents/documents.go",
	"internal/testing/hostile/hostile.go",
}

// A format is named in no other place than CONTRIBUTING.md says.
func TestPlaces(t *testing.T) {
	names := map[string]string{} // the package of each string
	for _, f := range perfdata.Formats() {
		if f.Unmarked != "" {
			continue // a table, whose name is also that of a form in which commands print
		}
		names[f.Name] = f.Name
		for _, s := range f.Settings {
			names[f.Name+"."+s.Name] = f.Name
		}
	}

	var got []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}

		named, err := namesFormat(path, names)
		if named {
			place := filepath.ToSlash(path)
			if dir := filepath.ToSlash(filepath.Dir(path)); slices.Contains(formatPlaces, dir) {
				place = dir
			}
			got = append(got, place)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff(formatPlaces, slices.Compact(got)); diff != "" {
		t.Errorf("places that name a format (-want +got):\n%s", diff)
	}

	_, guide, _ := strings.Cut(formattest.ReadFile(t, "CONTRIBUTING.md"), "## Adding a format")
	guide, _, _ = strings.Cut(guide, "## ")
	for _, place := range formatPlaces {
		if !strings.Contains(guide, "`"+place+"`") {
			t.Errorf("CONTRIBUTING.md does not say what %s has of a new format", place)
		}
	}
}

// namesFormat reports whether a Go file has a string that names a format, or a setting of it, unless
// it belongs to the package of that format.
func namesFormat(path string, names map[string]string) (named bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	for name := range names { // parsing takes ten times as long
		named = named || bytes.Contains(text, []byte(`"`+name+`"`)) || bytes.Contains(text, []byte("`"+name+"`"))
	}
	if !named {
		return false, nil
	}

	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	named = false
	dirs := " " + strings.ReplaceAll(filepath.ToSlash(filepath.Dir(path)), "/", " ") + " " // "keyval job" is keyval/job
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			name, ok := names[text]
			named = named || err == nil && ok && !strings.Contains(dirs, " "+name+" ")
		}
		return true
	})
	return named, nil
}
