package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/internal/chars"
)

// jsonVerdicts prints one JSON object, with a line for each file. It prints problems as they are
// found, because a file may have many.
type jsonVerdicts struct {
	*validation
	files    int // that are printed
	problems int // of the current file
	left     int // files that are printed as skipped
}

func (j *jsonVerdicts) begin() { fmt.Fprint(j.data, `{"files":[`) }

// start prints the beginning of a file's object.
func (j *jsonVerdicts) start(f *verdict) {
	if j.files > 0 {
		fmt.Fprint(j.data, ",")
	}
	j.files++
	j.problems = 0
	fmt.Fprintf(j.data, "\n{\"file\":%s,\"problems\":[", marshal(f.file))
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
	if j.problems == 0 {
		j.start(f)
	} else {
		fmt.Fprint(j.data, ",")
	}
	j.problems++
	p := jsonProblem{Severity: severity(err), Message: bareMessage(err)}
	if e, ok := errors.AsType[*format.Error](err); ok {
		p.Line, p.Column, p.Offset, p.Path = e.Line, e.Column, &e.Offset, e.Path
		if e.Name != f.file {
			p.File = e.Name
		}
	}
	j.data.Write(marshal(p))
	j.countError(err)
}

func (j *jsonVerdicts) file(f *verdict) {
	if j.problems == 0 {
		j.start(f)
	}
	j.problems = 0
	fmt.Fprint(j.data, "]")
	if f.format != "" {
		fmt.Fprintf(j.data, `,"format":%s`, marshal(f.format))
	}
	if f.valid {
		fmt.Fprintf(j.data, `,"measurements":%d`, f.measurements)
	}
	fmt.Fprintf(j.data, `,"errors":%d,"warnings":%d,"valid":%t}`, f.errors, f.warnings, f.valid)
}

func (j *jsonVerdicts) skipped(file, reason string) {
	if j.left == 0 {
		fmt.Fprint(j.data, startSkipped)
	} else {
		fmt.Fprint(j.data, ",")
	}
	j.left++
	fmt.Fprintf(j.data, "\n{\"file\":%s,\"message\":%s}", marshal(file), marshal(reason))
}

// startSkipped ends the list of files and begins that of the files that were skipped.
const startSkipped = "\n],\"skipped\":["

func (j *jsonVerdicts) end() {
	if j.left == 0 && j.recursive {
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
	if g.root = os.Getenv("GITHUB_WORKSPACE"); g.root == "" {
		g.root = repositoryRoot()
	}
}

// repositoryRoot returns the closest folder above the working directory that git knows, or the
// empty string.
func repositoryRoot() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
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
	where, text := "file="+judging.EscapeProperty(g.path(f.file)), bareMessage(err)
	if e, ok := errors.AsType[*format.Error](err); ok {
		where = fmt.Sprintf("file=%s,line=%d,col=%d", judging.EscapeProperty(g.path(cmp.Or(e.Name, f.file))), e.Line, e.Column)
		if e.Path != "" {
			text = e.Path + ": " + text
		}
	}
	judging.Annotate(g.stdout, severity(err), where, text)
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

func isWarning(err error) bool {
	e, ok := errors.AsType[*format.Error](err)
	return ok && e.Severity == format.Warning
}

func severity(err error) string {
	if isWarning(err) {
		return "warning"
	}
	return "error"
}

// bareMessage returns an error's message without its place and severity.
func bareMessage(err error) string {
	e, ok := errors.AsType[*format.Error](err)
	if !ok {
		return shown(err)
	}
	text := shown(&format.Error{Position: e.Position, Message: e.Message, Err: e.Err})
	return strings.TrimPrefix(text, fmt.Sprintf("%d:%d: ", e.Line, e.Column))
}

// marshal returns v, which can be marshaled, as JSON on one line.
func marshal(v any) []byte {
	text, _ := chars.MarshalJSON(v) // there is no error
	return text
}
