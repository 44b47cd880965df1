package keyval

import (
	"fmt"
	"hash/maphash"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// read reads the next iteration line by line. Its result is the result of next.
func (r *Reader) read(report func(*format.Error) bool) bool {
	if r.ended {
		return false
	}
	it := &r.it
	it.Index++
	it.Attr, it.Perf = it.Attr[:0], it.Perf[:0]
	r.pattern.begin()
	r.index.clear()

	first := true
	size := int64(0)
	for {
		text, ok := r.lines.Next()
		if !ok {
			break
		}
		if first {
			it.Position = format.Position{Offset: r.lines.Offset(), Line: r.lineNumber(), Column: 1}
			first = false
		}
		r.pattern.beginLine(r.lines.Offset(), len(text))

		l := trim(text)
		blank := false
		switch {
		case r.lines.TooLong():
			r.pattern.invalidate()
			ok = report(r.tooLong())
		case l.start == l.end:
			blank = true
		default:
			if size += int64(len(text)); size > r.limits.MaxResultBytes {
				return r.fail(report,
					r.limitError(0, "MaxResultBytes", r.limits.MaxResultBytes, "bytes in one iteration"))
			}
			ok = r.readLine(&l, report)
		}

		if ok && r.validation != nil && !r.lines.Ended() && !r.lines.TooLong() {
			ok = report(r.warningAt(len(text), noLineEnd))
		}
		if !ok {
			return false
		}
		if blank {
			r.pattern.end(it.Attr)
			return true
		}
	}

	if e := r.readError(); e != nil {
		return r.fail(report, e)
	}
	r.end()
	if r.validation != nil && r.lines.TooLong() && !r.lines.Ended() && !report(r.warningAt(0, noLineEnd)) {
		return false
	}
	return len(it.Attr)+len(it.Perf) > 0
}

const noLineEnd = "the last line has no line end: the file may be truncated"

// end makes the iteration the last one.
func (r *Reader) end() {
	r.ended = true
	r.pattern.invalidate()
}

// fail reports a fatal error. It returns false.
func (r *Reader) fail(report func(*format.Error) bool, e *format.Error) bool {
	r.end()
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
		r.pattern.invalidate()
		return report(r.errorAt(i, msg))
	}
	if !utf8.Valid(l.text) {
		return fault(lines.InvalidUTF8(l.text), notUTF8)
	}

	p := parseLine(l.text[l.start:l.end])
	valueAt := l.start + p.valueAt
	switch p.kind {
	case noKeyval:
		return fault(l.start, `missing "=": want key{perf}=value`)
	case unknownTag:
		return fault(l.start+len(p.key),
			fmt.Sprintf("unknown tag %s: want {perf} or {attr}", message.Quote(string(p.tag))))
	}

	if p.kind == untyped && r.validation != nil && !r.warnUntyped(l, report) {
		return false
	}
	if l.start > 0 || l.end < len(l.text) {
		r.pattern.invalidate()
	}
	if p.kind == attr {
		return r.addAttr(l, &p, report) && r.checkKey(l, &p, report)
	}

	mean, deviation, hasDeviation, err := parseValue(p.value)
	if err != nil {
		return r.checkKey(l, &p, report) && fault(valueAt, err.Error())
	}
	r.pattern.addPerf(l.text[:valueAt])
	offset := r.lines.Offset() + int64(l.start)
	ok := r.addPerf(Keyval{r.strings.String(p.key), mean, offset}, l.start, report)
	if ok && hasDeviation {
		r.pattern.invalidate()
		ok = r.addPerf(Keyval{string(p.key) + deviationSuffix, deviation, offset}, l.start, report)
	}
	return ok && r.checkKey(l, &p, report)
}

const notUTF8 = "the line is not valid UTF-8"

// deviationSuffix is appended to the key of a value to get the key of its deviation.
const deviationSuffix = "_dev"

func (r *Reader) addAttr(l *line, p *keyvalLine, report func(*format.Error) bool) bool {
	it := &r.it
	key, value := r.strings.String(p.key), r.strings.String(p.value)
	i, ok := it.Attr.Find(key)
	if ok {
		it.Attr[i].Value = value
		return r.repeated(l.start, key, report)
	}
	if max := r.limits.MaxParams; len(it.Attr) >= max {
		return r.fail(report, r.limitError(l.start, "MaxParams", int64(max), "attributes in one iteration"))
	}

	it.Attr = append(it.Attr, traceid.Param{})
	copy(it.Attr[i+1:], it.Attr[i:])
	it.Attr[i] = traceid.Param{Key: key, Value: value}
	r.pattern.addAttr(l.text[:l.start+p.valueAt], key)
	return true
}

// addPerf adds kv, or replaces the value of its key.
func (r *Reader) addPerf(kv Keyval, at int, report func(*format.Error) bool) bool {
	it := &r.it
	i, ok := r.find(kv.Key)
	if ok {
		it.Perf[i] = kv
		return r.repeated(at, kv.Key, report)
	}
	if max := r.limits.MaxMembers; len(it.Perf) >= max {
		return r.fail(report, r.limitError(at, "MaxMembers", int64(max), "keys in one iteration"))
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

// repeated handles a key that the iteration already has: only Validate reports it.
func (r *Reader) repeated(at int, key string, report func(*format.Error) bool) bool {
	r.pattern.invalidate()
	if r.validation == nil {
		return true
	}
	e := r.errorAt(at, fmt.Sprintf("duplicate key %s in this iteration: the last value is used", message.Quote(key)))
	e.Err = format.ErrDuplicate
	return report(e)
}

// An index finds a key among many performance values. It takes 8 to 16 bytes for each key; a map
// takes 40 to 80.
type index struct {
	seed  maphash.Seed
	slots []uint32 // by hash, 1 + the index of the value; a power of two of them, at most half of them in use
}

const (
	fewKeys  = 16 // fewer keys are searched one by one
	minSlots = 1 << 6
	maxKept  = 1 << 11 // more slots take longer to clear than new ones to make
)

// find returns the index of the key among those that were added, or -1.
func (x *index) find(perf []Keyval, key string) int {
	for at := x.slot(key); x.slots[at] != 0; at = (at + 1) & uint64(len(x.slots)-1) {
		if i := int(x.slots[at] - 1); perf[i].Key == key {
			return i
		}
	}
	return -1
}

// add adds the last value of perf, whose key is new. The values before it must have been added.
func (x *index) add(perf []Keyval) {
	if 2*len(perf) > len(x.slots) {
		if x.slots == nil {
			x.seed = maphash.MakeSeed()
		}
		x.slots = make([]uint32, max(minSlots, 2*len(x.slots)))
		for i := range perf[:len(perf)-1] {
			x.put(perf[i].Key, i)
		}
	}
	x.put(perf[len(perf)-1].Key, len(perf)-1)
}

func (x *index) put(key string, i int) {
	at := x.slot(key)
	for x.slots[at] != 0 {
		at = (at + 1) & uint64(len(x.slots)-1)
	}
	x.slots[at] = uint32(i + 1)
}

func (x *index) slot(key string) uint64 {
	return maphash.String(x.seed, key) & uint64(len(x.slots)-1)
}

// clear removes all keys.
func (x *index) clear() {
	if len(x.slots) > maxKept {
		x.slots = nil
	}
	clear(x.slots)
}
