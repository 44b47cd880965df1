package keyval

import (
	"fmt"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// next reads the next iteration into r.it and passes errors to report. It returns false at the end
// of the input, after a fatal error, and when report returns false.
func (r *Reader) next(report func(*format.Error) bool) bool {
	if r.ended {
		return false
	}
	it, in := &r.it, &r.in
	it.Index++
	it.Position = format.Position{Offset: in.End(), Line: in.Number() + 1, Column: 1}
	r.size = 0
	r.pattern.begin(it)
	r.index.clear()

	blank := r.match()
	if blank && r.pattern.next >= r.pattern.attrEnd {
		it.Perf = it.Perf[:r.pattern.next-r.pattern.attrs]
		return true
	}
	r.pattern.leave(it)
	for !blank {
		text, ok := in.Next()
		if !ok {
			return r.end(report)
		}
		if in.Number() == 1 {
			it.Offset = in.Offset() // after a byte order mark
		}

		l := trim(text)
		switch {
		case in.TooLong():
			r.pattern.closed = true
			ok = report(in.TooLongError())
		case l.start == l.end:
			blank = true
		default:
			if r.size += int64(len(text)); r.size > in.Limits.MaxResultBytes {
				max := in.Limits.MaxResultBytes
				return r.fail(report, in.LimitError(0, "MaxResultBytes", max, "bytes in one iteration"))
			}
			ok = r.readLine(&l, report)
		}

		if ok && r.validates && !in.Ended() && !in.TooLong() {
			ok = report(in.WarningAt(len(text), noLineEnd))
		}
		if !ok {
			return false
		}
	}
	r.pattern.end(it)
	return true
}

const noLineEnd = "the last line has no line end: the file may be truncated"

// end ends the last iteration, where the input ends or fails. Its result is the same as of next.
func (r *Reader) end(report func(*format.Error) bool) bool {
	r.ended = true
	if e := r.in.ReadError(r.Name); e != nil {
		return r.fail(report, e)
	}
	if r.validates && r.in.TooLong() && !r.in.Ended() && !report(r.in.WarningAt(0, noLineEnd)) {
		return false
	}
	return len(r.it.Attr)+len(r.it.Perf) > 0
}

// fail reports a fatal error. It returns false.
func (r *Reader) fail(report func(*format.Error) bool, e *format.Error) bool {
	r.ended = true
	report(e)
	return false
}

// A line is the text of a line without its line end. White space ends at start and begins at end.
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

// readLine reads a line that is not blank into r.it. It returns false if report does, and after a
// fatal error.
func (r *Reader) readLine(l *line, report func(*format.Error) bool) bool {
	fault := func(i int, msg string) bool {
		r.pattern.closed = true
		return report(r.in.ErrorAt(i, msg))
	}
	if !utf8.Valid(l.text) {
		return fault(chars.InvalidUTF8(l.text), notUTF8)
	}

	p := parseLine(l.text[l.start:l.end])
	switch p.kind {
	case noKeyval:
		return fault(l.start, `missing "=": want key{perf}=value`)
	case unknownTag:
		return fault(l.start+len(p.key),
			fmt.Sprintf("unknown tag %s: want {perf} or {attr}", message.Quote(string(p.tag))))
	}

	if p.kind == untyped && r.validates && !r.warnedUntyped {
		r.warnedUntyped = true
		const text = "line without {perf} or {attr} is read as {perf}; further ones are not reported"
		if !report(r.in.WarningAt(l.start, text)) {
			return false
		}
	}
	if l.start > 0 || r.validates && badKeyChar(p.key) >= 0 {
		r.pattern.closed = true // a key that is reported is reported again in the next iteration
	}
	valueAt := l.start + p.valueAt
	if p.kind == attr {
		return r.addAttr(l, &p, report) && r.checkKey(l, &p, report)
	}

	mean, deviation, hasDeviation, err := parseValue(p.value)
	if err != nil {
		return r.checkKey(l, &p, report) && fault(valueAt, err.Error())
	}
	r.pattern.closed = r.pattern.closed || hasDeviation

	offset := r.in.Offset() + int64(l.start)
	known := patternLine{text: r.strings.New(l.text[:valueAt]), index: len(r.it.Perf)}
	ok := r.addPerf(Keyval{r.strings.String(p.key), mean, offset}, l.start, report)
	r.pattern.add(known)
	if ok && hasDeviation {
		ok = r.addPerf(Keyval{string(p.key) + deviationSuffix, deviation, offset}, l.start, report)
	}
	return ok && r.checkKey(l, &p, report)
}

const notUTF8 = "the line is not valid UTF-8"

// deviationSuffix is appended to the key of a value to get the key of its deviation.
const deviationSuffix = "_dev"

func (r *Reader) addAttr(l *line, p *keyvalLine, report func(*format.Error) bool) bool {
	it, before := &r.it, l.text[:l.start+p.valueAt]
	key, value := r.strings.String(p.key), r.strings.String(p.value)
	i, ok := it.Attr.Find(key)
	if ok {
		it.Attr[i].Value = value
		return r.repeated(l.start, key, report)
	}
	if max := r.in.Limits.MaxParams; len(it.Attr) >= max {
		return r.fail(report, r.in.LimitError(l.start, "MaxParams", int64(max), "attributes in one iteration"))
	}
	it.Attr = slices.Insert(it.Attr, i, traceid.Param{Key: key, Value: value})
	r.pattern.add(patternLine{text: r.strings.New(before), key: key, isAttr: true})
	return true
}

// addPerf adds kv, or replaces the value of its key.
func (r *Reader) addPerf(kv Keyval, at int, report func(*format.Error) bool) bool {
	it := &r.it
	if i := r.index.find(it.Perf, kv.Key); i >= 0 {
		it.Perf[i] = kv
		return r.repeated(at, kv.Key, report)
	}
	if max := r.in.Limits.MaxMembers; len(it.Perf) >= max {
		return r.fail(report, r.in.LimitError(at, "MaxMembers", int64(max), "keys in one iteration"))
	}
	it.Perf = append(it.Perf, kv)
	return true
}

// repeated handles a key that the iteration already has: only Validate reports it.
func (r *Reader) repeated(at int, key string, report func(*format.Error) bool) bool {
	r.pattern.closed = true
	if !r.validates {
		return true
	}
	e := r.in.ErrorAt(at, fmt.Sprintf("duplicate key %s in this iteration: the last value is used", message.Quote(key)))
	e.Err = format.ErrDuplicate
	return report(e)
}

// An index finds a key among many performance values. It takes 8 to 16 bytes for each key; a map
// takes 40 to 80.
type index struct {
	seed  maphash.Seed
	slots []uint32 // by hash, 1 + the index of the value; a power of two of them, at most half of them in use
	added int      // values that have a slot
}

// find returns the index of the key in perf, or -1. The values that perf had in the last call are the
// first ones, unless clear was called.
func (x *index) find(perf []Keyval, key string) int {
	const fewKeys = 16 // fewer keys are searched one by one
	if len(perf) < fewKeys {
		return slices.IndexFunc(perf, func(kv Keyval) bool { return kv.Key == key })
	}
	for ; x.added < len(perf); x.added++ {
		if 2*x.added >= len(x.slots) {
			x.slots, x.added = make([]uint32, max(64, 2*len(x.slots))), 0
		}
		at, _ := x.slot(perf, perf[x.added].Key)
		*at = uint32(x.added + 1)
	}
	_, i := x.slot(perf, key)
	return i
}

// slot returns the slot of the key and its index, or a free slot and -1.
func (x *index) slot(perf []Keyval, key string) (slot *uint32, i int) {
	if x.seed == (maphash.Seed{}) {
		x.seed = maphash.MakeSeed()
	}
	for at := maphash.String(x.seed, key); ; at++ {
		slot = &x.slots[at&uint64(len(x.slots)-1)]
		if i = int(*slot) - 1; i < 0 || perf[i].Key == key {
			return slot, i
		}
	}
}

// clear removes all keys.
func (x *index) clear() {
	if len(x.slots) > 1<<11 {
		x.slots = nil // more slots take longer to clear than new ones to make
	}
	if x.added > 0 {
		clear(x.slots)
	}
	x.added = 0
}
