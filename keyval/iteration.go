package keyval

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// read reads the next iteration, whatever it is like, line by line. It returns what next does.
func (r *Reader) read(report func(*format.Error) bool) bool {
	if r.ended {
		return false
	}
	it := &r.it
	it.Index++
	it.Attr, it.Perf = r.layout.begin(it.Attr), it.Perf[:0]
	r.index.clear()
	first := true
	size := int64(0)
	for {
		text, ok := r.lines.Next()
		if !ok {
			break
		}
		if first {
			it.Position = format.Position{Offset: r.lines.Offset(), Line: r.lines.Number() + r.taken, Column: 1}
			first = false
		}
		r.layout.beginLine(r.lines.Offset(), len(text))
		l := trim(text)
		blank := false
		switch {
		case r.lines.TooLong():
			r.layout.spoil()
			ok = report(r.limitAt(0, "MaxLineBytes", int64(r.Limits.MaxLineBytes), "bytes in one line"))
		case l.start == l.end:
			blank = true
		default:
			if size += int64(len(text)); size > r.Limits.MaxResultBytes {
				return r.fail(report, r.limitAt(0, "MaxResultBytes", r.Limits.MaxResultBytes, "bytes in one iteration"))
			}
			ok = r.readLine(&l, report)
		}
		if ok && r.strict != nil && !r.lines.Ended() {
			ok = report(r.warningAt(len(text), "the last line has no line end: the file may have been cut off"))
		}
		if !ok {
			return false
		}
		if blank {
			r.layout.end(it.Attr)
			return true
		}
	}
	r.ended = true
	r.layout.spoil()
	if err := r.lines.Err(); err != nil {
		return r.fail(report, r.readError(err))
	}
	return len(it.Attr)+len(it.Perf) > 0
}

// A line is the text of a line without its line end, and where in it the white space around what it says begins and ends.
type line struct {
	text       []byte
	start, end int
}

