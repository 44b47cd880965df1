// Package workload generates the inputs of the benchmarks: deterministic, similar to real files,
// and of any size. Each format has a file.
//
// The lengths of names, the widths of numbers and the shapes of results vary as they do in the
// files of the projects that use the formats: package plausible says how.
package workload

import (
	"io"
	"slices"

	"perfdata/internal/testing/plausible"
)

// A Document is an input that is generated while it is read: a head, results, and a tail. A result
// depends only on its index.
//
// A Document never changes and may be used by several goroutines.
type Document struct {
	head    []byte
	tail    func(results int) []byte
	results int

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
	const sample = 200 // results with the same average size as the others
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

// smallFiles returns n files of 3 to 9 KB, and the number of records in them. In a file, tests follow one
// another, so a few results of its document are a good sample.
func smallFiles(n int, document func(r *plausible.Random, f int) *Document) (files [][]byte, records int) {
	for f := range n {
		r := plausible.New(2, f)
		doc, count := document(&r, f).WithSize(int64(3000 + r.Below(6000))).Bytes()
		files = append(files, doc)
		records += count
	}
	return files, records
}

// Reader returns an unseekable reader of d, like a pipe.
func (d *Document) Reader() io.Reader { return &reader{d: d, text: d.head} }

// A reader reads a document, which it makes a result at a time.
type reader struct {
	d     *Document
	next  int    // result
	text  []byte // that is not read
	ended bool   // the tail is the text
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		switch {
		case r.ended:
			return 0, io.EOF
		case r.next == r.d.results:
			r.text, r.ended = r.d.tail(r.d.results), true
		default:
			r.text, _ = r.d.add(nil, r.next)
			r.next++
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}
