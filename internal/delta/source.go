package delta

import (
	"slices"
	"time"

	"perfdata/traceid"
)

// A Source is what a Reader knows about its record: the Layout of its params. The zero Source knows
// nothing. It is opaque to users of package format.
type Source struct {
	layout *Layout
	params *traceid.Param // the first one of the Reader's memory
	place  *Place
}

// A Place is what a file says about the series of a record, and its repetition. It belongs to the Reader.
type Place struct {
	IsKnown bool // the file defines the identity: all params except the ones with the keys LeftOut
	LeftOut []string
	N       int       // number of the repetition, from 1, or 0
	Time    time.Time // of the commit, or zero
}

// WithPlace returns the Source of a record whose file says its place.
func (s Source) WithPlace(p *Place) Source {
	s.place = p
	return s
}

// Place returns what the file says about the place of a record with the params, or nil.
func (s Source) Place(p traceid.Params) *Place {
	if len(p) == 0 || &p[0] != s.params {
		return nil
	}
	return s.place
}

// Clone returns the Source of a clone of a record, which has the params.
func (s Source) Clone(p traceid.Params) Source {
	if s.place == nil || len(p) == 0 {
		return Source{}
	}
	place := *s.place
	place.LeftOut = slices.Clone(place.LeftOut)
	return Source{params: &p[0], place: &place}
}

// Source returns the Source of a record with the params.
func (l *Layout) Source(p traceid.Params) Source {
	if len(p) == 0 {
		return Source{}
	}
	return Source{layout: l, params: &p[0]}
}

// Equal returns true: a Source is not part of a measurement. Package go-cmp calls it.
func (Source) Equal(Source) bool { return true }

// AppendID appends the ID of the params of a record to dst, as Params.AppendID does. Only params in
// the Reader's memory use its Layout: others may belong to another goroutine.
func (s Source) AppendID(dst []byte, p traceid.Params) []byte {
	if s.layout == nil || len(p) == 0 || &p[0] != s.params {
		return p.AppendID(dst)
	}
	return s.layout.AppendID(dst, p)
}
