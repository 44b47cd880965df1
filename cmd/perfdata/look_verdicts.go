package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/internal/chars"
)

// jsonVerdicts prints one JSON object, with a line for each file. It prints problems as they are
// found, because a file may have many.
type jsonVerdicts struct {
	*validation
	isOpen                bool // the object of the current file was begun
	files, problems, left separator
}

// A separator is the text before the next element of a list: nothing, and then a comma.
type separator string

func (s *separator) next() (text string) {
	text, *s = string(*s), ","
	return text
}

func (j *jsonVerdicts) begin() { fmt.Fprint(j.data, `{"files":[`) }

// open prints the beginning of a file's object, unless it was printed.
func (j *jsonVerdicts) open(f *verdict) {
	if !j.isOpen {
		j.isOpen, j.problems = true, ""
		fmt.Fprintf(j.data, "%s\n{\"file\":%s,\"problems\":[", j.files.next(), chars.JSON(f.file))
	}
}

// A jsonProblem is an error or a warning in JSON. An error that is not about a place in a file has
// only severity and message. File is a file in a folder that is checked as a whole.
type jsonProblem struct {
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Offset   *int64 `json:"offset,omitempty"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
}

func (j *jsonVerdicts) problem(f *verdict, err error) {
	j.open(f)
	p := jsonProblem{Severity: severity(err), Message: bareMessage(err)}
	if e, ok := errors.AsType[*format.Error](err); ok {
		p.Line, p.Column, p.Offset, p.Path = e.Line, e.Column, &e.Offset, e.Path
		if e.Name != f.file {
			p.File = e.Name
		}
	}
	fmt.Fprintf(j.data, "%s%s", j.problems.next(), chars.JSON(p))
	j.countError(err)
}

func (j *jsonVerdicts) file(f *verdict) {
	j.open(f)
	j.isOpen = false
	fmt.Fprint(j.data, "]")
	if f.format != "" {
		fmt.Fprintf(j.data, `,"format":%s`, chars.JSON(f.format))
	}
	if f.valid {
		fmt.Fprintf(j.data, `,"measurements":%d`, f.measurements)
	}
	fmt.Fprintf(j.data, `,"errors":%d,"warnings":%d,"valid":%t}`, f.errors, f.warnings, f.valid)
}

func (j *jsonVerdicts) skipped(file, reason string) {
	if j.left == "" {
		fmt.Fprint(j.data, startSkipped)
	}
	fmt.Fprintf(j.data, "%s\n{\"file\":%s,\"message\":%s}", j.left.next(), chars.JSON(file), chars.JSON(reason))
}

// startSkipped ends the list of files and begins that of the files that were skipped.
const startSkipped = "\n],\"skipped\":["

func (j *jsonVerdicts) end() {
	if j.left == "" && j.recursive {
		fmt.Fprint(j.data, startSkipped)
	}
	t := &j.total
	fmt.Fprintf(j.data, "\n],\"checked\":%d,\"unread\":%d,\"invalid\":%d,\"errors\":%d,\"warnings\":%d}\n",
		t.checked, t.unread, t.invalid, t.errors, t.warnings)
}

// githubVerdicts prints workflow commands of GitHub Actions, which annotate the lines of files.
type githubVerdicts struct {
	*validation
	root string // of the repository; empty if it is not known
}

func (g *githubVerdicts) begin() {
	g.root = os.Getenv("GITHUB_WORKSPACE")
	// Without the variable, it is the closest folder above the working directory that git knows.
	dir, err := os.Getwd()
	for g.root == "" && err == nil {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			g.root = dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
}

// path returns the path of a file as GitHub expects it: from the root of the repository, if the
// file is in it.
func (g *githubVerdicts) path(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil || g.root == "" || name == inputName("-") {
		return name
	}
	if rel, err := filepath.Rel(g.root, abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

func (*githubVerdicts) file(*verdict) {}

func (g *githubVerdicts) problem(f *verdict, err error) {
	name, place, text := f.file, "", bareMessage(err)
	if e, ok := errors.AsType[*format.Error](err); ok {
		name, place = cmp.Or(e.Name, f.file), fmt.Sprintf(",line=%d,col=%d", e.Line, e.Column)
		if e.Path != "" {
			text = e.Path + ": " + text
		}
	}
	judging.Annotate(g.stdout, severity(err), "file="+judging.EscapeProperty(g.path(name))+place, text)
	g.countError(err)
}

func (g *githubVerdicts) skipped(file, reason string) {
	if !g.quiet {
		judging.Annotate(g.stdout, "notice", "file="+judging.EscapeProperty(g.path(file)), "skipped: "+reason)
	}
}

func (g *githubVerdicts) end() {
	if !g.quiet {
		fmt.Fprintln(g.stdout, &g.total)
	}
}
