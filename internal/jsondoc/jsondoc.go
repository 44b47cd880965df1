// Package jsondoc reads a JSON document whose header applies to all of it, wherever in the
// document the members of the header are.
//
// A document is an object. Some of its members are sections: they hold the data, and the results
// made from the data depend on the header. All other members are small. A [Document] yields the
// members of the header first, and then the sections:
//
//	for m, s := range doc.Header(true) {
//		// read the value ahead of s, unless m is a section
//	}
//	// doc.Err: the header has a fault; otherwise it is known
//	for m, s := range doc.Rest() {
//		// read the value ahead of s
//	}
//	// doc.Err: what ended the reading
//
// For that, it skips the sections and comes back to them later. An input that can't seek is held
// from there on, see package spool. Where the header is known at the first section, the document
// is read once.
//
// A [Frame] is what a Reader has around that, with a Document in it. The Reader of perun uses a
// Document itself, because it can read a profile several times, and yields the errors of the header
// in another order. A [Validation] takes the place of the Frame when the document is validated.
package jsondoc

import (
	"io"
	"iter"
	"math/bits"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Set is a set of members of a document.
type Set uint32

// Unknown is a member that the format does not have.
const Unknown Set = 1 << 31

// A Layout says what members a format's documents have.
type Layout struct {
	Names    []string // Names[i] is the name of the member 1<<i
	Header   Set      // the members that are held, within Limits.MaxHeaderBytes
	Needed   Set      // the members of the header that the data depends on
	Sections Set      // the members that hold data

	// Required are members that a document must have: of the sections, one, and members of the header
	// on which nothing depends, which may come late when reading in order. A Frame makes an error
	// about a missing one, with the cause Missing.
	Required Set
	Missing  error

	// Flat says that the values of the header's members hold no arrays or objects, and that Rest is
	// called once. So a document that is in memory is always read once, if it has the Required
	// members. Otherwise a file of 6 KB would take 45% more instructions.
	Flat bool

	// Optional are sections that may never be read. So they are checked when they are skipped. If
	// the document is read once, Rest leaves out the ones before the first other section.
	Optional Set

	// Forgiving says that a duplicate member of an object in a section does not end the reading. One
	// of an object that is a section does.
	Forgiving bool

	// Variable is the variable that a document may be assigned to, in a script, as in "x = {};". If it
	// is empty, the document is JSON alone.
	Variable string

	// Setup configures a new Scanner, such as to allow NaN. It may be nil.
	Setup func(s *jsonscan.Scanner)
}

// NewScanner returns a Scanner of a document with the layout.
func (l *Layout) NewScanner(in io.Reader, name string, limits format.Limits) *jsonscan.Scanner {
	s := jsonscan.New(in, name, limits)
	if l.Setup != nil {
		l.Setup(s)
	}
	return s
}

// Member returns the member that has the name.
func (l *Layout) Member(name []byte) Set {
	for i := range l.Names {
		if l.Names[i] == string(name) {
			return 1 << i
		}
	}
	return Unknown
}

// Name returns the name of a member that the format has.
func (l *Layout) Name(m Set) string { return l.Names[bits.TrailingZeros32(uint32(m))] }

// A Document reads one document.
type Document struct {
	scan    *jsonscan.Scanner
	layout  *Layout
	limit   int64 // of the header's bytes
	inOrder bool

	seen        Set
	unknown     jsonscan.Names
	name        []byte // of the last member
	headerBytes int64
	early       early

	sections []section // to come back to
	first    Set       // the section that the scanner was at after Header, if the document is read once
	onePass  bool
	rest     bool // Rest was called, in one pass
	records  bool // the document is read once if possible
	stopped  bool // by the loop

	validates bool // all sections are read after all other members, even if these have an error
	ended     bool // the end of the object was read
}

// The early members were read from the document's end, before their turn. A member of the same name
// that comes before that end is another one, which was not read: the early one repeats it, or is not
// of the document, as more data follows that.
type early struct {
	members Set
	from    int64 // the offset where the end begins
	bytes   int64 // of headerBytes
}

// A section is a member that was skipped.
type section struct {
	member Set
	at     jsonscan.Bookmark
	end    int64 // its offset
}

// Open makes d read the document that is ahead of s, with the memory that d has. If inOrder, it
// is read once, from its beginning to its end.
func (d *Document) Open(s *jsonscan.Scanner, layout *Layout, limits format.Limits, inOrder bool) {
	d.unknown.Reset()
	*d = Document{
		scan: s, layout: layout, limit: limits.MaxHeaderBytes, inOrder: inOrder,
		unknown: d.unknown, sections: d.sections[:0],
	}
}

// Header iterates over the members of the document, with a Scanner that is before the member's
// value. The loop must read the value, unless the member is a section to which Rest is to come
// back.
//
// If records is set, or the document is read in order, Header ends at a section as soon as
// everything that the section depends on is known. The members of the header that follow the
// section may then come before their turn, if they are near the end of the input. Their Scanner
// is not the document's own and counts no lines. If it fails, the members come again in their
// turn: reading a member twice must give what reading it once gives.
func (d *Document) Header(records bool) iter.Seq2[Set, *jsonscan.Scanner] {
	return func(yield func(Set, *jsonscan.Scanner) bool) {
		s := d.scan
		d.records = records
		if d.layout.Variable != "" {
			s.PassAssignment(d.layout.Variable)
		}
		if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
			s.Fail(s.TypeError("object"))
		}
		s.EnterObject()
		d.walk(yield)
	}
}

