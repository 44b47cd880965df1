package main

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"math"
	"os"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// A spool keeps the measurements of one file in a temporary file. It is an ingest.Sink, and its
// own Batch.
type spool struct {
	file *os.File
	out  *bufio.Writer
	enc  *gob.Encoder
	row  row   // has what all measurements of the file share; the issue and patchset after Commit
	err  error // of the temporary file
}

// A spooled is a row in the temporary file. Its value is the bits of a float64, because gob drops
// the sign of -0.
type spooled struct {
	Row   row
	Value uint64
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "perfdata-beam-*")
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(file)
	return &spool{file: file, out: out, enc: gob.NewEncoder(out)}, nil
}

func (s *spool) close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }

func (s *spool) Begin(_ context.Context, src ingest.Source) (ingest.Batch, error) {
	if !utf8.ValidString(src.Path) {
		return nil, errors.New("the path is not UTF-8") // Parquet and JSON cannot hold it
	}
	s.row.Measurement.Path = src.Path
	if !src.Hour.IsZero() {
		s.row.Measurement.Hour = src.Hour.Format(hourLayout)
	}
	return s, nil
}

func (s *spool) WantsSHA256() bool { return false }

func (s *spool) Add(at *series.Point) error {
	r, rec := s.row, at.Record
	r.Place.Trace, r.Place.Commit = string(at.Trace), at.Commit
	if at.Commit == "" {
		r.Place.Run = r.Measurement.Path
	}
	m := &r.Measurement
	m.N, m.Unit, m.Better, m.Offset = int64(at.N), rec.Unit, rec.Better.String(), rec.Offset
	m.Params, m.Attrs, m.Links = rec.Params, rec.Attrs, rec.Links
	s.err = s.enc.Encode(spooled{r, math.Float64bits(rec.Value)})
	return s.err
}

func (s *spool) Commit(h format.Header, _ ingest.Content) error {
	s.row.Place.Issue, s.row.Place.Patchset = h.Issue, h.Patchset
	s.err = s.out.Flush()
	return s.err
}

func (s *spool) Rollback() error { return nil } // the caller closes the spool

// each emits the measurements.
func (s *spool) each(emit func(place, measurement)) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	dec := gob.NewDecoder(bufio.NewReader(s.file))
	for {
		var r spooled
		err := dec.Decode(&r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.Row.Place.Issue, r.Row.Place.Patchset = s.row.Place.Issue, s.row.Place.Patchset
		r.Row.Measurement.Value = math.Float64frombits(r.Value)
		emit(r.Row.Place, r.Row.Measurement)
	}
}
