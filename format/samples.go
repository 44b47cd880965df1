package format

import (
	"iter"
	"slices"

	"perfdata/traceid"
)

// A Sampler is a Reader of a format that has, beside its records, the samples that some of them
// summarize.
type Sampler interface {
	// Samples iterates over the samples, in the order of the input, in place of Records. Its errors
	// are the errors of Records.
	Samples() iter.Seq2[*Samples, error]
}

// Samples are the values that one measurement summarizes, in the order in which they were taken.
// The Samples that a Reader yields belong to the Reader, with their slices: they must not be
// modified, and the next step of the iteration overwrites them.
type Samples struct {
	Params traceid.Params // of the measurement
	Values []float64
	Attrs  traceid.Params // recorded with the measurement, and not part of its identity
	Offset int64          // of the array in the (decompressed) input, in bytes from its beginning; ignored by Writers
}

// Clone returns a copy of s that the Reader won't overwrite.
func (s *Samples) Clone() *Samples {
	c := *s
	c.Params, c.Values, c.Attrs = s.Params.Clone(), slices.Clone(s.Values), s.Attrs.Clone()
	return &c
}
