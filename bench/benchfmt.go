package main

import (
	"bytes"
	"fmt"
	"io"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/bench/workload"
	"perfdata/benchfmt"
	"perfdata/benchfmt/xperf"
	"perfdata/format"
)

// xperfReader is the contestant with which readers of Go benchmark data are compared.
const xperfReader = "x.perf Reader"

// goBenchReaders returns the readers of Go benchmark data, for documents with the given number of
// records.
func goBenchReaders(records int) []contestant {
	var id []byte
	return []contestant{
		{name: "perfdata Records", read: func(doc []byte) error { return readGoBench(doc, records, nil) }},
		{name: "perfdata Records with ids", read: func(doc []byte) error {
			return readGoBench(doc, records, func(rec *format.Record) { id = rec.Params.AppendID(id[:0]) })
		}},

		{name: "perfdata Results", read: func(doc []byte) error {
			n := 0
			for res, err := range benchfmt.NewReader(bytes.NewReader(doc)).Results() {
				if err != nil {
					return err
				}
				n += len(res.Values)
			}
			return wantRecords(n, records)
		}},

		{name: xperfReader, read: func(doc []byte) error {
			n := 0
			r := perf.NewReader(bytes.NewReader(doc), "")
			for r.Scan() {
				res, ok := r.Result().(*perf.Result)
				if !ok {
					return fmt.Errorf("no result: %v", r.Result())
				}
				n += len(res.Values)
			}
			if err := r.Err(); err != nil {
				return err
			}
			return wantRecords(n, records)
		}},
		{name: "bufio.Scanner", read: func(doc []byte) error { return scanLines(doc, records/4) }},
	}
}

func wantRecords(got, want int) error {
	if got != want {
		return fmt.Errorf("%d records, want %d", got, want)
	}
	return nil
}

func readGoBench(doc []byte, records int, each func(*format.Record)) error {
	n, sum := 0, 0.0
	for rec, err := range benchfmt.NewReader(bytes.NewReader(doc)).Records() {
		if err != nil {
			return err
		}
		n++
		sum += rec.Value
		if each != nil {
			each(rec)
		}
	}
	if !(sum > 0) {
		return fmt.Errorf("the records add up to %v", sum)
	}
	return wantRecords(n, records)
}

// xperfWriter is the contestant with which the writers are compared.
const xperfWriter = "x.perf Writer"

// goBenchWriters returns the writers of Go benchmark data. Each gets its input, which was read
// from the document before, and discards its output except for the number of bytes.
func goBenchWriters(d *workload.Document) ([]contestant, error) {
	const kept = 1000 // results in memory, which are written repeatedly
	var records []*format.Record
	var results []*benchfmt.Result
	var perfResults []*perf.Result

	small := d.WithResults(min(d.Results(), kept)).Bytes()
	for rec, err := range benchfmt.NewReader(bytes.NewReader(small)).Records() {
		if err != nil {
			return nil, err
		}
		records = append(records, rec.Clone())
	}
	for res, err := range benchfmt.NewReader(bytes.NewReader(small)).Results() {
		if err != nil {
			return nil, err
		}
		results = append(results, xperf.From(xperf.Result(res)))
		perfResults = append(perfResults, xperf.Result(res))
	}

	header, err := benchfmt.NewReader(bytes.NewReader(small)).Header()
	if err != nil {
		return nil, err
	}
	rounds := max(1, d.Results()/kept)

	return []contestant{
		{name: "perfdata WriteResult", read: func([]byte) error {
			w := benchfmt.NewWriter(io.Discard, header)
			return errOr(writeRounds(rounds, results, w.WriteResult), w.Close)
		}},
		{name: "perfdata Write", read: func([]byte) error {
			w := benchfmt.NewWriter(io.Discard, header)
			return errOr(writeRounds(rounds, records, w.Write), w.Close)
		}},
		{name: xperfWriter, read: func([]byte) error {
			w := perf.NewWriter(io.Discard)
			return writeRounds(rounds, perfResults, func(res *perf.Result) error { return w.Write(res) })
		}},
	}, nil
}

func writeRounds[T any](rounds int, all []T, write func(T) error) error {
	for range rounds {
		for _, x := range all {
			if err := write(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// errOr returns err or, if it is nil, the error of do.
func errOr(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}
