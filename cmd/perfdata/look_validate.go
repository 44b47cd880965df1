package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
)

// validateCommand returns the command that checks files. Runners run it in CI, so each form names
// the place in the file, and the exit status is 1 only if a file is invalid.
func (t *tool) validateCommand() *cobra.Command {
	v := &validation{tool: t}
	form := "text"
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check files and list their errors",
		Long: `Check each FILE. Errors and warnings are listed with their positions on standard
error. A line for each file says whether it is valid; with several files or -r,
the last line counts them. For a single file in the Skia Perf format, version 1,
the output is as in its specification: the contents of a valid file, or "Error:
Validation Failed: schema violation" after the errors of an invalid one.

With -r, a file that is empty or of an unknown format is an error if its name
has the extension of a known one, such as .json, .txt or .perf.gz. Other such
files are listed as skipped.

Warnings make a file invalid only with --werror. -q leaves only the errors. Use -
for standard input.

  --as text    as above
  --as json    an object with the files, their errors and warnings, and counts
  --as github  errors and warnings as annotations in a workflow of GitHub Actions,
               with paths from the root of the repository`,
		Example: `  perfdata validate run.json
  perfdata validate --werror --as github results/*.json`,

		RunE: func(_ *cobra.Command, files []string) error {
			// A form is made now, and not with the command, because it may begin its output at
			// once: now the output goes to the file of -o, if there is one.
			v.form = map[string]func() verdictForm{
				"text": func() verdictForm { return &textVerdicts{v} }, "json": v.newJSON, "github": v.newGithub,
			}[form]()
			return v.run(files)
		},
	}

	addForm(cmd, &form, []string{"text", "json", "github"})
	cmd.Flags().BoolVar(&v.werror, "werror", false, "treat warnings as errors")
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// A validation checks files.
type validation struct {
	*tool
	form    verdictForm
	werror  bool
	several bool
	failure error // the first error of a second reading

	total totals
}

// totals are the counts over all files.
type totals struct {
	checked, unread, invalid, skipped int // files
	errors, warnings                  int
}

// A verdict is the result of validating a file.
type verdict struct {
	file, format     string
	errors, warnings int
	measurements     int  // of a valid file
	valid            bool // known after all problems
	described        bool // the contents were printed
	unread           bool // it could not be read
}

// A verdictForm prints verdicts. Its methods are called in the order of the output: a form keeps no
// problems, because a file may have any number of them. The end is printed even if no file could be
// read.
type verdictForm interface {
	problem(f *verdict, severity string, err error)
	file(f *verdict)             // after its problems
	skipped(file, reason string) // a file that is not checked, after all others
	end()
}

// run checks files, and returns an error that is not about one of them. A folder that -r could not
// read has a verdict like a file, so that the counts are complete.
func (v *validation) run(files []string) error {
	v.several = v.isSeveral(files)
	// Without -q, each file has a line when it has been checked, and a bar would be in its way.
	v.prints = v.quiet

	// The walk met these before any file was read.
	for _, folder := range v.walk.failures {
		f := &verdict{file: folder.name}
		v.problem(f, folder.err)
		v.finish(f)
	}

	for i, name := range files {
		f := &verdict{file: inputName(name)}
		// An error of opening the file belongs to its verdict. eachInput would only report it.
		if err := v.withInput(i, name, func(in *input) error { return v.check(in, f) }); err != nil {
			v.problem(f, err)
		}
		v.finish(f)
	}

	// Skipped files come last, because they are the least important.
	for _, f := range v.walk.skipped {
		v.total.skipped++
		v.form.skipped(f.name, bareMessage(f.err))
	}
	v.form.end()
	v.noteHidden()
	return v.failure
}

// check validates an input. It reads a valid one again, for its contents.
func (v *validation) check(in *input, f *verdict) error {
	f.format = in.info.Name
	r, err := in.openFile()
	if err != nil {
		return err
	}
	// Validation goes on after an error, so that one run lists all errors of a file.
	for e := range r.Validate() {
		v.problem(f, e)
	}
	// Only the readable part of an invalid file could be counted, and that number would say nothing.
	if !v.isValid(f) {
		return nil
	}

	// The specification of the Skia Perf Format says what its validator prints.
	if _, text := v.form.(*textVerdicts); text && !v.several && f.format == "skiav1" {
		f.described = true
		// The first reading of the file did not have the error of a second one.
		if !v.quiet {
			if err := v.describe(in); err != nil {
				v.failure = firstError(v.failure, secondPassError(err))
			}
		}
		return nil
	}
	// Validation does not make records, so it does not count measurements either.
	for _, err := range v.records(in) {
		switch {
		case err == nil:
			f.measurements++
		case severityOf(err) == format.Recoverable || errors.Is(err, format.ErrUnknown): // also that of a wrong --from
			v.problem(f, err)
		default:
			v.failure = firstError(v.failure, secondPassError(err))
			f.unread = true
		}
	}
	return nil
}

