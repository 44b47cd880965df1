package jsondoc

import (
	"cmp"
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Frame is the part of a Reader that is the same in each format: it opens the document once, for
// its header or for its records, keeps the header's error, finds the sections, and closes.
//
// A Reader has a Frame in a field. Another type of the Reader's package implements [Content], so that
// the Reader does not export these methods:
//
//	// A document is the Reader for its Frame.
//	type document Reader
//
//	func (r *Reader) Header() (Header, error) {
//		err := r.frame.Header((*document)(r))
//		return r.header, err
//	}
//
//	func (r *Reader) readRecords(yield func(*format.Record, error) bool) {
//		fault := func(err error) bool { return yield(nil, err) }
//		for _, s := range r.frame.Sections((*document)(r), fault) {
//			// read the section ahead of s
//		}
//	}
//
// The zero Frame has no input: call Reset first.
type Frame struct {
	// Slow reads without the fast path, for tests.
	Slow bool

	in      io.Reader
	scan    *jsonscan.Scanner // nil before first use
	doc     Document
	layout  *Layout
	err     error // of the header
	started bool  // the Scanner is of the input
	opened  bool  // the header was read
	used    bool  // see Use
}

// A Content is what a format does with a document.
type Content interface {
	// Begin prepares for another document. It returns the Name, Limits, with their defaults, and InOrder of
	// the Reader, and the layout of the format's documents.
	Begin() (o format.Options, l *Layout)

	// ReadMember reads the value ahead, of a member that is not a section. It may be called twice
	// for a member of the header, see Document.Header.
	ReadMember(s *jsonscan.Scanner, m Set)

	// CheckSection fails s if the value ahead cannot be that of the section. It may read it, so
	// that the section is treated as absent.
	CheckSection(s *jsonscan.Scanner, m Set)

	// CheckHeader returns an error about the header, and prepares for the sections. The header is
	// complete, or as complete as the sections need.
	CheckHeader(s *jsonscan.Scanner) error

	// FileHeader returns the header in the form of any format.
	FileHeader() format.Header
}

// Reset makes f read another input, with the memory that it has.
func (f *Frame) Reset(in io.Reader) {
	f.Close()
	f.in, f.err, f.started, f.opened, f.used = in, nil, false, false, false
}

// Header reads the header, all of it or, in order, the part before the first section, unless it was
// read before. It returns the error of the header, again with each call.
func (f *Frame) Header(c Content) error {
	f.open(c, false)
	return f.err
}

// FileHeader returns what Header reads in the form of any format.
func (f *Frame) FileHeader(c Content) (format.Header, error) {
	if err := f.Header(c); err != nil {
		return format.Header{}, err
	}
	return c.FileHeader(), nil
}

// Close releases the bytes that were kept of an input that can't seek.
func (f *Frame) Close() error {
	if f.scan == nil {
		return nil
	}
	return f.scan.Close()
}

// IsEarly reports whether a member of the header comes before its turn, by a Scanner that counts no
// lines. To have it again in its turn, fail the Scanner.
func (f *Frame) IsEarly(s *jsonscan.Scanner) bool { return s != f.scan }

// OnePass reports whether the document is read once.
func (f *Frame) OnePass() bool { return f.doc.OnePass() }

// open reads the header once: if forRecords is set, only what records need.
func (f *Frame) open(c Content, forRecords bool) {
	if f.opened {
		return
	}
	f.opened = true
	f.Scanner(c)
	f.readMembers(c, forRecords)
	f.err = f.doc.Err()
	if complete := !f.doc.inOrder || !f.doc.OnePass(); f.err == nil && complete {
		f.err = f.missing()
	}
	if f.err == nil {
		f.err = c.CheckHeader(f.scan)
	}
	if f.err != nil {
		f.Close() // a caller that fails to get the header may not call Close
	}
}

// readMembers reads the members of the header: if forRecords is set, only what records need.
func (f *Frame) readMembers(c Content, forRecords bool) {
	for m, s := range f.doc.Header(forRecords) {
		if m&f.layout.Sections != 0 {
			c.CheckSection(s, m)
		} else {
			c.ReadMember(s, m)
		}
	}
}

// Scanner returns the Scanner of the document, for a format whose documents may also be something else than
// objects. It is before the document until the header or a section is read.
func (f *Frame) Scanner(c Content) *jsonscan.Scanner {
	if f.started {
		return f.scan
	}
	f.started = true
	o, l := c.Begin()
	if f.layout = l; f.scan == nil {
		f.scan = l.NewScanner(f.in, o.Name, o.Limits)
	} else {
		f.scan.Reset(f.in, o.Name, o.Limits)
	}
	if f.Slow {
		f.scan.DisableFastPath()
	}
	f.doc.Open(f.scan, l, o.Limits, o.InOrder)
	return f.scan
}

// Use returns an error if it was called before for the document, as Sections does: it is read once.
func (f *Frame) Use() error {
	if f.used {
		return ErrorAtStart(f.scan, "", "the file was read already", format.ErrMisuse)
	}
	f.used = true
	return nil
}

// missing returns the error about a required member that the document lacks, or nil.
func (f *Frame) missing() error {
	l, required := f.layout, f.layout.Required
	if f.doc.Has(required & l.Sections) {
		required &^= l.Sections
	}

	for i, name := range l.Names {
		if m := Set(1) << i; required&m != 0 && !f.doc.Has(m) {
			return ErrorAtStart(f.scan, "(root)", name+" is required", l.Missing)
		}
	}
	return nil
}

// Sections iterates over the sections of the document, with a Scanner that is before the section's
// value, which the loop must read. It can be used once. In between, it reads the members of the
// header that come late. It calls fault with each error. Sections ends after the error that ends
// the reading, or if fault returns false. It closes f at the end.
func (f *Frame) Sections(c Content, fault func(error) bool) iter.Seq2[Set, *jsonscan.Scanner] {
	// As short as it is, it is inlined, and the loop takes no memory of its own.
	return func(yield func(Set, *jsonscan.Scanner) bool) { f.readSections(c, fault, yield) }
}

func (f *Frame) readSections(c Content, fault func(error) bool, yield func(Set, *jsonscan.Scanner) bool) {
	defer f.Close()
	f.open(c, true)
	if err := cmp.Or(f.Use(), f.err); err != nil {
		fault(err)
		return
	}

	inOrder := f.doc.inOrder // Rest changes it
	for m, s := range f.doc.Rest() {
		switch {
		case m&f.layout.Sections != 0:
			if !yield(m, s) {
				return
			}
		case inOrder && m&(f.layout.Required|Unknown) == 0:
			if e := TooLate(s, "results"); e != nil && !fault(e) {
				return
			}
		default:
			c.ReadMember(s, m)
		}
	}

	if err := cmp.Or(f.doc.Err(), f.missing()); err != nil {
		fault(err)
	}
}

// ErrorAtStart returns an error about the input as a whole.
func ErrorAtStart(s *jsonscan.Scanner, path, message string, cause error) *format.Error {
	e := s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message)
	e.Err = cause
	return e
}
