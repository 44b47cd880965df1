// Package merge merges sorted sources, such as the parts of a temporary file.
package merge

import (
	"container/heap"
	"io"
	"iter"
)

// A Source has items in ascending order.
type Source[S any] interface {
	// Next goes on to the next item, or at first, to the first one. Its error after the last is io.EOF.
	Next() error

	// Less reports whether the source's item is before that of the other source.
	Less(other S) bool
}

// Sorted iterates over the items of all sources in ascending order: it yields the source that is at the
// next one. Each source must have an item, or else the error is io.ErrUnexpectedEOF. An error of Next is
// the end.
func Sorted[S Source[S]](sources []S) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		q := make(queue[S], 0, len(sources))
		for _, s := range sources {
			err := s.Next()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				yield(s, err)
				return
			}
			q = append(q, s)
		}
		heap.Init(&q)

		for len(q) > 0 {
			if !yield(q[0], nil) {
				return
			}
			switch err := q[0].Next(); err {
			case nil:
				heap.Fix(&q, 0)
			case io.EOF:
				heap.Pop(&q)
			default:
				yield(q[0], err)
				return
			}
		}
	}
}

// A queue has the source with the least item first. It implements [heap.Interface].
type queue[S Source[S]] []S

func (q queue[S]) Len() int           { return len(q) }
func (q queue[S]) Less(i, j int) bool { return q[i].Less(q[j]) }
func (q queue[S]) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue[S]) Push(x any)        { *q = append(*q, x.(S)) }

func (q *queue[S]) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
