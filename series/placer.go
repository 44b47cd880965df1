package series

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/message"
	"perfdata/traceid"
	"perfdata/unit"
)

// A Point is a record and its place: the series that it belongs to, its commit, and its repetition.
// It belongs to a [Placer], with its slices, and the next call of Place overwrites it. Its strings
// may be kept.
type Point struct {
	// Record is the record that Place was given.
	Record *format.Record

	// Identity is the params that tell the series from others, verbatim.
	Identity traceid.Params

	// Trace is the trace ID of Identity. It names the series.
	Trace []byte

	// Commit is the commit that was measured. It is empty if the record has none.
	Commit string

	// N is the number of the repetition, from 1. No other point of a Placer, until Reset, has the
	// same Trace, Commit and N.
	N int

	// Run is the run that measured the record: the name of a file, or the one that the caller of an
	// [Answer] gives. A Placer leaves it empty.
	Run string

	moved, attrs traceid.Params
}

// Attrs returns the attrs of the record, and the params that NotIdentity of the Placer lists, which
// take precedence over attrs of the same key.
func (p *Point) Attrs() traceid.Params {
	if len(p.moved) == 0 {
		return p.Record.Attrs
	}
	p.attrs = traceid.AppendMerge(p.attrs[:0], p.Record.Attrs, p.moved)
	return p.attrs
}

// Better returns whether lower or higher values are better: what the record says, or else what its
// unit implies, as package unit has it. Then byUnit is true.
func (p *Point) Better() (d format.Direction, byUnit bool) {
	if p.Record.Better != format.Unknown {
		return p.Record.Better, false
	}
	u, _ := unit.Parse(p.Record.Unit)
	return u.Better, u.Better != format.Unknown
}

// A Placer makes the [Point] of each record of a file, or of a set of files. The package comment has
// the rules. The zero Placer has the defaults. Set its fields before the first use. Only one
// goroutine at a time may use a Placer.
type Placer struct {
	// NotIdentity lists the keys of params that are not part of the identity. If it is nil, they
	// are commit, commit-time and date. To have none, use an empty slice.
	NotIdentity []string

	// Charset is the charset of the trace IDs. See [ParseCharset].
	Charset *traceid.Charset

	// Limits.MaxUniqueTraces is the largest number of traces whose repetitions a Placer counts, in
	// about 50 bytes each. A trace at two commits is two of these. The other limits have no effect.
	Limits format.Limits

	point  Point
	cache  recordCache
	shape  shape
	given  shape          // of an identity that the file gives
	params traceid.Params // memory of point.Identity, if it is not the params of the record
	ids    delta.Layout   // of params
	counts counts
	most   int // Limits.MaxUniqueTraces, with the default
	seed   maphash.Seed
	text   []byte // scratch
}

// ErrNoIdentity is the cause of the error about a record none of whose params is part of its
// identity. Its own cause is [format.ErrSchema].
var ErrNoIdentity error = noIdentity{}

type noIdentity struct{}

func (noIdentity) Error() string { return "no param is part of the measurement's identity" }
func (noIdentity) Unwrap() error { return format.ErrSchema }

// A recordCache is the previous record, and what the next one has in common with it unless another param
// than the varying one differs.
type recordCache struct {
	valid      bool           // there is a previous record
	params     traceid.Params // a copy
	commit     string         // the record's own
	repetition int            // the number that the record gives it, or 0
	isWhole    bool           // the identity is all params

	varying     int    // the index of the varying param in the identity
	varyingText string // as that of the shape

	hash   uint64 // of the commit and the trace ID without the varying value; 0 until it is needed
	before int    // the bytes of the trace ID before the varying value
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

	trace, cache := at.Trace, &p.cache
	varying := maphash.Bytes(p.seed, trace[cache.before:len(trace)-len(cache.after)])
	n := p.counts.number(uint32(cache.hash>>32), bits.RotateLeft64(cache.hash, 1)+varying, p.most)
	if n == nil {
		return at, message.LimitError(message.Limit("MaxUniqueTraces", int64(p.most), "traces"))
	}
	at.N = max(int(*n)+1, at.N) // the next of its series and commit, unless the record gives a greater one
	*n = uint32(at.N)
	return at, nil
}

