// Package workload generates the inputs of the benchmarks: deterministic, similar to real files,
// and of any size. Each format has a file.
//
// The lengths of names, the widths of numbers and the shapes of results vary as they do in the
// files of the projects that use the formats: package plausible says how.
package workload

import (
	"fmt"
	"io"
	"slices"
	"sort"
)

// A Document is an input that is generated while it is read: a head, results, and a tail. A result
// depends only on its index, so that reading can begin anywhere.
//
// A Document never changes and may be used by several goroutines.
type Document struct {
	head []byte
	tail func(results int) []byte

	results int
	chunk   int // results that are generated together

	// add appends the i-th result, preceded by a separator if it is not the first.
	add func(b []byte, i int) (_ []byte, records int)
}

// Results returns the number of results.
func (d *Document) Results() int { return d.results }

// Bytes returns all of d, and the number of records in it.
func (d *Document) Bytes() (doc []byte, records int) {
	doc = slices.Clone(d.head)
	for i := range d.results {
		var n int
		doc, n = d.add(doc, i)
		records += n
	}
	return append(doc, d.tail(d.results)...), records
}

// WithSize returns a document like d of about the given size, with at least one result.
func (d *Document) WithSize(size int64) *Document {
	const sample = 200 // results whose average size is that of the others
	var b []byte
	for i := range sample {
		b, _ = d.add(b, i)
	}
	rest := size - int64(len(d.head)+len(d.tail(1)))
	return d.WithResults(int(max(1, rest*sample/int64(len(b)))))
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

// Reader returns an unseekable reader of d, like a pipe.
func (d *Document) Reader() io.Reader { return struct{ io.Reader }{&reader{d: d}} }

// ReadSeeker returns a seekable reader of d. It generates d once, to learn its size.
func (d *Document) ReadSeeker() io.ReadSeeker {
	r := &reader{d: d, starts: []int64{0}}
	var text []byte
	for part := range d.parts() {
		text = d.appendPart(text[:0], part)
		r.starts = append(r.starts, r.starts[part]+int64(len(text)))
	}
	return r
}

// parts returns the number of parts of d: the head, chunks of results, the tail.
func (d *Document) parts() int { return 1 + (d.results+d.chunk-1)/d.chunk + 1 }

func (d *Document) appendPart(b []byte, part int) []byte {
	switch part {
	case 0:
		return append(b, d.head...)
	case d.parts() - 1:
		return append(b, d.tail(d.results)...)
	}
	first := (part - 1) * d.chunk
	for i := first; i < min(first+d.chunk, d.results); i++ {
		b, _ = d.add(b, i)
	}
	return b
}

// A reader reads a document.
type reader struct {
	d      *Document
	part   int     // the next one
	text   []byte  // of the previous part
	rest   []byte  // of text
	starts []int64 // the offset of each part and of the end, if the reader is seekable
}

func (r *reader) Read(p []byte) (n int, err error) {
	for len(r.rest) == 0 {
		if r.part == r.d.parts() {
			return 0, io.EOF
		}
		r.text = r.d.appendPart(r.text[:0], r.part)
		r.rest = r.text
		r.part++
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Seek implements [io.Seeker].
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	size := r.starts[len(r.starts)-1]
	switch whence {
	case io.SeekCurrent:
		offset += r.starts[r.part] - int64(len(r.rest))
	case io.SeekEnd:
		offset += size
	}
	if offset < 0 {
		return 0, fmt.Errorf("workload: negative offset %d", offset)
	}

	r.text, r.rest = r.text[:0], nil
	if offset >= size {
		r.part = r.d.parts()
		return offset, nil
	}

	// The part that contains the offset: the last one that starts at it or before.
	part := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > offset }) - 1
	r.text = r.d.appendPart(r.text, part)
	r.rest = r.text[offset-r.starts[part]:]
	r.part = part + 1
	return offset, nil
}
