package benchfmt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
)

// A unitLine is a Unit line that is partly read. One line can have very many faults, so it is read
// up to one at a time.
type unitLine struct {
	text []byte // nil if no Unit line is being read
	next int    // the first unread byte of text
	unit string
}

// startMetadata begins reading a Unit line, whose first field ends at byte i.
func (g *grammar) startMetadata(line []byte, i int) *format.Error {
	if !utf8.Valid(line) {
		return g.failUTF8(line)
	}
	i = skipSpace(line, i)
	end := fieldEnd(line, i)
	if end == i {
		return g.fail(i, `missing unit after "Unit"`)
	}
	g.forgetUnits() // they lack the metadata of this line
	g.units.line = unitLine{line, skipSpace(line, end), string(line[i:end])}
	return nil
}

// nextMetadata reads the rest of the Unit line, up to its next error.
func (g *grammar) nextMetadata() *format.Error {
	for l := &g.units.line; l.next < len(l.text); {
		start := l.next
		end := fieldEnd(l.text, start)
		l.next = skipSpace(l.text, end)

		key, value, ok := bytes.Cut(l.text[start:end], []byte("="))
		if !ok || len(key) == 0 {
			return g.fail(start, quote(l.text[start:end])+": want key=value")
		}
		if have, ok := g.units.addMetadata(&g.input, l.unit, string(key), string(value)); !ok {
			e := g.fail(start, fmt.Sprintf("metadata %s of unit %s is already set to %s",
				message.Quote(string(key)), message.Quote(l.unit), message.Quote(have)))
			e.Err = format.ErrDuplicate
			return e
		}
		if g.err != nil {
			return nil
		}
	}
	g.units.line.text = nil
	return nil
}
