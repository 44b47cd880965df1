package skiadoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// A Grammar is what the grammars of both formats share. With a Validation, a grammar reports
// everything that is wrong, and reads on. Without one, as in a Reader, an error about the header
// fails the Scanner, and any other is returned.
type Grammar struct {
	Limits     format.Limits
	Strings    buffer.Strings
	Validation *Validation // nil in a Reader

	// PairsName is what an error calls the pairs of strings in the file.
	PairsName string
}

// SetText sets the string to the text. Most texts are equal to the string already.
func (g *Grammar) SetText(s *string, text []byte) {
	if *s != string(text) {
		*s = g.Strings.String(text)
	}
}

// Absent reports whether the value ahead is null, which is treated as absent, and reads it. In
// validation, null is a value of another type than expected, and Absent returns false.
func (g *Grammar) Absent(s *jsonscan.Scanner, kind jsonscan.Kind) bool {
	if kind != jsonscan.Null || g.Validation != nil {
		return false
	}
	s.Null()
	return true
}

// WrongType returns an error about the value ahead, which has another type than expected, and skips
// it.
func (g *Grammar) WrongType(s *jsonscan.Scanner, expected string) *format.Error {
	if v := g.Validation; v != nil {
		v.WrongType(s, expected)
		return nil
	}
	return s.SkipTypeError(expected)
}

// wrongHeader is WrongType for a value of the header.
func (g *Grammar) wrongHeader(s *jsonscan.Scanner, expected string) {
	if v := g.Validation; v != nil {
		v.WrongType(s, expected)
	} else {
		s.Fail(s.TypeError(expected))
	}
}

// WarnName gives a warning, in validation, if the name that was just read, which becomes a key or
// value, changes in trace IDs.
func (g *Grammar) WarnName(s *jsonscan.Scanner, name string) {
	if g.Validation != nil {
		g.Validation.warn(name, s.NameError)
	}
}

// WarnText is WarnName for a string that was just read.
func (g *Grammar) WarnText(s *jsonscan.Scanner, text string) {
	if g.Validation != nil {
		g.Validation.warn(text, s.TokenError)
	}
}

// CheckResults checks the kind of the results, which are ahead.
func (g *Grammar) CheckResults(s *jsonscan.Scanner, f *Format) {
	kind := s.Kind()
	if kind == f.Results || g.Absent(s, kind) {
		return
	}
	if g.Validation != nil {
		g.wrongHeader(s, f.Results.String())
		return
	}
	e := s.TypeError(f.Results.String())
	if kind == jsonscan.Object || kind == jsonscan.Array {
		e.Message += "; " + f.Other
	}
	s.Fail(e)
}

// ReadMember reads the value of the member of the header that has the name.
func (g *Grammar) ReadMember(s *jsonscan.Scanner, members []Member, name string) {
	m := &members[slices.IndexFunc(members, func(m Member) bool { return m.Name == name })]
	switch kind := s.Kind(); {
	case g.Absent(s, kind):
	case m.Text == nil:
		pairs, _ := g.ReadPairs(s, nil, inHeader, m.AreParams)
		slices.SortFunc(pairs, func(a, b traceid.Param) int { return cmp.Compare(a.Key, b.Key) })
		*m.Pairs = pairs
	case kind != jsonscan.String:
		g.wrongHeader(s, "string")
		*m.Text = ""
	default:
		text, _ := s.Text()
		*m.Text = g.Strings.New(text)
	}
}

// inHeader is the field of pairs of the header, which are not bound.
const inHeader = -1

// PairCost is charged for a pair of strings in a key, links or options, in addition to its text:
// about the memory that it takes.
const PairCost = 64

// ReadPairs reads an object whose values are strings. It appends the pairs to dst, in the order of
// the file, and binds the values to the field. The fault is the first about a value of another
// type. Validation gives warnings about params.
func (g *Grammar) ReadPairs(
	s *jsonscan.Scanner, dst []traceid.Param, field int, params bool,
) (pairs []traceid.Param, fault *format.Error) {
	wrong := func(expected string) {
		if field == inHeader {
			g.wrongHeader(s, expected)
		} else if e := g.WrongType(s, expected); fault == nil {
			fault = e
		}
	}
	if s.Kind() != jsonscan.Object {
		wrong("object")
		return dst, fault
	}

	first := len(dst)
	if dst == nil {
		dst = make([]traceid.Param, 0, 8) // a key, links or options usually have fewer
	}
	for name, kind := range s.Members() {
		if g.Absent(s, kind) {
			continue
		}
		if !s.Charge(PairCost) {
			break
		}

		p := traceid.Param{Key: g.Strings.String(name)}
		if params {
			g.WarnName(s, p.Key)
		}
		if kind != jsonscan.String {
			wrong("string")
			continue
		}

		text, ok := s.Text()
		if !ok {
			break
		}

		p.Value = g.Strings.String(text)
		s.Bind(forms.Tag{Field: field, Index: len(dst)}, 0)
		if params {
			g.WarnText(s, p.Value)
		}
		if len(dst)-first >= g.Limits.MaxParams {
			s.FailLimit(s.TokenError, "MaxParams", int64(g.Limits.MaxParams), g.PairsName)
			break
		}
		dst = append(dst, p)
	}
	return dst, fault
}

// A NumberKind says what a number is for.
type NumberKind bool

const (
	Measured NumberKind = true  // Skia Perf stores it in a float32
	Sampled  NumberKind = false // it must be in the range of float64
)

// SkipNaN skips a NaN, or a similar word, in place of a number, and returns the error about it. It
// reports whether it was ahead.
func (g *Grammar) SkipNaN(s *jsonscan.Scanner) (skipped bool, fault *format.Error) {
	if !s.SkipNaN() {
		return false, nil
	}
	if v := g.Validation; v != nil && !v.Listing() {
		return true, nil
	}
	return true, g.report(s.TokenError(fmt.Sprintf("%s is not a JSON number", s.Token())))
}

// ReadNumber reads the value ahead, which must be a number. It returns false, and usually an error,
// if it is not, or if the number is out of range. Validation also reports a Measured number that is
// out of the range of float32, and takes it for one.
func (g *Grammar) ReadNumber(
	s *jsonscan.Scanner, kind jsonscan.Kind, is NumberKind,
) (f float64, ok bool, fault *format.Error) {
	if kind != jsonscan.Number {
		return 0, false, g.WrongType(s, "number")
	}
	if f, ok = s.Number(); !ok {
		return 0, false, nil
	}
	switch v := g.Validation; {
	case v != nil && is == Measured:
		v.checkRange(s, f)
	case math.IsInf(f, 0):
		return f, false, g.OutOfRange(s)
	}
	return f, true, nil
}

// OutOfRange returns an error about the number that was just read, which no float64 holds.
func (g *Grammar) OutOfRange(s *jsonscan.Scanner) *format.Error {
	if v := g.Validation; v != nil && !v.Listing() {
		return nil
	}
	return g.report(s.TokenError("the number is out of float64's range"))
}

// report returns the error, or in validation, adds it and returns nil.
func (g *Grammar) report(e *format.Error) *format.Error {
	if g.Validation == nil {
		return e
	}
	g.Validation.Add(e)
	return nil
}
