package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
)

// validateCommand returns the command that checks files. Runners run it in CI, so each form names
// the place in the file, and the exit status is 1 only if a file is invalid.
func (t *tool) validateCommand() *cobra.Command {
	v := &validation{tool: t}
	form := validateForms[0]
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
			v.form = map[string]verdictForm{
				"text": &textVerdicts{v}, "json": &jsonVerdicts{validation: v},
				"github": &githubVerdicts{validation: v},
			}[form]
			return v.run(files)
		},
	}

	addForm(cmd, &form, validateForms)
	cmd.Flags().BoolVar(&v.werror, "werror", false, "treat warnings as errors")
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// The forms, the default one first.
var validateForms = []string{"text", "json", "github"}

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

// A verdictForm prints verdicts.
type verdictForm interface {
	begin()
	problem(f *verdict, err error) // an error or a warning
	file(f *verdict)               // after its problems
	skipped(file, reason string)   // a file that is not checked, after all others
	end()
}

// run checks files, and returns an error that is not about one of them. A folder that -r could not
// read has a verdict like a file, so that the counts are complete.
func (v *validation) run(files []string) error {
	v.several = v.isSeveral(files)
	// Without -q, each file has a line when it has been checked, and a bar would be in its way.
	v.prints = v.quiet

	v.form.begin()
	for _, folder := range v.walk.failures {
		f := &verdict{file: folder.name}
		v.problem(f, folder.err)
		v.finish(f)
	}

	for i, name := range files {
		f := &verdict{file: inputName(name)}
		if err := v.withInput(i, name, func(in *input) error {
			return v.check(in, f)
		}); err != nil {
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
	for e := range r.Validate() {
		v.problem(f, e)
	}
	if !v.isValid(f) {
		return nil
	}

	// The specification of the Skia Perf Format says what its validator prints.
	if _, text := v.form.(*textVerdicts); text && !v.several && f.format == "skiav1" {
		f.described = true
		if !v.quiet {
			v.failAgain(v.describe(in))
		}
		return nil
	}
	// Validation does not make records, so it does not count measurements either.
	for _, err := range v.records(in) {
		switch {
		case err == nil:
			f.measurements++
		case isRecoverable(err) || errors.Is(err, format.ErrUnknown): // also that of a wrong --from
			v.problem(f, err)
		default:
			v.failAgain(err)
			f.unread = true
		}
	}
	return nil
}

// isValid reports whether a file is valid, by the problems so far.
func (v *validation) isValid(f *verdict) bool {
	return f.errors == 0 && !f.unread && (f.warnings == 0 || !v.werror)
}

// problem counts and prints an error or a warning.
func (v *validation) problem(f *verdict, err error) {
	switch isWarning := isWarning(err); {
	case isWarning:
		f.warnings++
		// With --werror, a warning is the reason for the exit status.
		if v.quiet && !v.werror {
			return
		}
	case statusOf(err) == statusFailed:
		f.unread = true
	default:
		f.errors++
	}
	v.form.problem(f, err)
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
		v.status = max(v.status, statusInvalid)
	}
	v.total.errors += f.errors
	v.total.warnings += f.warnings
	v.form.file(f)
}

// describe prints the contents of a valid file in the Skia Perf format, as its specification does.
// It reads the file again, so an error means that the file has changed since it was checked.
func (v *validation) describe(in *input) error {
	r, err := in.open()
	if err != nil {
		return err
	}
	header, err := r.FileHeader()
	if err != nil {
		return err
	}

	title := func(text string) string { return styled(v.colorOut, bold, text) }
	fmt.Fprintf(v.stdout, "%s\n  %s\n", title("Hash:"), chars.Visible(header.Commit))
	fmt.Fprintln(v.stdout, title("Measurements:"))
	v.printText("  ", func(yield func(*format.Record, error) bool) {
		for rec, e := range r.Records() {
			if e != nil && !isRecoverable(e) {
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

// failAgain records an error, if it is one, that the first reading of the file did not have.
func (v *validation) failAgain(err error) {
	if err != nil {
		v.failure = firstError(v.failure, secondPassError(err))
	}
}

// textVerdicts prints a line for each file, and a summary. For a single file in the Skia Perf
// format, its specification defines the output.
type textVerdicts struct{ *validation }

// The line of a file comes after its problems, which are on standard error.
func (*textVerdicts) begin() {}

func (t *textVerdicts) problem(_ *verdict, err error) { t.report(err) }

// file prints the verdict of a file. For a single file in the Skia Perf format, that of the
// specification is on standard error.
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

// String returns a text such as "3 files checked, 1 invalid (21 errors, 1 warning)".
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
