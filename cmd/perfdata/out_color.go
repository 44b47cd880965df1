package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"perfdata/format"
	"perfdata/internal/chars"
)

// A style is the escape sequence that begins styled text.
type style string

// The escapes of few styles suffice, and all terminals know them. The screen passes these, and no
// others.
const (
	bold   style = "\x1b[1m"
	red    style = "\x1b[31m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"

	endStyle = "\x1b[0m"
)

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// setColor decides which outputs have colors. It is called again if the output is a file, which
// gets no colors unless they are wanted always.
func (t *tool) setColor() error {
	t.colorOut, t.colorErr = false, false
	switch t.color {
	case "always":
		t.colorOut, t.colorErr = true, true
	case "never":
	case "auto":
		// See https://no-color.org: an empty variable has no effect.
		wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		t.colorOut, t.colorErr = wanted && t.isTerminal(t.out), wanted && t.isTerminal(t.errs)
	default:
		return unknownChoice("--color", t.color, []string{"auto", "always", "never"})
	}
	return nil
}

// styled returns text in a style, if colors are wanted.
func styled(wanted bool, s style, text string) string {
	if !wanted || text == "" {
		return text
	}
	return string(s) + text + endStyle
}

// styledError returns the text of an error: its position in bold, and the rest in the color of its
// severity.
func (t *tool) styledError(err error) string {
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
	return styled(t.colorErr, bold, before) + styled(t.colorErr, color, text)
}
