package benchfmt

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/internal/number"
)

// This file reads any line. Most lines have the name of the previous line, perhaps with a few other
// values, and the same units in the same columns. plain.go is the fast path, which compares a line with
// the previous one, and parses only the differences. This pays for the params that records need and
// x/perf's results do not have. If each name is on ten consecutive lines, reading takes 36% of the
// instructions of x/perf's Reader, and if all names differ, half.
//
// A line has room after it, so that it can be read many bytes at a time. Bytes there have no
// effect: they may be old text.

// room is the number of bytes after a line.
const room = lines.Room

// A grammar reads lines one by one, as results, units and the configuration.
type grammar struct {
	input
	names   nameDecoder
	parts   nameParts // of the name being read
	current *stream   // of the last result
	units   units
	strings buffer.Strings
	result  result // memory of the result read last
	failed  place  // the first line FAIL after a failed test; its line is 0 before
	unnamed place  // the first line FAIL, as long as no line has said what failed
	isNamed bool   // a line has said what failed
}

// A stream is text with a configuration of its own.
type stream struct {
	pkg     string
	config  config
	last    string // name of the last result, once another stream has one; empty if it is long
	partial []byte // the beginning of an unfinished line of "go test -json"
	at      place  // where partial begins
	failure failure
}

// A result is a result line as a grammar reads it. The next line overwrites it.
type result struct {
	at         place
	stream     *stream
	name       *nameDecoder
	iterations int
	iterText   string
	values     []column // beyond its length are values of an earlier line that had more
}

// A column is a value of a result. Before it is read, it has the unit that it had in an earlier
// line.
type column struct {
	number float64
	unit   *unit
	offset int64 // in the input: of the number, or of the event that has the line
}

// readLine reads a line of s. It returns no result and no error if the line is not a result.
func (g *grammar) readLine(s *stream, line []byte) (*result, *format.Error) {
	if max := g.limits.MaxLineBytes; !g.at.event && g.lines.TooLong() || len(line) > max {
		if key, _, ok := configLine(line); ok && len(key) < len(line) {
			g.setConfig(s, key, nil) // the earlier value has ended
		}
		return nil, g.failLimit("MaxLineBytes", max, "bytes of one line")
	}
	if len(line) >= len(prefix) && string(line[:len(prefix)]) == prefix {
		return g.readResult(s, line)
	}
	return nil, g.readOther(s, line)
}

