package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	gojson "github.com/goccy/go-json"
	perf "golang.org/x/perf/benchfmt"

	"perfdata/bench/workload"
	"perfdata/benchfmt"
	"perfdata/benchfmt/xperf"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
	"perfdata/traceid"
)

const (
	goJSONMarshal   = "go-json Marshal"
	xperfWriter     = "x.perf Writer"
	keyvalAppending = "appending lines"
)

// writers returns the contests of the writers. Their inputs are a quarter of the size, because all
// records are in memory. The output is discarded.
func writers() []contest {
	type contestants = func(*input) ([]contestant, error)
	writing := func(format, yardstick string, d *workload.Document, all contestants) contest {
		return contest{format, writing, yardstick, false, document(d, 0.25), all}
	}
	return []contest{
		writing("skiav1", goJSONMarshal, workload.NewVariedSkia(workload.Compact), skiaWriters),
		writing("nanolegacy", goJSONMarshal, workload.NewNanolegacy(workload.Compact, false), nanolegacyWriters),
		writing("benchfmt", xperfWriter, workload.NewGoBench(1), goBenchWriters),
		writing("keyval", keyvalAppending, workload.NewKeyval(), keyvalWriters),
		writing("perun", goJSONMarshal, workload.NewPerunTypes(workload.Compact), perunWriters),
	}
}

// recordWriters returns the contestants that write the records of r. newWriter returns a Writer
// with the header of r.
//
// Records that were read share the memory of strings that repeat. A program that makes params for
// each record writes strings that are equal, but not the same.
func recordWriters(r format.Reader, newWriter func(io.Writer) format.Writer) ([]contestant, error) {
	shared, err := keep(r, (*format.Record).Clone)
	if err != nil {
		return nil, err
	}
	var apart []*format.Record
	for _, rec := range shared {
		c := *rec
		c.Params, c.Attrs, c.Links = copyStrings(rec.Params), copyStrings(rec.Attrs), copyStrings(rec.Links)
		apart = append(apart, &c)
	}

	write := func(records []*format.Record) func([]byte) (int, error) {
		return func([]byte) (int, error) {
			w := newWriter(io.Discard)
			for _, rec := range records {
				if err := w.Write(rec); err != nil {
					return 0, err
				}
			}
			return len(records), w.Close()
		}
	}
	return []contestant{
		{name: "perfdata Write", run: write(shared)},
		{name: "perfdata Write, no shared strings", run: write(apart)},
	}, nil
}

// keep returns a copy of each record.
func keep(r format.Reader, clone func(*format.Record) *format.Record) (records []*format.Record, err error) {
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		records = append(records, clone(rec))
	}
	return records, nil
}

func copyStrings(params traceid.Params) traceid.Params {
	c := params.Clone()
	for i := range c {
		c[i] = traceid.Param{Key: strings.Clone(c[i].Key), Value: strings.Clone(c[i].Value)}
	}
	return c
}

// marshaling returns the contestant that marshals what the document holds.
func marshaling[T any](doc []byte) (contestant, error) {
	v := new(T)
	err := gojson.Unmarshal(doc, v)
	return contestant{name: goJSONMarshal, run: func([]byte) (int, error) {
		out, err := gojson.Marshal(v)
		if len(out) < len(doc)/2 {
			return 0, fmt.Errorf("%d bytes of output; the document has %d", len(out), len(doc))
		}
		return 0, err
	}}, err
}

// joined returns the contestants of both.
func joined(all []contestant, err error, one contestant, oneErr error) ([]contestant, error) {
	if err != nil {
		return nil, err
	}
	return append(all, one), oneErr
}

func skiaWriters(in *input) ([]contestant, error) {
	doc := in.files[0]
	r := skiav1.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	all, err := recordWriters(r, func(out io.Writer) format.Writer { return skiav1.NewWriter(out, header) })
	peer, peerErr := marshaling[workload.SkiaFile](doc)
	return joined(all, err, peer, peerErr)
}

func nanolegacyWriters(in *input) ([]contestant, error) {
	doc := in.files[0]
	r := nanolegacy.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	all, err := recordWriters(r, func(out io.Writer) format.Writer { return nanolegacy.NewWriter(out, header) })
	peer, peerErr := marshaling[workload.NanolegacyFile](doc)
	return joined(all, err, peer, peerErr)
}

func perunWriters(in *input) ([]contestant, error) {
	doc := in.files[0]
	r := perun.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	all, err := recordWriters(r, func(out io.Writer) format.Writer { return perun.NewWriter(out, header) })
	peer, peerErr := marshaling[workload.PerunFile](doc)
	return joined(all, err, peer, peerErr)
}

// goBenchWriters also writes results, which are what x/perf's Writer writes.
func goBenchWriters(in *input) ([]contestant, error) {
	doc := in.files[0]
	r := benchfmt.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		return nil, err
	}

	all, err := recordWriters(r, func(out io.Writer) format.Writer { return benchfmt.NewWriter(out, header) })
	if err != nil {
		return nil, err
	}

	var results []*benchfmt.Result
	var perfResults []*perf.Result
	for res, err := range benchfmt.NewReader(bytes.NewReader(doc)).Results() {
		if err != nil {
			return nil, err
		}
		results = append(results, res.Clone())
		perfResults = append(perfResults, xperf.Result(res))
	}

	return append(all,
		contestant{name: "perfdata WriteResult", run: func([]byte) (int, error) {
			w := benchfmt.NewWriter(io.Discard, header)
			for _, res := range results {
				if err := w.WriteResult(res); err != nil {
					return 0, err
				}
			}
			return 0, w.Close()
		}},

		contestant{name: xperfWriter, run: func([]byte) (int, error) {
			w := perf.NewWriter(io.Discard)
			for _, res := range perfResults {
				if err := w.Write(res); err != nil {
					return 0, err
				}
			}
			return 0, nil
		}}), nil
}

// keyvalWriters compares with a program that appends lines without any check.
func keyvalWriters(in *input) ([]contestant, error) {
	doc := in.files[0]
	r := keyval.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		return nil, err
	}

	all, err := recordWriters(r, func(out io.Writer) format.Writer { return keyval.NewWriter(out, header) })
	if err != nil {
		return nil, err
	}

	var iterations []*keyval.Iteration
	for it, err := range keyval.NewReader(bytes.NewReader(doc)).Iterations() {
		if err != nil {
			return nil, err
		}
		iterations = append(iterations, it.Clone())
	}

	return append(all,
		contestant{name: "perfdata WriteIteration", run: func([]byte) (int, error) {
			w := keyval.NewWriter(io.Discard, header)
			for _, it := range iterations {
				if err := w.WriteIteration(it); err != nil {
					return 0, err
				}
			}
			return 0, w.Close()
		}},

		contestant{name: keyvalAppending, run: func([]byte) (int, error) {
			w := bufio.NewWriter(io.Discard)
			for _, it := range iterations {
				b := w.AvailableBuffer()
				for _, attr := range it.Attr {
					b = append(append(append(append(b, attr.Key...), "{attr}="...), attr.Value...), '\n')
				}
				for _, perf := range it.Perf {
					b = append(append(b, perf.Key...), "{perf}="...)
					b = append(strconv.AppendFloat(b, perf.Value, 'g', -1, 64), '\n')
				}
				if _, err := w.Write(append(b, '\n')); err != nil {
					return 0, err
				}
			}
			return 0, w.Flush()
		}}), nil
}
