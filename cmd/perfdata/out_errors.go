package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/traceid"
)

// There are three kinds of lines on standard error: failures, which end the command with 2, and
// which run prints; errors of inputs, after which it goes on; and notes, which change no exit
// status. All of them are one line, and escaped, because names and messages may have text from
// files.

// note prints a line about something that is not an error.
func (t *tool) note(text string, args ...any) {
	if t.quiet {
		return
	}
	t.stdout.Flush() // keep the order of results and notes on a terminal
	t.hideProgress()
	fmt.Fprintf(t.stderr, "perfdata: note: %s\n", chars.Visible(fmt.Sprintf(text, args...)))
}

// report prints an error of an input, or a warning unless -q is given.
func (t *tool) report(err error) {
	if t.quiet && severityOf(err) == format.Warning {
		return // which does not change the exit status
	}
	t.printProblem(err)
}

// printProblem prints an error or a warning, even if -q is given: its position in bold, and the rest
// in the color of its severity.
func (t *tool) printProblem(err error) {
	color, before, text := red, "", shownLine(err)
	if e, ok := errors.AsType[*format.Error](err); ok {
		if e.Severity == format.Warning {
			color = yellow
		}
		// The position is looked for with the name of the file, which may have colons and digits too.
		place := fmt.Sprintf("%d:%d: ", e.Line, e.Column)
		if e.Name != "" {
			place = chars.Visible(e.Name) + ":" + place
		}
		if first, rest, ok := strings.Cut(text, place); ok {
			before, text = first+place, rest
		}
	}

	t.stdout.Flush() // keep the order of results and errors on a terminal
	t.hideProgress()
	fmt.Fprintln(t.stderr, styled(t.colorErr, bold, before)+styled(t.colorErr, color, text))
	t.count(err)
}

// countError counts an error of an input that is in the results, and was not reported.
func (t *tool) countError(err error) {
	if t.count(err) == statusFailed && t.failure == nil {
		t.failure = err
	}
}

// count makes an error of an input part of the exit status, and returns its own.
func (t *tool) count(err error) int {
	// A later error never makes the status better.
	status := statusOf(err)
	t.invalid = t.invalid || status == statusInvalid
	t.status = max(t.status, status)
	return status
}

// shownLine returns an error as it is printed. It begins with the name of the tool, unless it
// begins with a position in a file.
func shownLine(err error) string {
	// Editors and CI find the position in a line that begins with it.
	text := shown(err)
	if _, ok := err.(*format.Error); ok || stdinLine.MatchString(text) {
		return text
	}
	return "perfdata: " + text
}

// stdinLine begins an error about a line of trace IDs.
var stdinLine = regexp.MustCompile(`^<stdin>:[0-9]+: `)

// shown returns the text of an error on one line, with a hint for users of the tool.
func shown(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		file, hint := e.Path, ""
		// The user did not name this file, but can change its folder.
		if strings.HasPrefix(filepath.Base(file), "perfdata-spool-") {
			dir := filepath.Dir(file)
			file = "temporary file in " + dir
			if dir == filepath.Clean(os.TempDir()) { // and not the folder of the output file
				hint = "; set TMPDIR to use another folder"
			}
		}
		// The text of e begins with the name of an operation, such as open, which says little to users.
		text = strings.Replace(text, e.Error(), file+": "+e.Err.Error()+hint, 1)
	}
	// The library does not know the flags of the tool, or that it reads pipes.
	if e, ok := errors.AsType[*format.Error](err); ok {
		if strings.HasPrefix(e.Message, "unknown format: ") {
			text += "; use --from to choose one"
		}
		if _, program, ok := strings.Cut(e.Message, ": want it decompressed, with "); ok && e.Name != inputName("-") {
			text += fmt.Sprintf(", such as %sc %s | perfdata COMMAND -", program, e.Name)
		}
	}
	return chars.Visible(withFlag(text))
}

// statusOf returns the exit status of an error of an input. After 2, which is about the machine or the
// command line, the same file may be read, and after 1, which is about the file, it cannot.
func statusOf(err error) int {
	_, isIO := errors.AsType[*fs.PathError](err)
	switch {
	case severityOf(err) == format.Warning:
		return statusOK
	case isIO, errors.Is(err, format.ErrChanged), errors.Is(err, traceid.ErrLimit): // the last is the fault of a flag
		return statusFailed
	}
	return statusInvalid
}

// changed returns the error about a file that changed between two readings.
func (in *input) changed(how string, args ...any) error {
	return fmt.Errorf("%s: changed during reading: %w", in.name, fmt.Errorf(how, args...))
}

// secondPassError returns an error of a second pass.
func secondPassError(err error) error { return fmt.Errorf("reading again: %w", err) }

// severityOf returns the severity of an error. One that has none ends the reading.
func severityOf(err error) format.Severity {
	if e, ok := errors.AsType[*format.Error](err); ok {
		return e.Severity
	}
	return format.Fatal
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