// readResult reads a result line. It returns no result and no error if the line has only a name:
// "go test -v" prints the name of a benchmark when the benchmark begins.
func (g *grammar) readResult(s *stream, line []byte) (*result, *format.Error) {
	if s != g.current {
		if last := g.current; last != nil {
			if last.last = ""; len(g.names.text) <= 2*message.MaxShown {
				last.last = g.names.text
			}
		}
		g.current = s
		g.names.outdate(newKeys)
	}

	line = slices.Grow(line, len("\n")+room)
	if g.at.event && g.readPlain(s, append(line, '\n')[:len(line)+1+room], 0) > 0 {
		s.failure.running = s.failure.running[:0]
		return g.endResult(s), nil
	}
	i, err := g.readName(s, line)
	if err != nil {
		return nil, err
	}
	if i == len(line) {
		if s.failure.running = s.failure.running[:0]; i <= message.MaxShown {
			s.failure.running = append(s.failure.running, line...)
		}
		return nil, nil
	}

	if g.at.event {
		s.failure.running = s.failure.running[:0]
	}
	start := skipSpace(line, i)
	if i, err = g.readIterations(line, start); err != nil {
		if failed := g.failedRun(s, line, start); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	if err := g.readValues(line, i); err != nil {
		return nil, err
	}
	return g.endResult(s), nil
}

// endResult returns the result of the current line, which is read.
func (g *grammar) endResult(s *stream) *result {
	res := &g.result
	res.at, res.stream, res.name = g.at, s, &g.names
	if g.at.event {
		for i := range res.values {
			res.values[i].offset = g.at.offset
		}
	}
	return res
}

// readName reads the name at the beginning of line into g.names and returns its end.
func (g *grammar) readName(s *stream, line []byte) (end int, err *format.Error) {
	parts := &g.parts
	parts.find(line)
	end = parts.end
	switch {
	case end == len(line):
	case !parts.ascii && !utf8.Valid(line[:end]):
		return 0, g.failUTF8(line[:end])
	case parts.count() > g.limits.MaxParams:
		return 0, g.failLimit("MaxParams", g.limits.MaxParams, "parts of one name")
	default:
		g.names.read(parts, line, g.strings.New(line[len(prefix):end]), s.config.sorted)
	}
	return end, nil
}

// readIterations reads the number of iterations at byte start and returns its end.
func (g *grammar) readIterations(line []byte, start int) (end int, err *format.Error) {
	i := fieldEnd(line, start)
	if i == start {
		return 0, g.fail(i, "missing iteration count after "+quote(line[:i]))
	}
	n, fault := strconv.Atoi(string(line[start:i]))
	if fault != nil {
		return 0, g.failNumber(line, start, i, "iteration count", "whole number", fault)
	}

	g.result.iterations, g.result.iterText = n, strconv.Itoa(n)
	return i, nil
}

// readValues reads the values and units from byte i on.
func (g *grammar) readValues(line []byte, i int) *format.Error {
	res := &g.result
	res.values = res.values[:0]
	for i = skipSpace(line, i); i < len(line); i = skipSpace(line, i) {
		start := i
		i = fieldEnd(line, start)
		f, fault := number.ParseFloat(string(line[start:i]), 64)
		if fault != nil {
			return g.failNumber(line, start, i, "value", "number", fault)
		}

		at := skipSpace(line, i)
		i = fieldEnd(line, at)
		if i == at {
			return g.fail(i, "missing unit after value "+quote(line[start:i]))
		}
		u, err := g.units.find(&g.input, line[:i], at)
		if err != nil {
			return err
		}
		res.values = append(res.values, column{f, u, g.at.offset + int64(start)})
	}
	if len(res.values) == 0 {
		return g.fail(i, "missing value and unit after "+quote(line[:i]))
	}
	return nil
}

// forgetUnits forgets the units of the columns, and all others that were learned.
func (g *grammar) forgetUnits() {
	g.units.known = nil
	clear(g.result.values[:cap(g.result.values)])
	g.result.values = g.result.values[:0]
}

// readOther reads a line that is not a result. Most such lines have no meaning.
func (g *grammar) readOther(s *stream, line []byte) *format.Error {
	if len(line) == 0 {
		return nil
	}

	switch line[0] {
	case 'U':
		i := fieldEnd(line, 0)
		if string(line[:i]) != "Unit" {
			break
		}
		if !utf8.Valid(line) {
			return g.failUTF8(line)
		}

		i = skipSpace(line, i)
		end := fieldEnd(line, i)
		if end == i {
			return g.fail(i, `missing unit after "Unit"`)
		}
		g.forgetUnits() // they lack the metadata of this line
		g.units.line, g.units.next, g.units.ofLine = line, skipSpace(line, end), string(line[i:end])
		return nil
	case '-', 'F':
		return g.readOutcome(s, line)
	case 'o':
		g.readOutcome(s, line) // or a configuration line
	}

	key, value, ok := configLine(line)
	if !ok {
		return nil
	}
	if string(key) == "pkg" {
		s.failure = failure{} // the output of another package begins
	}
	if !utf8.Valid(line) {
		g.setConfig(s, key, nil)
		return g.failUTF8(line)
	}
	g.setConfig(s, key, value)
	return nil
}

// setConfig sets a key of the configuration of s; an empty value deletes it.
func (g *grammar) setConfig(s *stream, key, value []byte) {
	before := s.config.bytes
	change := s.config.set(key, value)
	if change == noChange {
		return
	}
	if s == g.current {
		g.names.outdate(change)
	}
	g.keep(s.config.bytes - before)
	if max := g.limits.MaxParams; len(s.config.sorted) > max {
		g.err = g.fatal(message.Limit("MaxParams", int64(max), "keys of the configuration"), format.ErrLimit)
	}
}

// prefix begins every result line.
const prefix = "Benchmark"

// fieldEnd returns the end of the field that begins at byte i.
func fieldEnd(line []byte, i int) int {
	if n := bytes.IndexFunc(line[i:], unicode.IsSpace); n >= 0 {
		return i + n
	}
	return len(line)
}

// isBlank reports whether c is a space or a tab. Nearly all white space consists of these.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipSpace returns the end of the white space that begins at byte i.
func skipSpace(line []byte, i int) int {
	return len(line) - len(bytes.TrimLeftFunc(line[i:], unicode.IsSpace))
}

// configLine returns the key and the value of a configuration line, and false for any other line.
func configLine(line []byte) (key, value []byte, ok bool) {
	if first, _ := utf8.DecodeRune(line); !unicode.IsLower(first) {
		return nil, nil, false
	}
	key, text, ok := bytes.Cut(line, []byte(":"))
	if !ok || bytes.ContainsFunc(key, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsUpper(c) }) {
		return nil, nil, false
	}
	value = bytes.TrimLeft(text, " \t")
	return key, value, len(value) < len(text) || len(text) == 0
}

// nextMetadata reads the next metadata of the Unit line, or finds its end. It may fail g, too.
func (g *grammar) nextMetadata() *format.Error {
	u := &g.units
	if u.next == len(u.line) {
		u.line = nil
		return nil
	}
	start := u.next
	end := fieldEnd(u.line, start)
	u.next = skipSpace(u.line, end)

	key, value, ok := bytes.Cut(u.line[start:end], []byte("="))
	if !ok || len(key) == 0 {
		return g.fail(start, quote(u.line[start:end])+": want key=value")
	}
	if have, ok := u.addMetadata(&g.input, string(key), string(value)); !ok {
		e := g.fail(start, fmt.Sprintf("metadata %s of unit %s is already set to %s",
			message.Quote(string(key)), message.Quote(u.ofLine), message.Quote(have)))
		e.Err = format.ErrDuplicate
		return e
	}
	return nil
}
