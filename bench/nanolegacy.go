package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/nanolegacy"
)

// nanolegacyContestants returns the readers of the Skia Perf legacy format, for documents with the
// given number of records.
func nanolegacyContestants(records int) []contestant {
	var all []contestant
	for _, m := range modes {
		all = append(all, contestant{name: m.contestant(), read: func(doc []byte) error {
			in := io.Reader(bytes.NewReader(doc))
			if !m.seeks {
				in = struct{ io.Reader }{in}
			}
			return readNanolegacy(in, m, records, false, nil)
		}})
	}
	var id []byte
	all = append(all,
		contestant{name: "perfdata InOrder, options as params", read: func(doc []byte) error {
			return readNanolegacy(bytes.NewReader(doc), inOrder, records, true, nil)
		}},
		contestant{name: withIDs, read: func(doc []byte) error {
			return readNanolegacy(bytes.NewReader(doc), inOrder, records, false, func(rec *format.Record) {
				id = rec.Params.AppendID(id[:0])
			})
		}})
	return append(all, jsonPeers[workload.NanolegacyFile]()...)
}

// readNanolegacy reads all records of a document, adds up their values and passes them to each, if
// it is not nil. It is an error if their number differs from the given one.
func readNanolegacy(in io.Reader, m mode, records int, optionsAsParams bool, each func(*format.Record)) error {
	r := nanolegacy.NewReader(in)
	r.InOrder, r.OptionsAsParams = m.inOrder, optionsAsParams
	n, late, sum := 0, 0, 0.0
	for rec, err := range r.Records() {
		if err != nil {
			// The source comes after the results, too late for reading in order.
			if e, ok := errors.AsType[*format.Error](err); ok && e.Recoverable && e.Path == "source" && m.inOrder && late == 0 {
				late++
				continue
			}
			return err
		}
		n++
		sum += rec.Value
		if each != nil {
			each(rec)
		}
	}
	if n != records || !(sum > 0) {
		return fmt.Errorf("%d records that add up to %v, want %d", n, sum, records)
	}
	return nil
}
