package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/skiav1"
)

// A mode is a way to read an input with this library.
type mode struct {
	name    string
	inOrder bool // Reader.InOrder
	seeks   bool // the input is seekable
}

var (
	inOrder     = mode{name: "InOrder", inOrder: true}
	defaultMode = mode{name: "default", seeks: true}
	spooled     = mode{name: "default unseekable"}
)

// modes lists all modes.
var modes = []mode{inOrder, defaultMode, spooled}

// name returns the name of this library as a contestant.
func (m mode) contestant() string { return "perfdata " + m.name }

// withIDs is the contestant that also makes trace IDs.
const withIDs = "perfdata InOrder with ids"

// skiaContestants returns the readers of the Skia Perf format, version 1, for documents with the
// given number of records.
func skiaContestants(records int) []contestant {
	var all []contestant
	for _, m := range modes {
		all = append(all, contestant{name: m.contestant(), read: func(doc []byte) error {
			in := io.Reader(bytes.NewReader(doc))
			if !m.seeks {
				in = struct{ io.Reader }{in}
			}
			return readSkia(in, m, records, nil)
		}})
	}
	var id []byte
	all = append(all, contestant{name: withIDs, read: func(doc []byte) error {
		return readSkia(bytes.NewReader(doc), inOrder, records, func(rec *format.Record) {
			id = rec.Params.AppendID(id[:0])
		})
	}})
	return append(all, jsonPeers[workload.SkiaFile]()...)
}

// readSkia reads all records of a document, adds up their values and passes them to each, if it is
// not nil. It is an error if their number differs from the given one.
func readSkia(in io.Reader, m mode, records int, each func(*format.Record)) error {
	r := skiav1.NewReader(in)
	r.InOrder = m.inOrder
	n, late, sum := 0, 0, 0.0
	for rec, err := range r.Records() {
		if err != nil {
			// The links come after the results, too late for reading in order.
			if e, ok := errors.AsType[*format.Error](err); ok && e.Recoverable && e.Path == "links" && m.inOrder && late == 0 {
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
