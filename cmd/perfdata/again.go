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

// checkAgain returns the error for which a second reading doesn't do, if there is one. An error that ended the first
// reading as well isn't.
func (in *input) checkAgain(first, now tally) error {
	changed := func(what string, first, now any) error {
		return fmt.Errorf("%s: changed while it was read: %v %s at first, %v now", in.name, first, what, now)
	}
	switch {
	case now.format != first.format:
		return fmt.Errorf("%s: changed while it was read: its format was %s at first, and is %s now", in.name, first.format, now.format)
	case now.failure != nil && first.failure == nil:
		return readAgain(now.failure)
	case now.records != first.records:
		return changed("measurements", first.records, now.records)
	case now.faults != first.faults:
		return changed("errors", first.faults, now.faults)
	case now.failure == nil && first.failure != nil:
		return fmt.Errorf("%s: changed while it was read: at first that failed", in.name)
	}
	return nil
}

// readAgain returns an error of a second reading.
func readAgain(err error) error { return fmt.Errorf("reading it again: %w", err) }