// isValid reports whether a file is valid, by the problems so far. It is asked before the second
// reading and at the end, because that reading may fail.
func (v *validation) isValid(f *verdict) bool {
	return f.errors == 0 && !f.unread && (f.warnings == 0 || !v.werror)
}

// problem counts and prints an error or a warning.
func (v *validation) problem(f *verdict, err error) {
	severity := "error"
	switch {
	case severityOf(err) == format.Warning:
		f.warnings++
		severity = "warning"
		// With --werror, a warning is the reason for the exit status.
		if v.quiet && !v.werror {
			return
		}
	// A missing file or a failing disk is not an error in a file. Files that could not be read have
	// a count of their own.
	case statusOf(err) == statusFailed:
		f.unread = true
	default:
		f.errors++
	}
	v.form.problem(f, severity, err)
}

// finish counts a file whose problems are known, and prints its verdict.
func (v *validation) finish(f *verdict) {
	f.valid = v.isValid(f)
	switch {
	// Nobody knows whether it is valid, and its error decides the exit status.
	case f.unread:
		v.total.unread++
	case f.valid:
		v.total.checked++
	default:
		v.total.checked++
		v.total.invalid++
		// The errors have decided the status already, but with --werror, the file may have none.
		v.status = max(v.status, statusInvalid)
	}
	v.total.errors += f.errors
	v.total.warnings += f.warnings
	v.form.file(f)
}

// describe prints the contents of a valid file in the Skia Perf format, as its specification does.
// It reads the file again, so an error means that the file has changed since it was checked.
func (v *validation) describe(in *input) error {
	r, header, err := in.openHeader()
	if err != nil {
		return err
	}

	title := func(text string) string { return styled(v.colorOut, bold, text) }
	fmt.Fprintf(v.stdout, "%s\n  %s\n", title("Hash:"), chars.Visible(header.Commit))
	fmt.Fprintln(v.stdout, title("Measurements:"))
	v.printText("  ", func(yield func(*format.Record, error) bool) {
		for rec, e := range r.Records() {
			// printText would report this error as an error in the file. It is returned, so that it
			// gets the words of an error of a second reading.
			if e != nil && severityOf(e) != format.Recoverable {
				err = e
			} else if !yield(rec, e) {
				return
			}
		}
	})
	fmt.Fprintln(v.stdout, title("Links:"))
	for key, value := range header.Links.All() {
		fmt.Fprintf(v.stdout, "  %s: %s\n", chars.Visible(key), chars.Visible(value))
	}
	return err
}

// textVerdicts prints a line for each file, and a summary. For a single file in the Skia Perf
// format, its specification defines the output.
type textVerdicts struct{ *validation }

// The line of a file comes after its problems, which are on standard error. The validation has
// decided which warnings are printed: with --werror, -q leaves them.
func (t *textVerdicts) problem(_ *verdict, _ string, err error) { t.printProblem(err) }

// file prints the verdict of a file. For a single file in the Skia Perf format, that of the
// specification is on standard error. A file that could not be read violates no schema, so that
// line is missing.
func (t *textVerdicts) file(f *verdict) {
	single := !t.several && f.format == "skiav1" && !f.unread
	switch {
	case single && f.errors > 0:
		fmt.Fprintln(t.stderr, styled(t.colorErr, red, "Error: Validation Failed: schema violation"))
	case single && !f.valid:
		fmt.Fprintln(t.stderr, styled(t.colorErr, red, "Error: Validation Failed: warnings are errors"))
	case !t.quiet && !f.unread && !f.described:
		fmt.Fprintf(t.stdout, "%s %s\n", styled(t.colorOut, bold, chars.Visible(f.file)+":"), f)
		t.stdout.Flush() // the next file may take long
	}
}

// String returns a text such as "ok, skiav1, 7 measurements".
func (f *verdict) String() string {
	parts := []string{"ok"}
	if !f.valid {
		parts[0] = "invalid"
	}
	if f.format != "" {
		parts = append(parts, f.format)
	}
	if f.valid {
		parts = append(parts, message.Plural(f.measurements, "measurement"))
	}
	return strings.Join(append(parts, problems(f.errors, f.warnings)...), ", ")
}

func (t *textVerdicts) skipped(file, reason string) {
	if !t.quiet {
		fmt.Fprintf(t.stdout, "%s skipped, %s\n", styled(t.colorOut, bold, chars.Visible(file)+":"), reason)
	}
}

// end prints the counts, unless a single line has said it all.
func (t *textVerdicts) end() {
	if !t.quiet && t.several {
		fmt.Fprintln(t.stdout, &t.total)
	}
}