// Locate is Place without counting, for programs to which the numbers of repetitions do not matter: it
// takes no memory for them. N is the number that the record itself gives its repetition, or 0.
func (p *Placer) Locate(rec *format.Record) (*Point, error) {
	repeatsShape := p.identify(rec)
	at := &p.point
	if len(at.Identity) == 0 {
		return nil, fmt.Errorf("offset %d: %w", rec.Offset, ErrNoIdentity)
	}
	if !repeatsShape || p.cache.hash == 0 {
		p.setTrace()
	} else if varying := p.shape.varying; varying < len(rec.Params) {
		at.Trace = p.Charset.AppendString(at.Trace[:p.cache.before], rec.Params[varying].Value)
		at.Trace = append(at.Trace, p.cache.after...)
	}
	at.N = p.cache.repetition
	return at, nil
}

// Identify is Place without the trace, and without counting: N is the number that the record itself
// gives its repetition, or 0. It takes a fraction of the time. The identity may be empty.
func (p *Placer) Identify(rec *format.Record) *Point {
	p.identify(rec)
	at := &p.point
	at.Trace, at.N = at.Trace[:0], p.cache.repetition
	p.cache.hash = 0 // no trace
	return at
}

// identify sets the identity and the commit of the point. It reports whether the record
// differs from the previous one in the value of the varying param only.
func (p *Placer) identify(rec *format.Record) bool {
	repeatsShape := p.repeatsShape(rec)
	if !repeatsShape {
		p.separate(rec)
	}
	p.point.Record = rec
	switch varying := p.shape.varying; {
	case p.cache.isWhole:
		p.point.Identity = rec.Params
	case repeatsShape && varying < len(rec.Params):
		p.point.Identity[p.cache.varying] = rec.Params[varying]
	}
	return repeatsShape
}

// repeatsShape reports whether the cache holds for a record: only the value of the varying param may
// differ from the previous record.
func (p *Placer) repeatsShape(rec *format.Record) bool {
	params, last, varying := rec.Params, p.cache.params, p.shape.varying
	if !p.cache.valid || len(params) != len(last) || rec.Repetition != 0 || !delta.SameText(rec.Commit, p.cache.commit) {
		return false
	}
	if varying == len(params) {
		return delta.SameParams(params, last)
	}
	return delta.SameText(params[varying].Key, last[varying].Key) &&
		delta.SameParams(params[:varying], last[:varying]) && delta.SameParams(params[varying+1:], last[varying+1:])
}

// separate finds the identity, the commit and the number of a record.
func (p *Placer) separate(rec *format.Record) {
	if p.most == 0 {
		p.most, p.seed = p.Limits.WithDefaults().MaxUniqueTraces, maphash.MakeSeed()
	}

	p.shape.learn(rec.Params, p)
	at, cache := &p.point, &p.cache
	cache.params = append(cache.params[:0], rec.Params...)
	cache.commit, cache.hash, cache.repetition, cache.valid = rec.Commit, 0, 0, rec.Repetition == 0
	at.Commit = rec.Commit
	if i := p.shape.commit; i > 0 && rec.Commit == "" {
		at.Commit = rec.Params[i-1].Value
	}
	if rec.Repetition > 0 && rec.Repetition <= maxRepetition {
		cache.repetition = rec.Repetition
	}

	kept, done := p.params[:0], 0
	cache.varying, cache.varyingText, at.moved = p.shape.varying, p.shape.varyingText, at.moved[:0]
	special := p.shape.special
	given := rec.Source.Place(rec.Params)
	isGiven := given != nil && given.IsKnown
	if isGiven {
		special, cache.valid = p.specialOf(rec, given), false
	}

	for _, s := range special {
		param := rec.Params[s.at]
		if !isGiven && !p.isSeparate(s.role, param.Value, rec.Repetition) {
			continue
		}
		if s.role == notIdentity {
			at.moved = append(at.moved, param)
		}
		if s.at < p.shape.varying {
			cache.varying--
		}
		kept = append(kept, rec.Params[done:s.at]...)
		done = s.at + 1
	}

	if cache.isWhole = done == 0; !cache.isWhole {
		p.params = append(kept, rec.Params[done:]...)
		at.Identity = p.params
	}
	if isGiven && !cache.isWhole { // the varying param may be left out
		p.given.learn(at.Identity, p)
		cache.varying, cache.varyingText = p.given.varying, p.given.varyingText
	}
}

