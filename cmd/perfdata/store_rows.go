package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/store"
	"perfdata/traceid"
)

// isStore reports whether a name is the URL of a database, or names a file of SQLite.
func isStore(name string) bool {
	if name == "-" {
		return false
	}
	// Another URL is the name of a file that does not exist, and the error says so.
	if strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://") {
		return true
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false // do not read a pipe
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	var start [len(magic)]byte
	_, err = io.ReadFull(f, start[:])
	return err == nil && string(start[:]) == magic
}

// openStored calls do with a store that is an input. Queries of --match that were made in another
// charset are made again in the store's charset.
func (t *tool) openStored(name string, do func(name string, s *store.Store) error) error {
	name = inputName(name)
	// A flag without an effect would look as if it had one.
	if flag := t.reading.given; flag != "" {
		return fmt.Errorf("%s: --%s is about files, and not about a store, which has read them", name, flag)
	}
	return t.withStore(name, false, func(_ context.Context, s *store.Store) error {
		before := t.charset
		t.setCharset(s.Charset())
		defer t.setCharset(before)
		return do(name, s)
	})
}

// A storeReader reads measurements of a store, as a Reader reads a file. It has no header: each
// record has its commit and links. So the commands that read records need not know stores.
type storeReader struct {
	all iter.Seq2[*store.Measurement, error]
	at  *store.Measurement // that the current record belongs to: it has what only a store knows
}

// FileHeader returns an empty header.
func (r *storeReader) FileHeader() (format.Header, error) { return format.Header{}, nil }
func (r *storeReader) Close() error                       { return nil }

func (r *storeReader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		for m, err := range r.all {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.at = m; !yield(&m.Record, nil) {
				return
			}
		}
	}
}

// printStored writes the selected measurements to a table, or prints a line for each if there is no
// table. It reports whether there are any. Params that are not part of the identity change the
// number of a repetition: then those of a series are numbered in the order of the rows.
func (t *tool) printStored(
	ctx context.Context, s *store.Store, q *traceid.Query, selected store.Range, to rowFunc, flags *tableFlags,
) (found bool, err error) {
	commits, _, err := s.Commits(ctx, selected.Trial)
	if err != nil {
		return false, err
	}
	places := make(map[[2]string]columns.Place, len(commits)) // by the commit, or the run of those without one
	for i := range commits {
		c := &commits[i]
		at := columns.Place{Listed: c.Position + 1}
		if c.Name != "" {
			at.Time = c.Time
		}
		places[[2]string{c.Name, c.Run}] = at
	}

	placer := flags.newPlacer(t)
	placer.Charset = s.Charset()
	r := &storeReader{all: s.Measurements(ctx, q, selected)}

	var row columns.Row
	var trace, line []byte
	numbered := true
	for rec, err := range t.matching(r.Records()) {
		if err != nil {
			return found, err
		}
		// Before the first row, because the order is what people look for first.
		m := r.at
		if !found {
			t.note("%v", m.Order)
		}
		found = true

		if len(flags.ignored) == 0 {
			trace = append(trace[:0], m.Trace...)
			row.FillPlaced(rec, placer.Charset, trace, m.Point.N)
		} else if err := row.Fill(placer, rec); err != nil && numbered {
			numbered = false
			t.reportNotNumbered(m.File, rec, err)
		}
		row.Place, row.File = places[[2]string{m.Point.Commit, m.Point.Run}], m.File

		// The line has only what people look for in a trace. Scripts take another form.
		if to != nil {
			err = to(&row)
		} else {
			line = fmt.Appendf(line[:0], "%s\t%s\t%d\t", row.Trace, commitText(m.Point.Commit, m.Point.Run), row.N)
			line = append(appendValue(line, m.Point.Value), '\n')
			_, err = t.data.Write(line)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}
