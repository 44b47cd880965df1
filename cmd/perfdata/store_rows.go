package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/series"
	"perfdata/store"
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

// checkNoReading returns an error for the flags that say how files are read: a store has read them.
// A flag without an effect would look as if it had one.
func (r *reading) checkNoReading() error {
	for _, flag := range []struct {
		name  string
		isSet bool
	}{
		{"from", r.format != ""}, {"param", len(r.params) > 0}, {"commit", r.commit != ""},
		{"promote", len(r.promote) > 0}, {"set", len(r.settings) > 0}, {"samples", r.samples},
	} {
		if flag.isSet {
			return fmt.Errorf("--%s is about files, and not about a store, which has read them", flag.name)
		}
	}
	return nil
}

// openStored calls do with a store that is an input. Queries of --match that were made in another
// charset are made again in the store's charset.
func (t *tool) openStored(name string, do func(name string, s *store.Store) error) error {
	name = inputName(name)
	if err := t.reading.checkNoReading(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.withStore(name, false, func(_ context.Context, s *store.Store) error {
		before := t.charset
		t.setCharset(s.Charset())
		defer t.setCharset(before)
		return do(name, s)
	})
}

// A storeReader reads the measurements of the mainline of a store, as a Reader reads a file. It has
// no header: each record has its commit and links. So the commands that read records need not know
// stores.
type storeReader struct{ *store.Store }

// FileHeader returns an empty header.
func (r storeReader) FileHeader() (format.Header, error) { return format.Header{}, nil }
func (r storeReader) Close() error                       { return nil }

func (r storeReader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		for m, err := range measurementsOf(r.Store) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&m.Record, nil) {
				return
			}
		}
	}
}

// measurementsOf iterates over the measurements of the mainline of a store.
func measurementsOf(s *store.Store) iter.Seq2[*store.Measurement, error] {
	return s.Measurements(context.Background(), nil, store.Range{})
}

// matchingIn iterates over the measurements of a store that match.
func (t *tool) matchingIn(
	all iter.Seq2[*store.Measurement, error], flags *tableFlags,
) iter.Seq2[*store.Measurement, error] {
	return matching(t, all, func(m *store.Measurement) *format.Record { return &m.Record }, &flags.named)
}

// A storeRows makes rows of the measurements of a trial in a store.
type storeRows struct {
	*store.Store
	placer *series.Placer              // nil if the places are the store's
	places map[commitKey]columns.Place // of commits
	row    columns.Row
	trace  []byte
}

// A commitKey is a commit, or the run of measurements that name none.
type commitKey struct{ name, run string }

// storeRows returns what makes rows of the measurements of a trial. If params are not part of the
// identity, the repetitions of the series without them are numbered in the order of the rows.
func (t *tool) storeRows(s *store.Store, trial store.Trial, flags *tableFlags) (*storeRows, error) {
	commits, _, err := s.Commits(context.Background(), trial)
	if err != nil {
		return nil, err
	}
	r := &storeRows{Store: s, places: make(map[commitKey]columns.Place, len(commits))}
	for i := range commits {
		c := &commits[i]
		at := columns.Place{Listed: c.Position + 1}
		if c.Name != "" {
			at.Time = c.Time
		}
		r.places[commitKey{c.Name, c.Run}] = at
	}
	if len(flags.ignored) > 0 {
		r.placer = flags.newPlacer(t)
		r.placer.Charset = s.Charset()
	}
	return r, nil
}

// next makes r.row of a measurement. The row is complete except for its number if there is an error.
func (r *storeRows) next(m *store.Measurement) (err error) {
	if r.placer == nil {
		r.trace = append(r.trace[:0], m.Trace...)
		r.row.FillPlaced(&m.Record, r.Charset(), r.trace, m.Point.N)
	} else if err = r.row.Fill(r.placer, &m.Record); err != nil {
		err = fmt.Errorf("%s: repetitions are not numbered from offset %d on: %w", m.File, m.Record.Offset, err)
	}
	r.row.Place, r.row.File = r.places[commitKey{m.Point.Commit, m.Point.Run}], m.File
	return err
}

// eachStored calls do with the row of each measurement, and reports whether there are any.
func (t *tool) eachStored(
	r *storeRows, all iter.Seq2[*store.Measurement, error], do func(*store.Measurement, *columns.Row) error,
) (found bool, err error) {
	// The same error would come for each of the rest, so it is reported once.
	numbered := true
	for m, err := range all {
		if err != nil {
			return found, err
		}
		// Before the first row, because the order is what people look for first.
		if !found {
			t.note("%v", m.Order)
		}
		found = true
		if err := r.next(m); err != nil && numbered {
			numbered = false
			t.report(err)
		}
		if err := do(m, &r.row); err != nil {
			return found, err
		}
	}
	return found, nil
}

// printMeasurements prints measurements of a store as a table, and reports whether there are any.
func (t *tool) printMeasurements(
	r *storeRows, all iter.Seq2[*store.Measurement, error], flags *tableFlags,
) (found bool, err error) {
	if flags.form == textForm {
		return t.printPoints(r, all)
	}
	to, err := t.newTable(flags)
	if err != nil {
		return false, err
	}
	found, err = t.printStored(r, all, to)
	return found, errors.Join(err, to.Close())
}

// printStored writes measurements of a store to a table, and reports whether there are any.
func (t *tool) printStored(r *storeRows, all iter.Seq2[*store.Measurement, error], to table) (found bool, err error) {
	return t.eachStored(r, all, func(_ *store.Measurement, row *columns.Row) error { return to.Write(row) })
}

// printPoints prints a line for each measurement, for people, and reports whether there are any.
func (t *tool) printPoints(r *storeRows, all iter.Seq2[*store.Measurement, error]) (found bool, err error) {
	var line []byte
	return t.eachStored(r, all, func(m *store.Measurement, row *columns.Row) error {
		// The line has only what people look for in a trace. Scripts take another form.
		line = fmt.Appendf(line[:0], "%s\t%s\t%d\t", row.Trace, commitText(m.Point.Commit, m.Point.Run), row.N)
		line = append(appendValue(line, m.Point.Value), '\n')
		_, err := t.data.Write(line)
		return err
	})
}