// specialOf returns the params that are not part of the identity of a record whose file says which are.
func (p *Placer) specialOf(rec *format.Record, given *delta.Place) (separate []special) {
	for i, param := range rec.Params {
		isNumber := repetitionNumber(param.Value) == rec.Repetition && rec.Repetition > 0
		switch {
		case p.NotIdentity != nil && slices.Contains(p.NotIdentity, param.Key):
			separate = append(separate, special{i, notIdentity})
		case !slices.Contains(given.LeftOut, param.Key):
		case isNumber && (param.Key == paramIteration || param.Key == paramRepetition):
			separate = append(separate, special{i, repetition})
		default:
			separate = append(separate, special{i, notIdentity})
		}
	}
	return separate
}

// isSeparate reports whether a param with a role is not part of the identity of a record with the
// repetition. If the param says the number, isSeparate sets it.
func (p *Placer) isSeparate(role role, value string, ofRecord int) bool {
	n := repetitionNumber(value)
	switch {
	case role == notIdentity:
		return true
	case role == repetition && p.cache.repetition == 0:
		p.cache.repetition = n
		return n > 0
	case role == repetition:
		return n == p.cache.repetition
	}
	return n > 0 && n == ofRecord
}

// setTrace sets the trace ID of the point, and the hash of the commit and of the trace ID without the value of
// the varying param: records that differ in nothing else have the same.
func (p *Placer) setTrace() {
	at, cache := &p.point, &p.cache
	switch {
	case p.Charset != nil:
		at.Trace = p.Charset.AppendID(at.Trace[:0], at.Identity)
	case cache.isWhole:
		at.Trace = at.Record.AppendTraceID(at.Trace[:0])
	default:
		at.Trace = p.ids.AppendID(at.Trace[:0], at.Identity)
	}

	trace := at.Trace
	start, end := len(trace), len(trace)
	if cache.varyingText != "" {
		start, end = p.findVarying(trace)
	}
	cache.before, cache.after = start, append(cache.after[:0], trace[end:]...)
	cache.hash = maphash.String(p.seed, at.Commit)
	for _, text := range [][]byte{trace[:start], trace[end:]} {
		cache.hash = bits.RotateLeft64(cache.hash, 1) + maphash.Bytes(p.seed, text)
	}
	cache.hash = max(cache.hash, 1)
}

// findVarying returns where the value of the varying param is in a trace ID. From the end, it is in the
// place that it has among the params, unless their canonical keys are in another order.
func (p *Placer) findVarying(trace []byte) (start, end int) {
	text := p.cache.varyingText
	start = len(trace) - 1
	for range len(p.point.Identity) - p.cache.varying {
		start, end = max(bytes.LastIndexByte(trace[:start], ','), 0), start
	}
	if string(trace[start:min(start+len(text), len(trace))]) != text {
		if start = bytes.Index(trace, []byte(text)); start < 0 {
			return len(trace), len(trace) // a file that says itself what is not identity says so of the varying param
		}
		end = start + 1 + bytes.IndexByte(trace[start+1:], ',')
	}
	return start + len(text), end
}
