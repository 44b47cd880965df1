package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/columns"
	"perfdata/store"
)

// isStore reports whether a name is that of a database: the URL of one, or a file of SQLite.
func isStore(name string) bool {
	if name == "-" {
		return false
	}
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
func (r *reading) checkNoReading() error {
	for _, flag := range []struct {
		name  string
		isSet bool
	}{
		{"from", r.format != ""}, {"param", len(r.params) > 0}, {"commit", r.commit != ""}, {"promote", len(r.promote) > 0},
		{"set", len(r.settings) > 0}, {"samples", r.samples},
	} {
		if flag.isSet {
			return fmt.Errorf("--%s is about files, and not about a store, which has read them", flag.name)
		}
	}
	return nil
}

// eachFileOrStore calls doFile with each file, as eachInput does, and doStore with the name of each
// store and the store, whose charset is that of the tool meanwhile. It returns an error of doStore.
func (t *tool) eachFileOrStore(
	names []string, doFile func(*input), doStore func(name string, s *store.Store) error,
) error {
	for len(names) > 0 {
		files := slices.IndexFunc(names, isStore)
		switch files {
		case 0:
			if err := t.openStored(names[0], doStore); err != nil {
				return err
			}
			names = names[1:]
			continue
		case -1:
			files = len(names)
		}
		if _, err := t.eachInput(names[:files], doFile); err != nil {
			return err
		}
		names = names[files:]
	}
	return nil
}

// openStored calls do with a store that is an input.
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

// A storeReader reads the measurements of the mainline of a store, as a Reader reads a file. It
// has no header: each record has its commit and links.
type storeReader struct{ *store.Store }

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

// matching iterates over the measurements that match.
func (t *tool) matching(all iter.Seq2[*store.Measurement, error]) iter.Seq2[*store.Measurement, error] {
	return func(yield func(*store.Measurement, error) bool) {
		for m, err := range all {
			selected := err != nil
			if err == nil {
				selected, err = t.matches(&m.Record)
			}
			if (selected || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// printMeasurements prints measurements of a store as a table, and reports whether there are any.
func (t *tool) printMeasurements(
	s *store.Store, all iter.Seq2[*store.Measurement, error], flags *tableFlags,
) (found bool, err error) {
	if flags.form == textForm {
		return t.printPoints(all)
	}
	to, err := t.newTable(flags)
	if err != nil {
		return false, err
	}
	found, err = t.printStored(s, all, to)
	return found, errors.Join(err, to.Close())
}

// printStored writes measurements of a store to a table, and reports whether there are any.
func (t *tool) printStored(s *store.Store, all iter.Seq2[*store.Measurement, error], to table) (found bool, err error) {
	var row columns.Row
	var trace []byte
	for m, err := range all {
		if err != nil {
			return found, err
		}
		if !found {
			t.note("%v", m.Order)
		}
		found = true
		trace = append(trace[:0], m.Trace...)
		row.FillPlaced(&m.Record, s.Charset(), trace, m.Point.N)
		row.File = m.File
		if err := to.Write(&row); err != nil {
			return found, err
		}
	}
	return found, nil
}

// printPoints prints a line for each measurement, for people, and reports whether there are any.
func (t *tool) printPoints(all iter.Seq2[*store.Measurement, error]) (found bool, err error) {
	var line []byte
	for m, err := range all {
		if err != nil {
			return found, err
		}
		if !found {
			t.note("%v", m.Order)
		}
		found = true
		line = fmt.Appendf(line[:0], "%s\t%s\t%d\t", m.Trace, commitText(m.Point.Commit, m.Point.Run), m.Point.N)
		line = append(appendValue(line, m.Point.Value), '\n')
		if _, err := t.data.Write(line); err != nil {
			return found, err
		}
	}
	return found, nil
}
