package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/opening"
)

// Some commands read their files more than once, for example first to find what the measurements
// have in common, and then to convert them. Meanwhile a file can change or become unreadable, and
// the first result is not valid any more. So a second pass must have the same fingerprint as the
// first; otherwise the command fails, even if it has already printed something.

// A fingerprint is what two passes over an input must have in common.
type fingerprint struct {
	format          string
	records, faults int   // faults are recoverable errors
	failure         error // the error that ended the reading
	stamp           opening.Stamp
	content         uint64 // of the records of a folder or store, which has no stamp
}

// readWithFingerprint calls do with each measurement of an open input, and report with each
// recoverable error. It stops at the first error of do.
func (in *input) readWithFingerprint(
	r format.Reader, do func(*format.Record) error, report func(error),
) (fingerprint, error) {
	n := fingerprint{format: in.info.Name, stamp: in.stamp}
	for rec, err := range in.records(r) {
		switch {
		case err == nil:
			n.records++
			if in.folder != "" || in.stored != nil {
				n.addContent(rec)
			}
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

// contentSeed is of the hashes of records, which this process compares.
var contentSeed = maphash.MakeSeed()

// addContent adds a record to the content. The order of the records matters: a writer of a second
// pass relies on it.
func (n *fingerprint) addContent(rec *format.Record) {
	text := rec.Params.AppendID(nil)
	text = binary.LittleEndian.AppendUint64(text, math.Float64bits(rec.Value))
	text = rec.Attrs.AppendID(text)
	n.content = n.content*31 + maphash.Bytes(contentSeed, text)
}

// isRecoverable reports whether the reading goes on after an error.
func isRecoverable(err error) bool {
	e, ok := errors.AsType[*format.Error](err)
	return ok && e.Severity == format.Recoverable
}

// compare returns an error if the second pass had another outcome than the first. Two passes
// that end with a failure are the same.
func (in *input) compare(first, now fingerprint) error {
	switch {
	case now.failure != nil && first.failure == nil:
		return secondPassError(now.failure)
	case now.records != first.records:
		return in.changed("had %s, now has %d", message.Plural(first.records, "measurement"), now.records)
	case now.faults != first.faults:
		return in.changed("had %s, now has %d", message.Plural(first.faults, "error"), now.faults)
	// A file that ends with an error may be one that is being written, and the first pass saw only
	// a part.
	case now.failure == nil && first.failure != nil:
		return in.changed("could not be read to its end, now can")
	case !first.stamp.Same(now.stamp) || now.content != first.content:
		return in.changed("it was written to")
	}
	return nil
}

// changed returns the error about a file that changed between two readings.
func (in *input) changed(how string, args ...any) error {
	return fmt.Errorf("%s: changed during reading: %w", in.name, fmt.Errorf(how, args...))
}

// secondPassError returns an error of a second pass.
func secondPassError(err error) error { return fmt.Errorf("reading again: %w", err) }
