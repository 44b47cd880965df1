// Package workload generates the inputs of the benchmarks: deterministic, similar to real files,
// and of any size. Each format has a file.
package workload

import (
	"fmt"
	"io"
)

// A Document is an input that is generated while it is read: a head, results, and a tail. All
// results have the same number of bytes, so that reading can begin anywhere.
//
// A Document never changes and may be used by several goroutines.
type Document struct {
	head, tail []byte

	results int
	pattern []byte                     // a result and the separator after it
	fill    func(result []byte, i int) // makes the i-th result from a copy of pattern
	last    int                        // bytes of the last result, which has no separator
	each    int                        // records of a result
}

// Results returns the number of results.
func (d *Document) Results() int { return d.results }

// Records returns the number of records in d.
func (d *Document) Records() int { return d.results * d.each }

// Size returns the number of bytes of d.
func (d *Document) Size() int64 {
	return int64(len(d.head)) + d.resultsSize() + int64(len(d.tail))
}

func (d *Document) resultsSize() int64 {
	return int64(d.results-1)*int64(len(d.pattern)) + int64(d.last)
}

// Bytes returns all of d.
func (d *Document) Bytes() []byte {
	b := make([]byte, d.Size())
	d.ReadAt(b, 0)
	return b
}

// ReadSeeker returns a seekable reader of d.
func (d *Document) ReadSeeker() io.ReadSeeker { return io.NewSectionReader(d, 0, d.Size()) }

// Reader returns an unseekable reader of d, like a pipe.
func (d *Document) Reader() io.Reader { return struct{ io.Reader }{d.ReadSeeker()} }

// ReadAt implements [io.ReaderAt].
func (d *Document) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("workload: negative offset %d", off)
	}
	n += copyFrom(p, d.head, off)
	off -= int64(len(d.head))
	n += d.readResults(p[n:], off+int64(n))
	off -= d.resultsSize()
	n += copyFrom(p[n:], d.tail, off+int64(n))
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// copyFrom copies from src, from offset off on.
func copyFrom(p, src []byte, off int64) int {
	if off < 0 || off >= int64(len(src)) {
		return 0
	}
	return copy(p, src[off:])
}

// readResults reads from the results. The first result is at offset 0.
func (d *Document) readResults(p []byte, off int64) (n int) {
	if off < 0 {
		return 0
	}
	result := make([]byte, len(d.pattern))
	first := int(off / int64(len(d.pattern)))
	skip := int(off % int64(len(d.pattern)))
	for i := first; i < d.results && n < len(p); i++ {
		copy(result, d.pattern)
		d.fill(result, i)
		whole := result
		if i == d.results-1 {
			whole = result[:d.last]
		}
		if skip < len(whole) {
			n += copy(p[n:], whole[skip:])
		}
		skip = 0
	}
	return n
}

// ResultsForSize returns the number of results with which a document like d has at least the given
// size.
func (d *Document) ResultsForSize(size int64) int {
	each := int64(len(d.pattern))
	rest := size - int64(len(d.head)+len(d.tail)+d.last)
	return 1 + int(max(0, (rest+each-1)/each))
}

// WithResults returns a document like d with the given number of results, which must be positive.
func (d *Document) WithResults(results int) *Document {
	if results < 1 {
		panic("workload: a document has at least one result")
	}
	c := *d
	c.results = results
	return &c
}

// mix spreads the bits of i, so that consecutive numbers give numbers that look random.
func mix(i int) uint64 {
	x := uint64(i) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// putDecimal writes n, padded with zeros, over the digits of field. It keeps other characters of
// field, such as a point.
func putDecimal(field []byte, n uint64) {
	for i := len(field) - 1; i >= 0; i-- {
		if field[i] >= '0' && field[i] <= '9' {
			field[i] = '0' + byte(n%10)
			n /= 10
		}
	}
}
