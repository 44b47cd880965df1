package format

import (
	"errors"
	"iter"
)

// Tolerant returns an iterator that passes the recoverable errors of seq to report. It yields
// everything else: the records, and an error that ends the reading. The report may be nil. Tolerant
// works with all iterators of the formats' Readers.
//
//	for rec, err := range format.Tolerant(r.Records(), func(e *format.Error) { log.Print(e) }) {
func Tolerant[T any](seq iter.Seq2[T, error], report func(*Error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for value, err := range seq {
			if e, ok := errors.AsType[*Error](err); ok && e.Severity == Recoverable {
				if report != nil {
					report(e)
				}
				continue
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// Collect returns copies of the measurements that seq yields before its first error, and that error.
// To get all measurements of an input that has recoverable errors, use it with [Tolerant].
func Collect(seq iter.Seq2[*Record, error]) ([]*Record, error) {
	var all []*Record
	for rec, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, rec.Clone())
	}
	return all, nil
}
