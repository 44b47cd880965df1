package series

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/bits"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Placer makes the [Point] of each record of a file, or of a set of files. The package comment has
// the rules. The zero Placer has the defaults. Set its fields before the first use. Only one
// goroutine at a time may use a Placer.
type Placer struct {
	// NotIdentity lists the keys of params that are not part of the identity. If it is nil, they
	// are commit, commit-time and date. To have none, use an empty slice.
	NotIdentity []string

	// Charset is that of the trace IDs. See [ParseCharset].
	Charset *traceid.Charset

	// Limits.MaxUniqueTraces is the largest number of traces whose repetitions a Placer counts, in
	// about 50 bytes each. A trace at two commits is two of these. The other limits have no effect.
	Limits format.Limits

	point    Point
	last     last
	shape    shape
	params   traceid.Params // memory of point.Identity, if it is not the params of the record
	ids      delta.Layout   // of params
	counts   counts
	most     int // Limits.MaxUniqueTraces, with the default
	seed     maphash.Seed
	text     []byte    // scratch
	initials [256]bool // of keys that may have a meaning
}

// ErrNoIdentity is the cause of the error about a record none of whose params is part of its
// identity. Its own cause is [format.ErrSchema].
var ErrNoIdentity error = noIdentity{}

type noIdentity struct{}

func (noIdentity) Error() string { return "no param is part of the measurement's identity" }
func (noIdentity) Unwrap() error { return format.ErrSchema }

// A last is what is known about the last record, and so about the next one of its family.
type last struct {
	known   bool           // there is one
	params  traceid.Params // a copy
	commit  string         // the record's own
	number  int            // that it gives its repetition, or 0
	isWhole bool           // the identity is all params
	fine    int            // the index of the fine param in the identity

	family uint64 // hash; 0 if it is not known
	before int    // the bytes of the trace ID before the value of the fine param
	after  []byte // the text after it
}

// Reset makes p ready for another file or set of files: it forgets the repetitions.
func (p *Placer) Reset() { p.counts.clear() }

// Place returns the Point of a record. The cause of an error is [ErrNoIdentity], if the record has no
// place, or [format.ErrLimit]. After either, Place may be called for other records.
func (p *Placer) Place(rec *format.Record) (*Point, error) {
	at, err := p.Locate(rec)
	if err != nil {
		return nil, err
	}
	return at, p.count()
}

// Locate is Place without counting, for programs to which the numbers of repetitions do not matter: it
// takes no memory for them. N is the number that the record itself gives its repetition, or 0.
func (p *Placer) Locate(rec *format.Record) (*Point, error) {
	isOfFamily := p.identify(rec)
	at := &p.point
	if len(at.Identity) == 0 {
		return nil, fmt.Errorf("offset %d: %w", rec.Offset, ErrNoIdentity)
	}
	if !isOfFamily || p.last.family == 0 {
		p.setTrace()
		p.setFamily()
	} else if fine := p.shape.fine; fine < len(rec.Params) {
		at.Trace = p.Charset.AppendString(at.Trace[:p.last.before], rec.Params[fine].Value)
		at.Trace = append(at.Trace, p.last.after...)
	}
	at.N = p.last.number
	return at, nil
}

// Identify is Place without the trace, and without counting: N is the number that the record itself
// gives its repetition, or 0. It takes a fraction of the time. The identity may be empty.
func (p *Placer) Identify(rec *format.Record) *Point {
	p.identify(rec)
	at := &p.point
	at.Trace, at.N = at.Trace[:0], p.last.number
	p.last.family = 0 // no trace
	return at
}

// identify sets the identity and the commit of the point. It reports whether the record is of the
// family of the last one.
func (p *Placer) identify(rec *format.Record) bool {
	isOfFamily := p.isOfFamily(rec)
	if !isOfFamily {
		p.separate(rec)
	}
	p.point.Record = rec
	switch fine := p.shape.fine; {
	case p.last.isWhole:
		p.point.Identity = rec.Params
	case isOfFamily && fine < len(rec.Params):
		p.point.Identity[p.last.fine] = rec.Params[fine]
	}
	return isOfFamily
}

// setTrace sets the trace ID of the point.
func (p *Placer) setTrace() {
	at := &p.point
	switch {
	case p.Charset != nil:
		at.Trace = p.Charset.AppendID(at.Trace[:0], at.Identity)
	case p.last.isWhole:
		at.Trace = at.Record.AppendTraceID(at.Trace[:0])
	default:
		at.Trace = p.ids.AppendID(at.Trace[:0], at.Identity)
	}
}

