package main

import (
	"iter"
	"strconv"

	"perfdata/format"
	"perfdata/traceid"
)

// A sampleReader has the samples of a file as its records, one for each sample.
type sampleReader struct{ format.Reader }

// Records iterates over the samples. A sample has the params of its array and the param iteration,
// from 1 on; if the array has that param already, sample instead.
func (r sampleReader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		sampler, ok := r.Reader.(format.Sampler)
		if !ok {
			return // the user was told that the format has none
		}
		rec := new(format.Record)
		header, _ := r.FileHeader() // Samples has its error
		for s, err := range sampler.Samples() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			// As in keyval files, so that other commands take samples like iterations.
			number := "iteration"
			if _, ok := s.Params.Get(number); ok {
				number = "sample"
			}

			*rec = format.Record{
				Params: traceid.Merge(s.Params, traceid.Of(number, "")), Attrs: s.Attrs,
				Offset: s.Offset, Commit: header.Commit,
			}

			// The number has the same place in all samples of an array, so each of them is the same
			// record with another number.
			at, _ := rec.Params.Find(number)
			for i, value := range s.Values {
				rec.Params[at].Value = strconv.Itoa(i + 1)
				rec.Value = value
				if number == "iteration" {
					rec.Repetition = i + 1
				}
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}
