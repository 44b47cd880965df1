package perfdata_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write api.txt")

// The exported API is listed in api.txt, so that a change of it is noticed. With -update, the
// test writes the file.
func TestAPI(t *testing.T) {
	var all []string
	for _, dir := range libraryDirs(t) {
		all = append(all, exported(t, dir)...)
	}
	got := strings.Join(all, "\n") + "\n"
	if *update {
		if err := os.WriteFile("api.txt", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the API differs from api.txt; \"go test -run TestAPI -update .\" accepts it (-want +got):\n%s", diff)
	}
}

// libraryDirs returns the folders of the packages that users import.
func libraryDirs(t *testing.T) []string {
	var dirs []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		_, noModule := os.Stat(filepath.Join(path, "go.mod"))
		switch {
		case path != "." && (strings.HasPrefix(name, ".") || noModule == nil),
			name == "internal", name == "testdata", name == "cmd":
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// exported returns the exported declarations of the package in a folder, sorted, a line each.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	if exportedOf[dir] == nil {
		exportedOf[dir] = readExported(t, dir)
	}
	return exportedOf[dir]
}

var exportedOf = map[string][]string{}

func readExported(t *testing.T, dir string) []string {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	path := filepath.ToSlash(filepath.Join("perfdata", dir))
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		t.Fatal(err)
	}

	var lines []string
	add := func(text string) { lines = append(lines, path+": "+text) }
	addValues := func(values []*doc.Value) {
		for _, v := range values {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					add(v.Decl.Tok.String() + " " + name)
				}
			}
		}
	}
	addFuncs := func(funcs []*doc.Func) {
		for _, f := range funcs {
			f.Decl.Doc, f.Decl.Body = nil, nil
			add(source(f.Decl))
		}
	}
	addValues(pkg.Consts)
	addValues(pkg.Vars)
	addFuncs(pkg.Funcs)
	for _, typ := range pkg.Types {
		for _, spec := range typ.Decl.Specs {
			spec := spec.(*ast.TypeSpec)
			of, ok := spec.Type.(*ast.SelectorExpr)
			if ok {
				of := aliased(t, path, spec.Name.Name, source(of.X), of.Sel.Name)
				lines, ok = append(lines, of...), len(of) > 0
			}
			if !ok {
				addType(spec, add)
			}
		}
		addValues(typ.Consts)
		addValues(typ.Vars)
		addFuncs(typ.Funcs)
		addFuncs(typ.Methods)
	}
	slices.Sort(lines)
	return lines
}

// aliased returns the declarations of a type of an internal package, of which a type of the package at the
// path is an alias, or none of other packages.
func aliased(t *testing.T, path, name, pkg, of string) (lines []string) {
	t.Helper()
	dir := filepath.Join("internal", pkg)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	isWord := regexp.MustCompile(`\b` + of + `\b`)
	for _, line := range exported(t, dir) {
		_, text, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(text, "type "+of+" ") || strings.HasPrefix(text, "type "+of+", ") ||
			strings.Contains(text, " *"+of+") ") && strings.HasPrefix(text, "func (") {
			lines = append(lines, path+": "+isWord.ReplaceAllString(text, name))
		}
	}
	return lines
}

// addType adds a type. A struct or an interface takes a line for each exported member.
func addType(spec *ast.TypeSpec, add func(string)) {
	name := "type " + spec.Name.Name
	var members *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		add(name + " struct")
		members = typ.Fields
	case *ast.InterfaceType:
		add(name + " interface")
		members = typ.Methods
	default:
		spec.Doc, spec.Comment = nil, nil
		add("type " + source(spec))
		return
	}
	for _, field := range members.List {
		field.Doc, field.Comment, field.Tag = nil, nil, nil
		text := source(field.Type)
		if len(field.Names) == 0 {
			add(name + ", " + text)
		}
		for _, n := range field.Names {
			if n.IsExported() {
				add(name + ", " + n.Name + " " + text)
			}
		}
	}
}

// source returns the source of a node on one line.
func source(node ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Every link of a comment to a method or a field of the same package leads there.
func TestDocLinks(t *testing.T) {
	link := regexp.MustCompile(`^//.*\[\*?([A-Z]\w*)\.([A-Z]\w*)\]`)
	for _, dir := range libraryDirs(t) {
		names := strings.Join(exported(t, dir), "\n")
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				m := link.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				member := regexp.MustCompile(`func \(\w* ?\*?` + m[1] + `\) ` + m[2] + `\b|type ` + m[1] + `, ` + m[2] + `\b`)
				if !member.MatchString(names) {
					t.Errorf("%s: no %s.%s: %s", file, m[1], m[2], line)
				}
			}
		}
	}
}