// String returns a text such as "3 files checked, 1 invalid (21 errors, 1 warning)". Files that
// could not be read were not checked, and have a count of their own.
func (t *totals) String() string {
	text := fmt.Sprintf("%s checked, %d invalid", message.Plural(t.checked, "file"), t.invalid)
	if counts := problems(t.errors, t.warnings); len(counts) > 0 {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	if t.unread > 0 {
		text += fmt.Sprintf(", %d could not be read", t.unread)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return text
}

// problems returns the counts that are not 0, such as "1 error" and "3 warnings".
func problems(errors, warnings int) (counts []string) {
	if errors > 0 {
		counts = append(counts, message.Plural(errors, "error"))
	}
	if warnings > 0 {
		counts = append(counts, message.Plural(warnings, "warning"))
	}
	return counts
}

// jsonVerdicts prints one JSON object, with a line for each file. It prints problems as they are
// found, because a file may have many. So the counts of a file follow its problems, and the counts
// of all files are at the end.
type jsonVerdicts struct {
	*validation
	isOpen                bool // the object of the current file was begun
	files, problems, left separator
}

// newJSON begins the object. The list of the skipped files begins where that of the others ends.
func (v *validation) newJSON() verdictForm {
	fmt.Fprint(v.data, `{"files":[`)
	return &jsonVerdicts{validation: v, left: "\n],\"skipped\":["}
}

// A separator is the text before the next element of a list: what begins the list, or nothing, and
// then a comma.
type separator string

func (s *separator) next() (text string) {
	text, *s = string(*s), ","
	return text
}

// open prints the beginning of a file's object, unless it was printed. The first problem of a file
// opens it, or else the verdict.
func (j *jsonVerdicts) open(f *verdict) {
	if !j.isOpen {
		j.isOpen, j.problems = true, ""
		fmt.Fprintf(j.data, "%s\n{\"file\":%s,\"problems\":[", j.files.next(), chars.JSON(f.file))
	}
}

// A jsonProblem is an error or a warning in JSON. An error that is not about a place in a file has
// only severity and message. File is a file in a folder that is checked as a whole. Offset is a
// pointer, because 0 is an offset, while lines and columns begin at 1.
type jsonProblem struct {
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Offset   *int64 `json:"offset,omitempty"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
}

func (j *jsonVerdicts) problem(f *verdict, severity string, err error) {
	j.open(f)
	p := jsonProblem{Severity: severity, Message: bareMessage(err)}
	if e, ok := errors.AsType[*format.Error](err); ok {
		p.Line, p.Column, p.Offset, p.Path = e.Line, e.Column, &e.Offset, e.Path
		if e.Name != f.file {
			p.File = e.Name
		}
	}
	// The error is in the result and not on standard error, but it still decides the exit status.
	fmt.Fprintf(j.data, "%s%s", j.problems.next(), chars.JSON(p))
	j.countError(err)
}

func (j *jsonVerdicts) file(f *verdict) {
	j.open(f)
	j.isOpen = false
	fmt.Fprint(j.data, "]")
	// The format of a file that could not be opened is not known.
	if f.format != "" {
		fmt.Fprintf(j.data, `,"format":%s`, chars.JSON(f.format))
	}
	if f.valid {
		fmt.Fprintf(j.data, `,"measurements":%d`, f.measurements)
	}
	fmt.Fprintf(j.data, `,"errors":%d,"warnings":%d,"valid":%t}`, f.errors, f.warnings, f.valid)
}

func (j *jsonVerdicts) skipped(file, reason string) {
	fmt.Fprintf(j.data, "%s\n{\"file\":%s,\"message\":%s}", j.left.next(), chars.JSON(file), chars.JSON(reason))
}

func (j *jsonVerdicts) end() {
	// With -r, the object always has the list of skipped files, so that programs need not handle
	// its absence. Without -r, no file can be skipped.
	if j.left != "," && j.recursive { // an empty list
		fmt.Fprint(j.data, j.left)
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

func (v *validation) newGithub() verdictForm {
	g := &githubVerdicts{validation: v, root: os.Getenv("GITHUB_WORKSPACE")}
	// Without the variable, it is the closest folder above the working directory that git knows.
	dir, err := os.Getwd()
	for g.root == "" && err == nil {
		// It is a folder in most clones, and a file in a worktree or a submodule.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			g.root = dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return g
}

// path returns the path of a file as GitHub expects it: from the root of the repository, if the
// file is in it. The name of any other file stays as the user typed it.
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

// file prints nothing: the annotations of an invalid file say that it is invalid.
func (*githubVerdicts) file(*verdict) {}

func (g *githubVerdicts) problem(f *verdict, severity string, err error) {
	name, place, text := f.file, "", bareMessage(err)
	if e, ok := errors.AsType[*format.Error](err); ok {
		name, place = cmp.Or(e.Name, f.file), fmt.Sprintf(",line=%d,col=%d", e.Line, e.Column)
		// An annotation has a line and a column, but no place for a path in a document.
		if e.Path != "" {
			text = e.Path + ": " + text
		}
	}
	judging.Annotate(g.stdout, severity, "file="+judging.EscapeProperty(g.path(name))+place, text)
	g.countError(err)
}

func (g *githubVerdicts) skipped(file, reason string) {
	if !g.quiet {
		judging.Annotate(g.stdout, "notice", "file="+judging.EscapeProperty(g.path(file)), "skipped: "+reason)
	}
}

func (g *githubVerdicts) end() {
	// The counts are printed for a single file, too: a valid one would leave the log empty.
	if !g.quiet {
		fmt.Fprintln(g.stdout, &g.total)
	}
}
