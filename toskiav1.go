package perfdata

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

// unknownGitHash stands where a format requires a commit and none is known.
const unknownGitHash = "unknown"

// outOfFloat32 is why a measurement is left out that Skia Perf can't store.
const outOfFloat32 = "it is out of the range of float32"

type skiav1Target struct {
	out    *sink
	w      *skiav1.Writer
	traces map[[16]byte]*int // hashes of the ids that were written, and how often
	id     []byte

	maxTraces int
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
		out.added(AddedGitHash, func() string { return unknownGitHash })
	}
	return &skiav1Target{
		out: out, w: skiav1.NewWriter(out, h), traces: make(map[[16]byte]*int), maxTraces: format.Limits{}.WithDefaults().MaxUniqueTraces,
	}
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
		t.out.leftOut(rec, err.Error())
		return nil
	}
	return err
}

func (t *skiav1Target) close() error { return t.w.Close() }

// unique returns the params with one more if their trace was written already: a file has each trace once. Beyond the
// number of traces that validation tells apart, it doesn't look.
func (t *skiav1Target) unique(own traceid.Params) traceid.Params {
	seen := t.seen(own)
	if seen == nil || *seen == 1 {
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
		params := traceid.Merge(own, traceid.Params{{Key: key, Value: strconv.Itoa(*seen)}})
		if again := t.seen(params); again == nil || *again == 1 {
			t.out.added("repeated measurements, with one more param", params.ID)
			return params
		}
		*seen++
	}
}

// seen counts a trace and returns how often it was there, or nil if there are too many.
func (t *skiav1Target) seen(params traceid.Params) *int {
	t.id = params.AppendID(t.id[:0])
	sum := sha256.Sum256(t.id)
	hash := [16]byte(sum[:16])
	seen := t.traces[hash]
	if seen == nil {
		if len(t.traces) >= t.maxTraces {
			return nil
		}
		seen = new(int)
		t.traces[hash] = seen
	}
	*seen++
	return seen
}
