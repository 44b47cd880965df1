// Package skiadoc has what the readers, validators and writers of both formats of Skia Perf
// share. A document is an object. One of its members holds the results; all others are the
// header, which applies to all results, wherever its members are.
//
// Files: document.go reads the header first, validator.go is the common part of both validators,
// and writer.go has the checks of both writers.
package skiadoc

import (
	"fmt"
	"io"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// Members is a set of members of the document.
type Members uint

const (
	Results Members = 1 << iota // the member that holds the results
	Unknown                     // a member that is not part of the format
	Own                         // the first of a format's own members; each of the others is twice the one before
)

// A Format has the differences between the formats.
type Format struct {
	Member  func(name []byte) Members // that has the name; Unknown if none has
	Results jsonscan.Kind             // Array or Object
	Other   string                    // what an error says if the results are the other one of these kinds
	Needed  Members                   // what records depend on
	Late    Members                   // what is not too late after the results

	// IsNumber reports whether s is at the value of a measurement. There, NaN and similar words
	// don't end the reading.
	IsNumber func(s *jsonscan.Scanner) bool
}

// newScanner returns a Scanner of a document of the format.
func (f *Format) newScanner(in io.Reader, name string, limits format.Limits) *jsonscan.Scanner {
	s := jsonscan.New(in, name, limits)
	s.ForgiveNaN(func() bool { return f.IsNumber(s) })
	return s
}

// PairCost is charged for a pair of strings in a key, links or options, in addition to its text:
// about the memory that it takes.
const PairCost = 64

// NaNMessage is the message of an error about NaN, or a similar word, in place of a number.
func NaNMessage(given []byte) string { return fmt.Sprintf("%s is not a JSON number", given) }

// A Document reads a document with a header of type H. It decides what is read when; the format's
// Reader reads the values.
type Document[H any] struct {
	Format Format
	In     io.Reader
	Name   string
	Limits format.Limits // with their defaults
	// InOrder reads the document once, from its beginning to its end. What comes too late is an
	// error.
	InOrder bool

	// ReadMember reads the value ahead, of a member other than the results, into Header.
	ReadMember func(m Members)
	// Check checks the header and prepares for the results. If members may follow the results,
	// complete is false, and Check is called again at the end.
	Check func(complete bool) error

	Scan   *jsonscan.Scanner // nil before first use; a Scanner of the document's end while Document looks at that
	Header H
	err    error // of the header

	// General reads everything without the fast path, for tests that compare the two.
	General bool

	// Forward means that the results are read when they are reached, not skimmed first.
	Forward bool

	seen        Members
	early       Members // read from the document's end, before the results
	headerBytes int64
	unknown     jsonscan.Names

	hasResults bool              // there are some to read
	results    jsonscan.Bookmark // of the results
	resultsEnd int64             // offset of the end of the results
	hurry      bool              // records are wanted: go forward if all that they depend on is known
	used       bool
}

// Has reports whether the member is known.
func (d *Document[H]) Has(m Members) bool { return (d.seen|d.early)&m != 0 }

// Open reads the document up to the results, or all of it if the header may continue after them.
// Each call returns the same error.
func (d *Document[H]) Open() error {
	if d.Scan == nil {
		d.Scan = d.Format.newScanner(d.In, d.Name, d.Limits)
		if d.General {
			d.Scan.DisableFastPath()
		}
		if d.err = d.readHeader(); d.err != nil {
			d.Scan.Close() // a caller that fails to get the header may not call Close
		}
	}
	return d.err
}

// Close releases what Open may have kept of an input that can't seek.
func (d *Document[H]) Close() error {
	if d.Scan == nil {
		return nil
	}
	return d.Scan.Close()
}

// Walk reads the document. If it has results, Walk calls results when they are ahead. It calls
// fault for every error. It stops when either function returns false.
func (d *Document[H]) Walk(results func() bool, fault func(error) bool) {
	if d.used {
		fault(&format.Error{Name: d.Name, Position: format.Position{Line: 1, Column: 1}, Message: "the file was read already"})
		return
	}
	d.used = true
	defer d.Close()
	d.hurry = true // has no effect if the document is open already
	if err := d.Open(); err != nil {
		fault(err)
		return
	}

	s := d.Scan
	if d.hasResults && (d.Forward || s.Return(d.results)) {
		if !results() {
			return
		}
		if !d.Forward {
			s.EndAgain(d.resultsEnd)
		} else if s.Err() == nil && !d.readTail(fault) {
			return
		}
	}
	if err := s.Err(); err != nil {
		fault(err)
	}
}

// nextMember reads the next member's name.
func (d *Document[H]) nextMember() (Members, bool) {
	s := d.Scan
	name, _, ok := s.Member()
	if !ok {
		return 0, false
	}
	m := d.Format.Member(name)
	if m == Unknown && !d.unknown.Add(s, name) || m != Unknown && d.seen&m != 0 {
		return m, s.FailRepeated(name)
	}
	d.seen |= m
	return m, true
}

func (d *Document[H]) readHeader() error {
	s := d.Scan
	if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
		s.Fail(s.TypeError("object"))
	}
	for s.EnterObject(); ; {
		m, ok := d.nextMember()
		if !ok {
			break
		}
		if m != Results {
			d.readMember(m)
		} else if d.beginResults() && d.Forward {
			return d.Check(!d.InOrder)
		}
	}
	s.End()

	switch {
	case s.Err() == nil:
		return d.Check(true)
	case d.hasResults:
		return s.FirstError(d.results)
	}
	return s.Err()
}