func trim(text []byte) line {
	l := line{text, 0, len(text)}
	for l.start < l.end && isSpace(text[l.start]) {
		l.start++
	}
	for l.start < l.end && isSpace(text[l.end-1]) {
		l.end--
	}
	return l
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// readLine reads a line that isn't blank into r.it. It returns false if the reading is to stop.
func (r *Reader) readLine(l *line, report func(*format.Error) bool) bool {
	fault := func(at int, msg string) bool {
		r.layout.spoil()
		return report(r.errorAt(at, msg))
	}
	if !utf8.Valid(l.text) {
		return fault(invalidUTF8(l.text), notUTF8)
	}
	p := parseLine(l.text[l.start:l.end])
	valueAt := l.start + p.valueAt
	switch p.kind {
	case noKeyval:
		return fault(l.start, "there is no =, as in key{perf}=value")
	case unknownTag:
		return fault(l.start+len(p.key), fmt.Sprintf("unknown tag %s: expected {perf} or {attr}", message.Quote(string(p.tag))))
	}
	if p.kind == untyped && r.strict != nil && !r.warnUntyped(l, report) {
		return false
	}
	if l.start > 0 || l.end < len(l.text) {
		r.layout.spoil()
	}
	if p.kind == attr {
		return r.addAttr(l, &p, report) && r.checkKey(l, &p, report)
	}
	mean, deviation, hasDeviation, err := parseValue(p.value)
	if err != nil {
		return r.checkKey(l, &p, report) && fault(valueAt, err.Error())
	}
	r.layout.add(l.text[:valueAt], false, "")
	offset := r.lines.Offset() + int64(l.start)
	ok := r.addPerf(Keyval{r.strings.String(p.key), mean, offset}, l.start, report)
	if ok && hasDeviation {
		r.layout.spoil()
		ok = r.addPerf(Keyval{string(p.key) + deviationSuffix, deviation, offset}, l.start, report)
	}
	return ok && r.checkKey(l, &p, report)
}

const notUTF8 = "the line is not UTF-8"

// invalidUTF8 returns the index of the first byte that is no UTF-8.
func invalidUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		c, n := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// deviationSuffix is what a key has to get the deviation of its value.
const deviationSuffix = "_dev"

func (r *Reader) addAttr(l *line, p *parsed, report func(*format.Error) bool) bool {
	it := &r.it
	key, value := r.strings.String(p.key), r.strings.String(p.value)
	i, ok := it.Attr.Find(key)
	if ok {
		it.Attr[i].Value = value
		return r.repeated(l.start, key, report)
	}
	if len(it.Attr) >= r.Limits.MaxParams {
		return r.fail(report, r.limitAt(l.start, "MaxParams", int64(r.Limits.MaxParams), "attributes in one iteration"))
	}
	it.Attr = append(it.Attr, traceid.Param{})
	copy(it.Attr[i+1:], it.Attr[i:])
	it.Attr[i] = traceid.Param{Key: key, Value: value}
	r.layout.add(l.text[:l.start+p.valueAt], true, key)
	return true
}

// addPerf adds kv, or replaces what its key has.
func (r *Reader) addPerf(kv Keyval, at int, report func(*format.Error) bool) bool {
	it := &r.it
	i, ok := r.find(kv.Key)
	if ok {
		it.Perf[i] = kv
		return r.repeated(at, kv.Key, report)
	}
	if len(it.Perf) >= r.Limits.MaxMembers {
		return r.fail(report, r.limitAt(at, "MaxMembers", int64(r.Limits.MaxMembers), "keys in one iteration"))
	}
	it.Perf = append(it.Perf, kv)
	if len(it.Perf) == fewKeys {
		for i := range it.Perf {
			r.index.add(it.Perf[:i+1])
		}
	} else if len(it.Perf) > fewKeys {
		r.index.add(it.Perf)
	}
	return true
}

// find returns the index of the key in r.it.Perf.
func (r *Reader) find(key string) (int, bool) {
	if len(r.it.Perf) >= fewKeys {
		i := r.index.find(r.it.Perf, key)
		return i, i >= 0
	}
	for i := range r.it.Perf {
		if r.it.Perf[i].Key == key {
			return i, true
		}
	}
	return 0, false
}

// repeated is told of a key that the iteration has already.
func (r *Reader) repeated(at int, key string, report func(*format.Error) bool) bool {
	r.layout.spoil()
	if r.strict == nil {
		return true
	}
	e := r.errorAt(at, fmt.Sprintf("the iteration has key %s already, and only the last one counts", message.Quote(key)))
	e.Err = format.ErrDuplicate
	return report(e)
}

// errorAt returns a recoverable error about what stands at the index in the line read last.
func (r *Reader) errorAt(at int, msg string) *format.Error {
	return &format.Error{
		Name:        r.Name,
		Position:    format.Position{Offset: r.lines.Offset() + int64(at), Line: r.lines.Number() + r.taken, Column: at + 1},
		Message:     msg,
		Err:         format.ErrSyntax,
		Recoverable: true,
	}
}

// limitAt is errorAt for a limit.
func (r *Reader) limitAt(at int, limit string, max int64, what string) *format.Error {
	e := r.errorAt(at, message.Limit(limit, max, what))
	e.Err = format.ErrLimit
	return e
}

// warningAt is errorAt for what is only a warning.
func (r *Reader) warningAt(at int, msg string) *format.Error {
	e := r.errorAt(at, msg)
	e.Warning, e.Recoverable, e.Err = true, false, nil
	return e
}

// readError returns the error about an input that can't be read on.
func (r *Reader) readError(err error) *format.Error {
	msg := "reading failed: " + err.Error()
	if errors.Is(err, lines.ErrUTF16) {
		msg = err.Error()
	}
	return &format.Error{Name: r.Name, Position: format.Position{Offset: r.lines.End(), Line: r.lines.Number() + r.taken + 1, Column: 1}, Message: msg, Err: err}
}

// fail reports an error that ends the reading. It returns false.
func (r *Reader) fail(report func(*format.Error) bool, e *format.Error) bool {
	r.ended = true
	r.layout.spoil()
	e.Recoverable = false
	report(e)
	return false
}