// Rest iterates over the sections that Header left unread. If the document is read once, the
// members after the first section follow. The loop reads the value ahead of the Scanner. A
// section after the first that it does not read comes again after all other members.
//
// If the document was not read once, Rest can be called several times, even after an error.
func (d *Document) Rest() iter.Seq2[Set, *jsonscan.Scanner] {
	// It is short enough to be inlined, and then the loop takes no memory of its own.
	return func(yield func(Set, *jsonscan.Scanner) bool) { d.readRest(yield) }
}

func (d *Document) readRest(yield func(Set, *jsonscan.Scanner) bool) {
	s := d.scan
	if d.onePass {
		d.sections, d.records, d.inOrder, d.rest = d.sections[:0], false, false, true
		if !yield(d.first, s) || !d.walk(yield) || s.Err() != nil {
			return
		}
	}

	for i := range d.sections {
		sec := &d.sections[i]
		if i > 0 && s.Err() != nil { // an error before the first section is of an earlier call
			return
		}
		if !s.Return(sec.at) {
			continue
		}
		if !yield(sec.member, s) {
			return
		}
		s.EndAgain(sec.end)
	}
}

// Err returns the error that ended the reading, or nil.
func (d *Document) Err() error { return d.scan.Err() }

// Has reports whether any of the members has been read or skipped.
func (d *Document) Has(m Set) bool { return (d.seen|d.early.members)&m != 0 }

// Name returns the name of the member that was yielded last, until its value is read.
func (d *Document) Name() []byte { return d.name }

// OnePass reports whether the document is read once.
func (d *Document) OnePass() bool { return d.onePass }

// TooLate skips the value ahead, of a member that comes after the section that it applies to, when
// reading in order. It returns an error that says so, unless the value is null.
func TooLate(s *jsonscan.Scanner, section string) *format.Error {
	kind, e := s.Kind(), s.Error("must come before the "+section+" when reading in order")
	e.Severity = format.Recoverable
	if !s.Skip() || kind == jsonscan.Null {
		return nil
	}
	return e
}

// ReadTwice makes Header skip the section ahead, and all later ones, even if everything that they
// depend on is known.
func (d *Document) ReadTwice() { d.records = false }

// walk yields the members that follow, up to a section that can be read now. It returns false if
// the loop stopped.
func (d *Document) walk(yield func(Set, *jsonscan.Scanner) bool) bool {
	s := d.scan
	for !d.stopped {
		m, ok := d.next()
		if !ok {
			break
		}

		at := s.Offset()
		switch {
		case m&d.early.members != 0 && at >= d.early.from:
			s.SkipValueFast() // it was checked
			continue
		case m&d.layout.Header != 0:
			d.yieldHeader(m, s, yield)
			continue
		case m&d.layout.Sections != 0 && d.rest && len(d.sections) > 0:
			d.passOver(m) // to keep the order
			continue
		}

		d.stopped = !yield(m, s)
		if m&d.layout.Sections == 0 || d.stopped || s.Err() != nil || s.Offset() > at {
			continue
		}
		// The loop left the section unread.
		if d.canRead(m, yield) {
			d.first, d.onePass = m, true
			return true
		}
		d.passOver(m)
	}
	d.ended = s.Err() == nil && !d.stopped
	if !d.stopped && !s.End() && len(d.sections) > 0 && !d.validates {
		d.findFirstError()
	}
	return !d.stopped
}

