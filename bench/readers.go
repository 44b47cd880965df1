package main

import (
	"bytes"
	"errors"
	"io"

	"perfdata"
	"perfdata/format"
)

// A resetter is a Reader that can be used for another input.
type resetter interface {
	format.Reader
	Reset(io.Reader)
}

// A way is how this library reads a file.
type way struct {
	inOrder, pipe, ids, reset bool
}

// name returns the name of the contestant.
func (w way) name() string {
	name := "perfdata"
	switch {
	case w.inOrder:
		name += " InOrder"
	case w.pipe:
		name += " from a pipe"
	default:
		name += " default"
	}
	if w.ids {
		name += " with trace IDs"
	}
	if w.reset {
		name += " with Reset"
	}
	return name
}

// ways are the ways to read a format whose header may come after its results.
var ways = []way{
	{inOrder: true},
	{},
	{pipe: true},
	{inOrder: true, ids: true},
	{ids: true},
	{inOrder: true, reset: true},
	{reset: true},
}

// readers returns a contestant for each way. newReader returns a Reader that is configured for it.
func readers(newReader func(io.Reader, way) resetter, ways []way) []contestant {
	var all []contestant
	for _, w := range ways {
		var kept resetter
		var ids idAppender
		var p program
		all = append(all, contestant{name: w.name(), run: func(file []byte) (int, error) {
			in := p.open(file, w.pipe)
			r := kept
			if r == nil {
				r = newReader(in, w)
			} else {
				r.Reset(in)
			}
			if w.reset {
				kept = r
			}

			if w.ids {
				return p.read(r, ids.append)
			}
			return p.read(r, nil)
		}})
	}
	return all
}

// openers returns the contestants that read a file of any format, without and with the ID of every
// record.
func openers() []contestant {
	var ids idAppender
	open := func(name string, each func(*format.Record)) contestant {
		return contestant{name: name, run: func(file []byte) (int, error) {
			r, err := perfdata.NewReader(bytes.NewReader(file), "")
			if err != nil {
				return 0, err
			}
			n, err := readRecords(r, each)
			return n, errors.Join(err, r.Close())
		}}
	}
	return []contestant{open(readOpen, nil), open(readOpenID, ids.append)}
}

// A program reads files. It keeps what one that reads many files would keep, so that nearly all
// allocations are the Reader's.
type program struct {
	file          bytes.Reader
	pipe          struct{ io.Reader }
	records, late int
}

// open returns a reader of the file. A pipe cannot seek.
func (p *program) open(file []byte, pipe bool) io.Reader {
	p.file.Reset(file)
	if !pipe {
		return &p.file
	}
	p.pipe.Reader = &p.file
	return &p.pipe
}

// An idAppender appends the trace ID of each record to a buffer.
type idAppender struct{ id []byte }

func (a *idAppender) append(rec *format.Record) { a.id = rec.AppendTraceID(a.id[:0]) }

// readRecords reads all records, passes them to each, if it is not nil, and returns how many there
// are.
func readRecords(r format.Reader, each func(*format.Record)) (int, error) {
	return new(program).read(r, each)
}

// read is readRecords with the memory of p.
func (p *program) read(r format.Reader, each func(*format.Record)) (int, error) {
	p.records, p.late = 0, 0
	for rec, err := range r.Records() {
		if err != nil {
			// The links or the source come after the results, too late for reading in order.
			e, ok := errors.AsType[*format.Error](err)
			if ok && e.Severity == format.Recoverable && (e.Path == "links" || e.Path == "source") && p.late == 0 {
				p.late++
				continue
			}
			return p.records, err
		}
		p.records++
		if each != nil {
			each(rec)
		}
	}
	return p.records, nil
}