// readMember reads the value of a member other than the results.
func (d *Document[H]) readMember(m Members) {
	s := d.Scan
	if m == Unknown || d.early&m != 0 {
		s.Skip()
		return
	}
	s.BeginRegion("MaxHeaderBytes", d.Limits.MaxHeaderBytes, d.headerBytes)
	d.ReadMember(m)
	d.headerBytes = s.EndRegion()
}

// beginResults decides whether the results, which are ahead, can be read now, and passes over
// them if not. It returns whether there are any.
func (d *Document[H]) beginResults() bool {
	s := d.Scan
	switch kind := s.Kind(); kind {
	case d.Format.Results:
	case jsonscan.Null:
		s.Null()
		return false
	default:
		e := s.TypeError(d.Format.Results.String())
		if kind == jsonscan.Object || kind == jsonscan.Array {
			e.Message += "; " + d.Format.Other
		}
		s.Fail(e)
		return false
	}

	d.hasResults = true
	if d.Forward = d.InOrder || d.hurry && d.knowsHeader(); !d.Forward {
		d.results = s.LookPast()
		d.resultsEnd = s.Offset()
	}
	return true
}

// knowsHeader reports whether all members that records depend on are known. It looks at the
// members after the results if they are near the end of the input.
func (d *Document[H]) knowsHeader() bool {
	needed := d.Format.Needed
	if d.seen&needed == needed {
		return d.Scan.CanSeek()
	}
	before := *d // restored unless all is well
	ok := d.Scan.PeekLast(func(last *jsonscan.Scanner) {
		d.Scan, d.unknown = last, jsonscan.Names{}
		for {
			m, ok := d.nextMember()
			if !ok {
				break
			}
			d.readMember(m)
		}
	})
	after := *d
	*d = before
	if !ok || after.seen&needed != needed {
		return false // a fault will be found again, with its position
	}
	d.Header, d.headerBytes, d.early = after.Header, after.headerBytes, after.seen&^d.seen
	return true
}

// readTail reads what follows the results, going forward. It returns false if fault does.
func (d *Document[H]) readTail(fault func(error) bool) bool {
	s := d.Scan
	for {
		m, ok := d.nextMember()
		if !ok {
			break
		}
		if m&(Unknown|d.Format.Late) != 0 || !d.InOrder {
			d.readMember(m)
			continue
		}

		kind := s.Kind()
		e := s.Error("it comes after the results, too late to count when reading in order")
		e.Recoverable = true
		if s.Skip() && kind != jsonscan.Null && !fault(e) {
			return false
		}
	}
	if s.End() && d.InOrder {
		if e, ok := d.Check(true).(*format.Error); ok {
			s.Fail(e)
		}
	}
	return true
}

// Fault returns an error about the header, which has the given cause.
func (d *Document[H]) Fault(path, message string, cause error) error {
	e := d.Scan.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message)
	e.Err = cause
	return e
}

// CheckBranch returns an error with the given cause if the file's params name a branch that is
// not wanted. If wanted is empty, every branch is wanted.
func (d *Document[H]) CheckBranch(key traceid.Params, wanted []string, cause error) error {
	branch, ok := key.Get("branch")
	if !ok || len(wanted) == 0 || slices.Contains(wanted, branch) {
		return nil
	}
	return d.Fault("key.branch", fmt.Sprintf("%q is not one of the branches %q", branch, wanted), cause)
}
