package convert_test

import (
	"io"
	"testing"

	"perfdata/convert"
	"perfdata/format"
	"perfdata/traceid"
)

// all writes everything.
type all struct{ records []*format.Record }

func (a *all) Write(rec *format.Record) error {
	a.records = append(a.records, rec.Clone())
	return nil
}

func (a *all) Close() error { return nil }

// A format that holds everything loses nothing.
func TestPlainKeeps(t *testing.T) {
	var out all
	s := convert.NewSurvey(format.Format{
		Name:      "all",
		NewWriter: func(io.Writer, format.Header) (format.Writer, error) { return &out, nil },
	})
	rec := &format.Record{
		Params: traceid.Of("name", "a"), Value: 1, Attrs: traceid.Of("a", "b"), Links: traceid.Of("l", "u"),
	}
	s.Add(rec)
	w, err := s.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if losses := w.Losses(); len(losses) > 0 {
		t.Errorf("%v", losses)
	}
	if n := len(out.records); n != 1 || len(out.records[0].Links) != 1 || len(out.records[0].Attrs) != 1 {
		t.Errorf("%d records: %+v", n, out.records)
	}
}
