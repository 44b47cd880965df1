package convert

import (
	"cmp"
	"crypto/sha256"
	"math"
	"strconv"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/skiav1"
	"perfdata/traceid"
)

type skiav1Target struct {
	out    *sink
	w      *skiav1.Writer
	traces map[[16]byte]uint32 // hashes of the ids that were written, and how often
	id     []byte
}

func toSkiaV1(out *sink, s *Survey) target {
	s.dropHeader(out, "git_hash", "issue", "patchset")
	h := skiav1.Header{
		GitHash:  cmp.Or(s.gitHash(), s.GitHash),
		Issue:    s.header.issue,
		Patchset: s.header.patchset,
		Key:      s.params.except(func(traceid.Param) bool { return false }),
		Links:    s.links.except(func(traceid.Param) bool { return false }),
	}
	if h.GitHash == "" {
		h.GitHash = unknownGitHash
		out.count(AddedGitHash, func() string { return unknownGitHash })
	}
	return &skiav1Target{out: out, w: skiav1.NewWriter(out, h), traces: make(map[[16]byte]uint32)}
}

func (t *skiav1Target) write(rec *format.Record) error {
	switch {
	case math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0):
		t.out.leftOut(rec, "JSON can't hold "+strconv.FormatFloat(rec.Value, 'g', -1, 64))
		return nil
	case !skiadoc.InRange(rec.Value):
		t.out.leftOut(rec, outOfFloat32)
		return nil
	case len(rec.Params) == 0:
		t.out.leftOut(rec, "it has no params")
		return nil
	}
	t.out.dropAttrs(rec)
	fit := format.Record{Params: rec.Params, Value: rec.Value, Links: rec.Links}
	if !validPairs(fit.Params) || !validPairs(fit.Links) {
		fit.Params, fit.Links = validText(t.out, rec, fit.Params), validText(t.out, rec, fit.Links)
	}
	fit.Params = t.unique(fit.Params)
	err := t.w.Write(&fit)
	if err != nil && t.out.err == nil {
		t.out.refused(rec, err)
		return nil
	}
	return err
}

func (t *skiav1Target) close() error { return t.w.Close() }

// unique returns the params with one more if their trace was written already: a file has each trace once. Beyond the
// number of traces that validation tells apart, it doesn't look.
func (t *skiav1Target) unique(own traceid.Params) traceid.Params {
	trace := t.hash(own)
	if t.count(trace) <= 1 {
		return own
	}
	key := "iteration"
	for {
		if _, ok := own.Get(key); !ok {
			break
		}
		key += "_"
	}
	for {
		n := strconv.FormatUint(uint64(t.traces[trace]), 10)
		params := traceid.Merge(own, traceid.Params{{Key: key, Value: n}})
		if t.count(t.hash(params)) <= 1 {
			t.out.count(AddedRepetition, params.ID)
			return params
		}
		t.traces[trace]++
	}
}

func (t *skiav1Target) hash(params traceid.Params) [16]byte {
	t.id = params.AppendID(t.id[:0])
	sum := sha256.Sum256(t.id)
	return [16]byte(sum[:16])
}

// count counts a trace and returns how often it was there, or 0 if there are too many.
func (t *skiav1Target) count(trace [16]byte) uint32 {
	n, known := t.traces[trace]
	if !known && len(t.traces) >= t.out.limits.MaxUniqueTraces {
		return 0
	}
	t.traces[trace] = n + 1
	return n + 1
}
