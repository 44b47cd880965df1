package ingest

import (
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// The params that have a meaning of their own.
const (
	commitParam    = "commit"
	iterationParam = "iteration"
)

// An identifier makes Records of the measurements of one file after another. It remembers, in
// about 50 bytes each, the traces of a file.
type identifier struct {
	notIdentity []string
	limits      format.Limits // with the defaults
	seeds       [2]maphash.Seed

	commit     string // of the header
	iterations bool   // the param iteration is the number of a repetition, as in keyval files
	last       map[key]int
	held       []*Record // have a param iteration
	heldBytes  int64

	current       Record
	params, attrs traceid.Params // scratch
	id, text      []byte         // scratch
}

// A key is a hash of a trace ID and a commit. With random seeds, different ones do not collide in
// practice.
type key [2]uint64

// The memory of a held Record, and of a param without its text.
const (
	recordBytes = 256
	paramBytes  = 32
)

// maxKept is the number of traces from which the memory for them is not kept for the next file.
const maxKept = 1 << 14

func newIdentifier(options *RunOptions) *identifier {
	notIdentity := options.NotIdentity
	if notIdentity == nil {
		notIdentity = []string{commitParam, "commit-time", "date"}
	}
	return &identifier{
		notIdentity: slices.Clone(notIdentity),
		limits:      options.Opener.Limits.WithDefaults(),
		seeds:       [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
	}
}

// begin prepares for the measurements of a file.
func (id *identifier) begin(src *Source) {
	id.commit, id.iterations = src.Header.Commit, src.Format == "keyval"
	if len(id.last) > maxKept || id.last == nil {
		id.last = make(map[key]int)
	}
	clear(id.last)
	clear(id.held)
	id.held, id.heldBytes = id.held[:0], 0
}

// record returns the Record of a measurement, which is valid until the next call. It is nil if the
// identifier holds it until the end of the file.
func (id *identifier) record(rec *format.Record) (*Record, error) {
	r := &id.current
	r.Record = *rec
	r.Commit = id.commit
	if commit, ok := rec.Params.Get(commitParam); ok {
		r.Commit = commit
	}
	id.separate(r)

	i, ok := r.Params.Find(iterationParam)
	switch {
	case !ok:
		return id.number(r, 1)
	case !id.iterations:
		return nil, id.hold(r)
	}
	n, _ := strconv.Atoi(r.Params[i].Value)
	r.Params = id.without(r.Params, i)
	return id.number(r, n)
}

// separate moves the params that are not part of the identity to the attrs.
func (id *identifier) separate(r *Record) {
	first := slices.IndexFunc(r.Params, func(p traceid.Param) bool { return id.isSeparate(p.Key) })
	if first < 0 {
		return
	}
	kept, moved := append(id.params[:0], r.Params[:first]...), traceid.Params(nil)
	for _, p := range r.Params[first:] {
		if id.isSeparate(p.Key) {
			moved = append(moved, p)
		} else {
			kept = append(kept, p)
		}
	}
	id.attrs = traceid.AppendMerge(id.attrs[:0], r.Attrs, moved)
	id.params = kept
	r.Params, r.Attrs = kept, id.attrs
}

func (id *identifier) isSeparate(key string) bool { return slices.Contains(id.notIdentity, key) }

// without returns the params without the i-th, in scratch memory.
func (id *identifier) without(p traceid.Params, i int) traceid.Params {
	id.params = append(append(id.params[:0], p[:i]...), p[i+1:]...)
	return id.params
}

// number sets the ID and the number of a Record, which is at least n.
func (id *identifier) number(r *Record, n int) (*Record, error) {
	if len(r.Params) == 0 {
		return nil, identityError(r.Offset)
	}
	r.ID = r.Params.AppendID(r.ID[:0])
	k := id.key(r.ID, r.Commit, "")
	last, ok := id.last[k]
	if !ok && len(id.last) >= id.limits.MaxUniqueTraces {
		return nil, id.tracesError()
	}
	r.N = max(last+1, n)
	id.last[k] = r.N
	return r, nil
}

func (id *identifier) key(traceID []byte, commit, iteration string) key {
	id.text = append(append(id.text[:0], traceID...), 0)
	id.text = append(append(id.text, commit...), 0)
	id.text = append(id.text, iteration...)
	return key{maphash.Bytes(id.seeds[0], id.text), maphash.Bytes(id.seeds[1], id.text)}
}

// hold keeps a Record for rest: its param iteration is the number of a repetition only if all
// others in the file are.
func (id *identifier) hold(r *Record) error {
	held := &Record{Record: *r.Record.Clone(), Commit: r.Commit}
	id.heldBytes += recordBytes
	for _, pairs := range []traceid.Params{held.Params, held.Links, held.Attrs} {
		for _, p := range pairs {
			id.heldBytes += paramBytes + int64(len(p.Key)+len(p.Value))
		}
	}
	if id.heldBytes > id.limits.MaxHeldBytes {
		return limitError("MaxHeldBytes", id.limits.MaxHeldBytes, "bytes of measurements with a param iteration")
	}
	id.held = append(id.held, held)
	return nil
}

// rest iterates over the Records that the identifier holds, at the end of the file.
func (id *identifier) rest() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		repeated, err := id.repeated()
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range id.held {
			if repeated {
				id.strip(r)
			} else {
				r, err = id.number(r, 1)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// repeated reports whether the param iteration of the Records is the number of a repetition: its
// values in each trace are 1 to n, at any commit. If the trace also has measurements without the
// param, the values continue their numbers.
func (id *identifier) repeated() (bool, error) {
	type group struct{ n, max int } // the number of values, and the greatest
	groups := make(map[key]group)
	seen := make(map[key]bool)
	for _, r := range id.held {
		plain := *r
		text, ok := id.strip(&plain)
		if !ok {
			return false, nil
		}

		k, numbered := id.key(plain.ID, plain.Commit, ""), id.key(plain.ID, plain.Commit, text)
		if seen[numbered] || plain.N <= id.last[k] {
			return false, nil
		}
		seen[numbered] = true
		groups[k] = group{groups[k].n + 1, max(groups[k].max, plain.N)}
	}

	traces := len(id.last)
	for k, g := range groups {
		if g.max != id.last[k]+g.n {
			return false, nil
		}
		if id.last[k] == 0 {
			traces++
		}
	}
	if traces > id.limits.MaxUniqueTraces {
		return false, id.tracesError()
	}
	return true, nil
}

// strip makes the param iteration of a Record its number, and returns the param. It returns false
// if it is not a number, or the only param.
func (id *identifier) strip(r *Record) (iteration string, ok bool) {
	i, _ := r.Params.Find(iterationParam)
	iteration = r.Params[i].Value
	n, err := strconv.Atoi(iteration)
	if err != nil || n < 1 || strconv.Itoa(n) != iteration || len(r.Params) == 1 {
		return "", false
	}
	id.id = id.without(r.Params, i).AppendID(id.id[:0])
	r.N, r.Params, r.ID = n, id.params, id.id
	return iteration, true
}

// An identityError is about a measurement whose params are all left out of the identity. It is the
// offset of the measurement.
type identityError int64

func (e identityError) Error() string {
	return fmt.Sprintf("offset %d: no param is part of the measurement's identity", int64(e))
}

func (identityError) Unwrap() error { return format.ErrSchema }

func (id *identifier) tracesError() error {
	return limitError("MaxUniqueTraces", int64(id.limits.MaxUniqueTraces), "traces in one file")
}

func limitError(limit string, max int64, what string) error {
	return message.LimitError(message.Limit(limit, max, what))
}
