package main

import (
	"errors"
	"fmt"

	"perfdata/format"
)

// Some commands read their files more than once: first for what the measurements have in common, say, then to convert them. A
// file can change meanwhile, or can't be read any more, and then what was learned from it doesn't hold. So a second reading
// must come to the same as the first; if it doesn't, the command fails, whatever it has printed by then.

// A tally is what a reading of an input comes to.
type tally struct {
	format          string
	records, faults int   // faults are errors that leave out something
	failure         error // that ended the reading
}

// readRecords calls do with each measurement of the input, and report with each error that is recoverable. It stops at the
// first error of do.
func (in *input) readRecords(do func(*format.Record) error, report func(error)) (tally, error) {
	r, err := in.open()
	if err != nil {
		return tally{format: in.info.Name, failure: err}, nil
	}
	defer r.Close()
	return in.tallyRecords(r, do, report)
}

func (in *input) tallyRecords(r format.Reader, do func(*format.Record) error, report func(error)) (tally, error) {
	n := tally{format: in.info.Name}
	for rec, err := range r.Records() {
		switch {
		case err == nil:
			n.records++
			if err := do(rec); err != nil {
				return n, err
			}
		case isRecoverable(err):
			n.faults++
			report(err)
		default:
			n.failure = err
		}
	}
	return n, nil
}

func isRecoverable(err error) bool {
	e, ok := errors.AsType[*format.Error](err)
	return ok && e.Recoverable
}

// readRecordsAgain is readRecords for a second reading, which must come to the same as the first. An error that ended both is in
// the tally.
func (in *input) readRecordsAgain(first tally, do func(*format.Record) error, report func(error)) (tally, error) {
	if in.info.Name != first.format {
		return tally{}, in.changed("its format was %s at first, and is %s now", first.format, in.info.Name)
	}
	now, err := in.readRecords(do, report)
	switch {
	case err != nil:
		return now, err
	case now.failure != nil && first.failure == nil:
		return now, readAgain(now.failure)
	case now.records != first.records:
		return now, in.changed("%d measurements at first, %d now", first.records, now.records)
	case now.faults != first.faults:
		return now, in.changed("%d errors at first, %d now", first.faults, now.faults)
	case now.failure == nil && first.failure != nil:
		return now, in.changed("at first, it could not be read to its end")
	}
	return now, nil
}

// changed returns the error about a file that another reading found changed.
func (in *input) changed(how string, args ...any) error {
	return fmt.Errorf("%s: changed while it was read: %w", in.name, fmt.Errorf(how, args...))
}

// readAgain returns an error of a second reading.
func readAgain(err error) error { return fmt.Errorf("reading it again: %w", err) }
