package format

import "iter"

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
