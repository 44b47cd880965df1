package main

import (
	"bytes"
	"fmt"
	"io"

	gojson "github.com/goccy/go-json"

	"perfdata/bench/workload"
	"perfdata/perun"
)

// perunContestants returns the readers of Perun profiles, for documents with the given number of
// records.
func perunContestants(records int) []contestant {
	var all []contestant
	for _, m := range []mode{defaultMode, spooled} {
		all = append(all, contestant{name: m.contestant(), read: func(doc []byte) error {
			in := io.Reader(bytes.NewReader(doc))
			if !m.seeks {
				in = struct{ io.Reader }{in}
			}
			return readPerun(in, records)
		}})
	}
	all = append(all, jsonPeers[workload.PerunFile]()...)
	return append(all, contestant{name: goJSON + " of any fields", read: func(doc []byte) error {
		return gojson.Unmarshal(doc, new(workload.PerunAnyFile))
	}})
}

// readPerun reads all records of a document and adds up their values. It is an error if their
// number differs from the given one.
func readPerun(in io.Reader, records int) error {
	n, sum := 0, 0.0
	for rec, err := range perun.NewReader(in).Records() {
		if err != nil {
			return err
		}
		n++
		sum += rec.Value
	}
	if n != records || !(sum > 0) {
		return fmt.Errorf("%d records that add up to %v, want %d", n, sum, records)
	}
	return nil
}
