package columns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A cell is a cell of the row, or a member of the object that is the row.
type cell struct {
	name string
	kind jsonscan.Kind // String in CSV and TSV, or None if it is empty
	text []byte        // of a string without quotes and escapes
	at   int           // where it is in the row
	end  int           // in CSV
}

// add adds a cell with the text. Empty cells have no value.
func (r *Reader) add(at int, text []byte) {
	c := cell{kind: jsonscan.String, text: text, at: at}
	if i := len(r.cells); i < len(r.titles) {
		c.name = r.titles[i]
	}
	if len(text) == 0 {
		c.kind = jsonscan.None
	}
	if len(r.cells) <= r.maxColumns() {
		r.cells = append(r.cells, c)
	}
}

// splitTSV splits a line at tabs. A backslash in a cell stays, unless it begins an escape.
func (r *Reader) splitTSV() {
	at := 0
	for text := range bytes.SplitSeq(r.text, []byte("\t")) {
		if bytes.IndexByte(text, '\\') >= 0 {
			r.add(at, []byte(unescapeTSV.Replace(string(text))))
		} else {
			r.add(at, text)
		}
		at += len(text) + 1
	}
}

// The places of a byte in a row of CSV.
type place int

const (
	atStart place = iota // of a cell
	inPlain
	inQuotes
	afterQuotes // after the end of the quotes, or after the first of two quotes
)

// splitCSV splits a row, which is one line, or more if there are line ends within quotes. A quote in a
// cell without quotes, and text after quotes, are faults.
func (r *Reader) splitCSV() *format.Error {
	comma := cmp.Or(r.Comma, ',')

	place, start, quote := atStart, 0, 0 // of the cell, and of its first quote
	for i := 0; ; i++ {
		if i == len(r.text) && place == inQuotes {
			if ok, err := r.nextLine(); err != nil || !ok {
				e := r.fault(quote, "", "quotes without an end")
				e.Err, e.Severity = io.ErrUnexpectedEOF, format.Fatal
				return err
			}
		}

		ends := i == len(r.text)
		switch {
		case !ends && place == inQuotes:
			if r.text[i] == '"' {
				place = afterQuotes
			}
		case ends || r.text[i] == comma:
			if r.cells = append(r.cells, cell{at: start, end: i}); ends {
				r.unquote()
				return nil
			}
			if len(r.cells) > r.maxColumns() {
				return r.limitError(i, "MaxParams", int64(r.limit.MaxParams), "columns for params")
			}
			start, place = i+1, atStart
		case r.text[i] == '"' && place != inPlain:
			if place == atStart {
				quote = i
			}
			place = inQuotes
		case r.text[i] == '"':
			r.fault(i, "", "a quote in a cell that does not begin with one")
			return nil
		case place == afterQuotes:
			r.fault(i, "", fmt.Sprintf("text after quotes: want %q or the end of the row", comma))
			return nil
		default:
			place = inPlain
		}
	}
}

// nextLine appends the next line of the input to the row, with the line end before it. It returns false
// at the end of the input.
func (r *Reader) nextLine() (bool, *format.Error) {
	n := len(r.text)
	end := "\r\n"[2-max(0, int(r.lines.End()-r.offset)-n):]
	if !r.isOwn {
		r.several, r.isOwn = append(r.several[:0], r.text...), true
	}
	line, ok := r.lines.Next()
	r.several = append(append(r.several, end...), line...)
	if r.text = r.several; !ok {
		return false, r.readError()
	}
	if r.lines.TooLong() || int64(len(r.text)) > r.limit.MaxResultBytes {
		return false, r.limitError(n, "MaxResultBytes", r.limit.MaxResultBytes, "bytes in one row")
	}
	return true, nil
}

// unquote sets the texts of the cells of a row of CSV.
func (r *Reader) unquote() {
	cells := r.cells
	r.cells = r.cells[:0]
	for _, c := range cells {
		text := r.text[c.at:c.end]
		if quoted, ok := bytes.CutPrefix(text, []byte(`"`)); ok {
			if text = quoted[:len(quoted)-1]; bytes.IndexByte(text, '"') >= 0 {
				text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
			}
		}
		r.add(c.at, text)
	}
}

// splitJSON makes cells of the members of an object.
func (r *Reader) splitJSON() {
	limits := r.limit
	limits.MaxStringBytes = int(min(limits.MaxResultBytes, 1<<30)) // the ID has all of the params
	s := r.scanner(&r.scan, r.text, limits)
	r.scratch = slices.Grow(r.scratch[:0], len(r.text)) // so that texts in it stay where they are
	if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
		r.fault(int(s.Position().Offset), "", "Invalid type. Expected: object, given: "+kind.String())
		return
	}

	for name, kind := range s.Members() {
		c := cell{name: r.strings.String(name), kind: kind}
		for c.at = int(s.Offset()); c.at < len(r.text) && r.text[c.at] <= ' '; c.at++ {
		}

		switch kind {
		case jsonscan.String:
			text, _ := s.Text()
			start := len(r.scratch)
			r.scratch = append(r.scratch, text...)
			c.text = r.scratch[start:]
		case jsonscan.Null:
			s.Null()
			c.kind = jsonscan.None
		default:
			s.Skip()
			c.text = r.text[min(c.at, int(s.Offset())):s.Offset()]
		}

		if r.cells = append(r.cells, c); len(r.cells) > r.maxColumns() {
			s.FailLimit(s.NameError, "MaxParams", int64(r.limit.MaxParams), "members for params")
		}
	}
	s.End()
	r.scanFault(s, 0, "")
}

// scanner returns a Scanner of a text, in the memory of a Scanner.
func (r *Reader) scanner(s **jsonscan.Scanner, text []byte, limits format.Limits) *jsonscan.Scanner {
	r.source.Reset(text)
	in := struct{ io.Reader }{&r.source} // which cannot seek: it is read once
	if *s == nil {
		*s = jsonscan.New(in, "", limits)
	} else {
		(*s).Reset(in, "", limits)
	}
	return *s
}

// scanFault adds the error of a Scanner, if there is one, whose text is at a place of the row. A
// negative place means that the text of the cell is not in the row unchanged.
func (r *Reader) scanFault(s *jsonscan.Scanner, at int, column string) {
	inner, ok := errors.AsType[*format.Error](s.Err())
	if !ok {
		return
	}
	if at >= 0 {
		at += int(inner.Offset)
	} else {
		at = -at
	}
	e := r.fault(min(at, len(r.text)), strings.Trim(column+"."+inner.Path, "."), inner.Message)
	switch {
	case errors.Is(inner, format.ErrLimit):
		e.Err, e.Severity = inner.Err, format.Fatal
	case !errors.Is(inner, io.ErrUnexpectedEOF):
		e.Err = inner.Err
	}
}
