package series

import (
	"fmt"
	"hash/maphash"

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

	point  Point
	shape  shape
	params traceid.Params // memory of point.Identity
	ids    delta.Layout   // of params

	// The last repetitions, by hashes of 64 bits of trace and commit.
	last       map[uint64]int
	seeds      [2]maphash.Seed
	commit     string
	commitHash uint64 // 0 if it is not known
}

// ErrNoIdentity is the cause of the error about a record none of whose params is part of its
// identity. Its own cause is [format.ErrSchema].
var ErrNoIdentity error = noIdentity{}

type noIdentity struct{}

func (noIdentity) Error() string { return "no param is part of the measurement's identity" }
func (noIdentity) Unwrap() error { return format.ErrSchema }

// maxKept is the number of traces from which Reset does not keep the memory for them.
const maxKept = 1 << 14

// Reset makes p ready for another file or set of files: it forgets the repetitions.
func (p *Placer) Reset() {
	if len(p.last) > maxKept {
		p.last = nil
	}
	clear(p.last)
}

// Place returns the Point of a record. The cause of an error is [ErrNoIdentity], if the record has no
// place, or [format.ErrLimit]. After either, Place may be called for other records.
func (p *Placer) Place(rec *format.Record) (*Point, error) {
	if !p.shape.fits(rec.Params) {
		p.shape.learn(rec.Params, p.NotIdentity)
	}
	at := &p.point
	at.Record, at.Commit = rec, rec.Commit
	if i := p.shape.commit; i > 0 {
		at.Commit = rec.Params[i-1].Value
	}
	number := p.separate(rec)
	if len(at.Identity) == 0 {
		return nil, fmt.Errorf("offset %d: %w", rec.Offset, ErrNoIdentity)
	}

	switch {
	case p.Charset != nil:
		at.Trace = p.Charset.AppendID(at.Trace[:0], at.Identity)
	case len(at.Identity) == len(rec.Params):
		at.Trace = rec.AppendTraceID(at.Trace[:0])
	default:
		at.Trace = p.ids.AppendID(at.Trace[:0], at.Identity)
	}
	return at, p.count(number)
}

// separate sets the identity of the point. It returns the number that the record gives its
// repetition, or 0.
func (p *Placer) separate(rec *format.Record) (number int) {
	at := &p.point
	at.Identity, at.moved = rec.Params, at.moved[:0]
	if rec.Repetition > 0 && rec.Repetition <= maxRepetition {
		number = rec.Repetition
	}
	if len(p.shape.special) == 0 {
		return number
	}

	kept, done := p.params[:0], 0
	for _, s := range p.shape.special {
		param := rec.Params[s.at]
		switch s.role {
		case notIdentity:
			at.moved = append(at.moved, param)
		case repetition:
			n := repetitionNumber(param.Value)
			if number == 0 {
				number = n
			}
			if n == 0 || n != number {
				continue
			}
		case iteration:
			if number == 0 || number != rec.Repetition || repetitionNumber(param.Value) != number {
				continue
			}
		}
		kept = append(kept, rec.Params[done:s.at]...)
		done = s.at + 1
	}
	if done > 0 {
		p.params = append(kept, rec.Params[done:]...)
		at.Identity = p.params
	}
	return number
}

// count sets the number of the point: the next of its trace and commit, or the one that the record
// gives if that is greater.
func (p *Placer) count(number int) error {
	if p.last == nil {
		p.last, p.commitHash = make(map[uint64]int), 0
		p.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	if commit := p.point.Commit; p.commitHash == 0 || !delta.SameText(commit, p.commit) {
		p.commit, p.commitHash = commit, maphash.String(p.seeds[1], commit)
	}

	key := maphash.Bytes(p.seeds[0], p.point.Trace) + p.commitHash
	last, ok := p.last[key]
	if !ok {
		if most := p.Limits.WithDefaults().MaxUniqueTraces; len(p.last) >= most {
			return message.LimitError(message.Limit("MaxUniqueTraces", int64(most), "traces"))
		}
	}
	p.point.N = max(last+1, number)
	p.last[key] = p.point.N
	return nil
}
