package jsondoc

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Validation takes what a grammar reports when it validates. It lists the errors of the header, or
// of one part of a section, until they are yielded in the order of the file.
type Validation struct {
	Unit string // what an error calls a part of a section; empty if all errors are listed together

	found []*format.Error
	bytes int // about how much memory they take
}

// A Validated is a Content whose grammar reports to a Validation.
type Validated interface {
	Content

	// CheckMembers reports the members that the document lacks. The errors are made by at.
	CheckMembers(has func(Set) bool, at func(message string) *format.Error)

	// ReadSection reads the section ahead, and calls flush after each part. If flush returns false,
	// ReadSection returns false immediately.
	ReadSection(s *jsonscan.Scanner, m Set, flush func() bool) bool
}

// Validate reads the document to its end and yields everything that c reports to v, in the order of the
// file, then the error that ends the reading. The header may come after the sections.
func (f *Frame) Validate(v *Validation, c Validated, yield func(*format.Error) bool) {
	s, d := f.Scanner(c), &f.doc
	defer f.Close()
	s.ReportRepeated(func(name []byte) {
		if v.Listing() {
			v.Add(s.RepeatedError(name))
		}
	})
	d.validates = true
	limit := f.validateHeader(v, c)
	s.DisableFastPath() // members that are read by comparing text are not reported

	header, fatal := v.Take(), d.Err()
	before := func(offset int64) bool {
		for len(header) > 0 && header[0].Offset < offset {
			if !yield(header[0]) {
				return false
			}
			header = header[1:]
		}
		return true
	}
	flush := func() bool { return !slices.ContainsFunc(v.Take(), func(e *format.Error) bool { return !yield(e) }) }

	read := false
	for m, s := range d.Rest() {
		if read = true; !before(s.Offset()) {
			return
		}
		if limit != nil {
			s.Fail(limit)
		}
		if !c.ReadSection(s, m, flush) || !flush() {
			return
		}
	}

	if err := d.Err(); err != nil {
		fatal = err
		if read {
			header = nil // the rest comes after the error
		}
	}
	if !before(math.MaxInt64) {
		return
	}
	if e, ok := errors.AsType[*format.Error](fatal); ok {
		yield(e)
	}
}

// validateHeader reads the document except the sections. It returns an error about a limit that applies
// to these.
func (f *Frame) validateHeader(v *Validation, c Validated) (limit *format.Error) {
	s := f.scan
	start := s.Position()
	if s.Kind() != jsonscan.Object {
		v.WrongType(s, "object")
		s.End()
		return nil
	}
	f.readMembers(c, false)
	if f.doc.ended {
		c.CheckMembers(f.doc.Has, func(message string) *format.Error { return s.ErrorAt(start, "(root)", message) })
	}
	e, ok := errors.AsType[*format.Error](c.CheckHeader(s))
	if ok && errors.Is(e, format.ErrLimit) {
		return e
	}
	if ok {
		v.Add(e)
	}
	return nil
}

// WrongType reports that the value ahead has another type than expected, and skips the value.
func (v *Validation) WrongType(s *jsonscan.Scanner, expected string) {
	if !v.Listing() {
		s.Skip()
	} else if e := s.SkipTypeError(expected); s.Err() == nil {
		v.Add(e)
	}
}

// AddWarning adds a warning.
func (v *Validation) AddWarning(e *format.Error) {
	e.Severity, e.Err = format.Warning, nil
	v.Add(e)
}

// MaxFound is the largest number of errors that are listed of the header, or of one part of a
// section, if they take less than maxFoundBytes.
const (
	MaxFound      = 10_000
	maxFoundBytes = 4 << 20
	errorBytes    = 160 // about how much memory an error takes, without its texts
)

// Listing reports whether another error would be listed. If not, the caller should not make it:
// that takes longer than reading the faulty value.
func (v *Validation) Listing() bool { return len(v.found) <= MaxFound && v.bytes <= maxFoundBytes }

// Add adds an error.
func (v *Validation) Add(e *format.Error) {
	if !v.Listing() {
		return
	}
	v.bytes += errorBytes + len(e.Path) + len(e.Message)
	where := ""
	if v.Unit != "" {
		where = " in the header, or in one " + v.Unit
	}
	switch {
	case len(v.found) == MaxFound:
		e.Message = fmt.Sprintf("more than %d errors%s: the rest are not listed", MaxFound, where)
	case v.bytes > maxFoundBytes:
		e.Message = fmt.Sprintf("too many errors with long names%s: the rest are not listed", where)
	}
	e.Path = cmp.Or(e.Path, "(root)")
	v.found = append(v.found, e)
}

// Take returns the errors that were found, in the order of the file, and forgets them.
func (v *Validation) Take() []*format.Error {
	found := v.found
	v.found, v.bytes = nil, 0
	slices.SortStableFunc(found, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
	return found
}
