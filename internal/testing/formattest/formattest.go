// Package formattest has helpers for the tests of several formats: inputs that arrive in different
// ways, records and errors as text, and checks that every Reader and Validate must pass. Only
// tests import it.
package formattest

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"testing"

	"perfdata/format"
)

// Show returns a record as a person would write it: "key=value key=value = 1.5 link->url
// attr:value".
func Show(rec *format.Record) string {
	b := make([]byte, 0, 256) // without package fmt, because the tests of truncation show millions of records
	for _, p := range rec.Params {
		b = append(append(append(append(b, p.Key...), '='), p.Value...), ' ')
	}
	b = append(b, "= "...)
	b = strconv.AppendFloat(b, rec.Value, 'g', -1, 64)
	for _, l := range rec.Links {
		b = append(append(append(append(b, ' '), l.Key...), "->"...), l.Value...)
	}
	for _, a := range rec.Attrs {
		b = append(append(append(append(b, ' '), a.Key...), ':'), a.Value...)
	}
	return string(b)
}

// ShowError returns the text of an error, with the prefix FATAL if it is not recoverable.
func ShowError(err error) string {
	var e *format.Error
	switch {
	case !errors.As(err, &e):
		return fmt.Sprintf("not a *format.Error: %v", err)
	case e.Severity == format.Recoverable:
		return e.Error()
	}
	return "FATAL " + e.Error()
}

// show returns the text of one step of a Reader.
func show(rec *format.Record, err error) string {
	switch {
	case err != nil:
		return ShowError(err)
	case rec.Params.CheckSorted() != nil || rec.Links.CheckSorted() != nil || rec.Attrs.CheckSorted() != nil:
		return "not sorted: " + Show(rec)
	}
	return Show(rec)
}

// All returns the text of everything that a Reader yields. It never returns nil.
func All(r format.Reader) []string {
	return collect(r, func(rec *format.Record, err error) string { return show(rec, err) + wrongID(rec) })
}

// Whole is All with everything that records have, for the comparison of readings.
func Whole(r format.Reader) []string { return collect(r, ShowStep) }

// Meanings is All with the value, unit, direction and commit of each record.
func Meanings(r format.Reader) []string {
	return collect(r, func(rec *format.Record, err error) string {
		if err != nil {
			return ShowError(err)
		}
		return fmt.Sprintf("%v %s %s %s", rec.Value, rec.Unit, rec.Better, rec.Commit)
	})
}

func collect(r format.Reader, text func(*format.Record, error) string) []string {
	all := []string{}
	for rec, err := range r.Records() {
		all = append(all, text(rec, err))
	}
	return all
}

// ShowStep returns the text of one step of a Reader, with everything that the record has.
func ShowStep(rec *format.Record, err error) string {
	if err != nil {
		return show(rec, err)
	}
	return show(rec, nil) + ", unit " + strconv.Quote(rec.Unit) + ", better " + strconv.Quote(rec.Better.String()) +
		", commit " + strconv.Quote(rec.Commit) + ", repetition " + strconv.Itoa(rec.Repetition) +
		", offset " + strconv.FormatInt(rec.Offset, 10) + wrongID(rec)
}

// wrongID returns the fault of the trace ID of a record that a Reader has just yielded, if there
// is one.
func wrongID(rec *format.Record) string {
	if rec != nil {
		id := rec.AppendTraceID(append(make([]byte, 0, 256), 'x'))
		if id[0] != 'x' || string(id[1:]) != rec.Params.ID() {
			return fmt.Sprintf(": wrong trace ID %q", id)
		}
	}
	return ""
}

// First returns the text of the first thing that a Reader yields, and stops reading.
func First(r format.Reader) string {
	for rec, err := range r.Records() {
		return show(rec, err)
	}
	return "nothing"
}

// LastError returns the last error that a Reader yields, if it is the last thing that it yields.
func LastError(r format.Reader) (last error) {
	for _, err := range r.Records() {
		last = err
	}
	return last
}

// AtOffsets returns, for each record, the n bytes of the input at the record's offset.
func AtOffsets(t testing.TB, r format.Reader, in string, n int) []string {
	t.Helper()
	var texts []string
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, in[rec.Offset:rec.Offset+int64(n)])
	}
	return texts
}

// Faults returns the text of everything that a Validate yields. It never returns nil.
func Faults(faults iter.Seq[*format.Error]) []string {
	all := []string{}
	for e := range faults {
		all = append(all, e.Error())
	}
	return all
}

// WriteAll writes records and closes the Writer twice, which is allowed.
func WriteAll(t testing.TB, w format.Writer, recs []format.Record) {
	t.Helper()
	for i := range recs {
		if err := w.Write(&recs[i]); err != nil {
			t.Fatalf("%s: %v", Show(&recs[i]), err)
		}
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
}

// FailingWriter returns an io.Writer that writes nothing and returns err.
func FailingWriter(err error) io.Writer { return failingWriter{err} }

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