// next reads the next member's name.
func (d *Document) next() (Set, bool) {
	for s := d.scan; ; {
		name, _, ok := s.Member()
		if !ok {
			return 0, false
		}
		m := d.layout.Member(name)
		if m == Unknown && d.unknown.Add(s, name) || m != Unknown && d.seen&m == 0 {
			d.seen |= m
			d.name = name
			return m, true
		}
		if !s.PassRepeated(name) {
			return m, false
		}
	}
}

// yieldHeader yields a member of the header.
func (d *Document) yieldHeader(m Set, s *jsonscan.Scanner, yield func(Set, *jsonscan.Scanner) bool) {
	s.BeginRegion("MaxHeaderBytes", d.limit, d.headerBytes)
	d.stopped = !yield(m, s)
	d.headerBytes = s.EndRegion()
}

// passOver skips the section ahead.
func (d *Document) passOver(m Set) {
	s := d.scan
	sec := section{member: m, at: s.LookAhead()}
	if m&d.layout.Optional != 0 {
		s.Skip()
	} else {
		s.SkipFast()
		d.records = false
	}
	sec.end = s.Offset()
	d.sections = append(d.sections, sec)
	d.onePass = false
}

// findFirstError makes the first error of the document that of the Scanner: skipping a section
// finds few faults.
func (d *Document) findFirstError() {
	s := d.scan
	if d.layout.Forgiving {
		const sectionDepth = 2 // how many arrays and objects are open in a section
		s.ReportRepeated(func(name []byte) {
			if s.Depth() <= sectionDepth {
				s.FailRepeated(name)
			}
		})
	}
	var passed []jsonscan.Bookmark
	for i := range d.sections {
		if d.sections[i].member&d.layout.Optional == 0 { // others were checked
			passed = append(passed, d.sections[i].at)
		}
	}
	s.FirstError(passed...)
}

// canRead reports whether the section ahead can be read now.
func (d *Document) canRead(m Set, yield func(Set, *jsonscan.Scanner) bool) bool {
	l := d.layout
	needed := l.Needed | l.Required&^l.Sections // as a section is ahead
	switch {
	case d.inOrder:
		return true
	case d.validates, m&l.Optional != 0:
		return false
	case d.records && d.found(needed):
		return true
	case d.records && d.scan.CanSeek() && d.readEarly(d.scan.Last(l.Flat), true, yield) && d.found(needed):
		return true
	}
	return l.Flat && d.readEarly(d.scan.After(), false, yield) && d.found(l.Required&^l.Sections)
}

// found reports whether all members have been read.
func (d *Document) found(members Set) bool { return members&^(d.seen|d.early.members) == 0 }

// readEarly yields the members of the header that are ahead of another Scanner than the document's
// own, up to the document's end. It returns false, and the members come again in their turn, if a
// member has a fault or there is no such Scanner. Members that the format does not have, which may
// repeat others, must be allowed.
func (d *Document) readEarly(
	last *jsonscan.Scanner, allowUnknown bool, yield func(Set, *jsonscan.Scanner) bool,
) bool {
	if last == nil {
		return false
	}

	d.headerBytes -= d.early.bytes // they are read again
	d.early = early{}
	found, before, from := d.seen, d.headerBytes, last.Offset()
	for !d.stopped {
		name, _, ok := last.Member()
		if !ok {
			break
		}

		m := d.layout.Member(name)
		switch {
		case m == Unknown && allowUnknown:
			last.Skip()
			continue
		case m == Unknown:
			d.headerBytes = before
			return false
		case found&m != 0:
			last.FailRepeated(name)
		case m&d.layout.Header == 0:
			last.Skip()
		default:
			d.name = name
			d.yieldHeader(m, last, yield)
		}

		found |= m
	}

	if !last.End() {
		d.headerBytes = before
		return false
	}
	d.early = early{found & d.layout.Header &^ d.seen, from, d.headerBytes - before}
	return true
}