// isOfFamily reports whether all that is known about the last record holds for this one: only the
// value of the fine param may be another.
func (p *Placer) isOfFamily(rec *format.Record) bool {
	params, last, fine := rec.Params, p.last.params, p.shape.fine
	if !p.last.known || len(params) != len(last) || rec.Repetition != 0 || !delta.SameText(rec.Commit, p.last.commit) {
		return false
	}
	if fine == len(params) {
		return delta.SameParams(params, last)
	}
	return delta.SameText(params[fine].Key, last[fine].Key) &&
		delta.SameParams(params[:fine], last[:fine]) && delta.SameParams(params[fine+1:], last[fine+1:])
}

// separate finds the identity, the commit and the number of a record.
func (p *Placer) separate(rec *format.Record) {
	if p.most == 0 {
		p.most, p.seed = p.Limits.WithDefaults().MaxUniqueTraces, maphash.MakeSeed()
		p.setInitials()
	}
	p.shape.learn(rec.Params, p)
	at, last := &p.point, &p.last
	last.params = append(last.params[:0], rec.Params...)
	last.commit, last.family, last.number, last.known = rec.Commit, 0, 0, rec.Repetition == 0
	at.Commit = rec.Commit
	if i := p.shape.commit; i > 0 {
		at.Commit = rec.Params[i-1].Value
	}
	if rec.Repetition > 0 && rec.Repetition <= maxRepetition {
		last.number = rec.Repetition
	}

	kept, done := p.params[:0], 0
	last.fine, at.moved = p.shape.fine, at.moved[:0]
	for _, s := range p.shape.special {
		param := rec.Params[s.at]
		if !p.isSeparate(s.role, param.Value, rec.Repetition) {
			continue
		}
		if s.role == notIdentity {
			at.moved = append(at.moved, param)
		}
		if s.at < p.shape.fine {
			last.fine--
		}
		kept = append(kept, rec.Params[done:s.at]...)
		done = s.at + 1
	}
	if last.isWhole = done == 0; !last.isWhole {
		p.params = append(kept, rec.Params[done:]...)
		at.Identity = p.params
	}
}

// isSeparate reports whether a param with a role is not part of the identity of a record with the
// repetition. If the param says the number, isSeparate sets it.
func (p *Placer) isSeparate(role role, value string, ofRecord int) bool {
	n := repetitionNumber(value)
	switch {
	case role == notIdentity:
		return true
	case role == repetition && p.last.number == 0:
		p.last.number = n
		return n > 0
	case role == repetition:
		return n == p.last.number
	}
	return n > 0 && n == ofRecord
}

// setFamily sets what the records of a family have in common: the hash of the commit, and of the
// trace ID without the value of the fine param.
func (p *Placer) setFamily() {
	trace, last := p.point.Trace, &p.last
	start, end := len(trace), len(trace)
	if p.shape.fineText != "" {
		start, end = p.findFine(trace)
	}
	last.before, last.after = start, append(last.after[:0], trace[end:]...)
	last.family = maphash.String(p.seed, p.point.Commit)
	for _, text := range [][]byte{trace[:start], trace[end:]} {
		last.family = bits.RotateLeft64(last.family, 1) + maphash.Bytes(p.seed, text)
	}
	last.family = max(last.family, 1)
}

// findFine returns where the value of the fine param is in a trace ID. From the end, it is in the
// place that it has among the params, unless their canonical keys are in another order.
func (p *Placer) findFine(trace []byte) (start, end int) {
	text := p.shape.fineText
	start = len(trace) - 1
	for range len(p.point.Identity) - p.last.fine {
		start, end = max(bytes.LastIndexByte(trace[:start], ','), 0), start
	}
	if string(trace[start:min(start+len(text), len(trace))]) != text {
		start = bytes.Index(trace, []byte(text))
		end = start + 1 + bytes.IndexByte(trace[start+1:], ',')
	}
	return start + len(text), end
}

// count sets the number of the point: the next of its series and commit, or the one that the record
// gives if that is greater.
func (p *Placer) count() error {
	trace, last := p.point.Trace, &p.last
	fine := maphash.Bytes(p.seed, trace[last.before:len(trace)-len(last.after)])
	n := p.counts.number(uint32(last.family>>32), bits.RotateLeft64(last.family, 1)+fine, p.most)
	if n == nil {
		return message.LimitError(message.Limit("MaxUniqueTraces", int64(p.most), "traces"))
	}
	p.point.N = max(int(*n)+1, last.number)
	*n = uint32(p.point.N)
	return nil
}
