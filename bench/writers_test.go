package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	gojson "github.com/goccy/go-json"
	perf "golang.org/x/perf/benchfmt"

	"perfdata"
	"perfdata/bench/workload"
	"perfdata/benchfmt"
	"perfdata/benchfmt/xperf"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/traceid"
)

const (
	goJSONMarshal   = "go-json Marshal"
	xperfWriter     = "x.perf Writer"
	keyvalAppending = "appending lines"

	converting        = "converting"
	readingTwice      = "perfdata reading twice"               // what every conversion does: a survey, and the writing
	readingAndWriting = "perfdata reading twice, and writing " // the name of a format follows
)

// writers returns the contestants that write the records of a document, and the peers that write
// the same. The output is discarded.
func writers(name string) func(testing.TB, *input) []contestant {
	return func(tb testing.TB, in *input) []contestant {
		doc := in.files[0]
		f, _ := perfdata.FormatNamed(name)
		all := recordWriters(tb, f, doc)
		switch name {
		case "skiav1":
			return append(all, marshaling[workload.SkiaFile](tb, doc))
		case "nanolegacy":
			return append(all, marshaling[workload.NanolegacyFile](tb, doc))
		case "perun":
			return append(all, marshaling[workload.PerunFile](tb, doc))
		case "benchfmt":
			return append(all, resultWriters(tb, doc)...)
		}
		return append(all, iterationWriters(tb, doc)...)
	}
}

// recordWriters returns the contestants that write the records of a document.
//
// Records that were read share the memory of strings that repeat. A program that makes params for
// each record writes strings that are equal, but not the same.
func recordWriters(tb testing.TB, f format.Format, doc []byte) []contestant {
	header, shared := keep(tb, f, doc)
	var apart []*format.Record
	for _, rec := range shared {
		c := *rec
		c.Params, c.Attrs, c.Links = copyStrings(rec.Params), copyStrings(rec.Attrs), copyStrings(rec.Links)
		apart = append(apart, &c)
	}
	writing := func(records []*format.Record) func([]byte) (int, error) {
		return func([]byte) (int, error) { return len(records), write(f, header, records) }
	}
	return []contestant{
		{name: "perfdata Write", run: writing(shared)},
		{name: "perfdata Write, no shared strings", run: writing(apart)},
	}
}

// keep returns the header and a copy of each record.
func keep(tb testing.TB, f format.Format, doc []byte) (header format.Header, records []*format.Record) {
	r := f.Open(nil, bytes.NewReader(doc), format.Options{})
	header, err := r.FileHeader()
	if err == nil {
		records, err = format.Collect(r.Records())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return header, records
}

// write writes records, and discards the output.
func write(f format.Format, header format.Header, records []*format.Record) error {
	w, err := f.NewWriter(io.Discard, header)
	if err != nil {
		return err
	}
	for _, rec := range records {
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	return w.Close()
}

func copyStrings(params traceid.Params) traceid.Params {
	c := params.Clone()
	for i := range c {
		c[i] = traceid.Param{Key: strings.Clone(c[i].Key), Value: strings.Clone(c[i].Value)}
	}
	return c
}

// marshaling returns the contestant that marshals what the document holds.
func marshaling[T any](tb testing.TB, doc []byte) contestant {
	v := new(T)
	if err := gojson.Unmarshal(doc, v); err != nil {
		tb.Fatal(err)
	}
	return contestant{name: goJSONMarshal, run: func([]byte) (int, error) {
		out, err := gojson.Marshal(v)
		if len(out) < len(doc)/4 {
			return 0, fmt.Errorf("%d bytes of output; the document has %d", len(out), len(doc))
		}
		return 0, err
	}}
}

// resultWriters returns the contestants that write results, which are what x/perf's Writer writes.
func resultWriters(tb testing.TB, doc []byte) []contestant {
	r := benchfmt.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		tb.Fatal(err)
	}
	var results []*benchfmt.Result
	var perfResults []*perf.Result
	for res, err := range r.Results() {
		if err != nil {
			tb.Fatal(err)
		}
		results = append(results, res.Clone())
		perfResults = append(perfResults, xperf.Result(res))
	}

	return []contestant{
		{name: "perfdata WriteResult", run: func([]byte) (int, error) {
			w := benchfmt.NewWriter(io.Discard, header)
			for _, res := range results {
				if err := w.WriteResult(res); err != nil {
					return 0, err
				}
			}
			return 0, w.Close()
		}},
		{name: xperfWriter, run: func([]byte) (int, error) {
			w := perf.NewWriter(io.Discard)
			for _, res := range perfResults {
				if err := w.Write(res); err != nil {
					return 0, err
				}
			}
			return 0, nil
		}},
	}
}

// iterationWriters returns the contestants that write iterations, one of them without any check.
func iterationWriters(tb testing.TB, doc []byte) []contestant {
	r := keyval.NewReader(bytes.NewReader(doc))
	header, err := r.Header()
	if err != nil {
		tb.Fatal(err)
	}
	var iterations []*keyval.Iteration
	for it, err := range r.Iterations() {
		if err != nil {
			tb.Fatal(err)
		}
		iterations = append(iterations, it.Clone())
	}

	return []contestant{
		{name: "perfdata WriteIteration", run: func([]byte) (int, error) {
			w := keyval.NewWriter(io.Discard, header)
			for _, it := range iterations {
				if err := w.WriteIteration(it); err != nil {
					return 0, err
				}
			}
			return 0, w.Close()
		}},
		{name: keyvalAppending, run: func([]byte) (int, error) {
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
		}},
	}
}

// converters returns, for each format to convert to, a contestant, and what a conversion cannot
// avoid: to read twice, and to write the same file without converting it.
func converters(name string) func(testing.TB, *input) []contestant {
	return func(tb testing.TB, in *input) []contestant {
		from, _ := perfdata.FormatNamed(name)
		readTwice := func(file []byte) (int, error) {
			if _, err := readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil); err != nil {
				return 0, err
			}
			return readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil)
		}
		all := []contestant{{name: readingTwice, run: readTwice}}

		for _, to := range perfdata.Formats() {
			if to.NewWriter == nil || to.Open == nil {
				continue
			}
			all = append(all, contestant{name: "to " + to.Name, run: func(file []byte) (int, error) {
				return convertFile(io.Discard, file, from, to)
			}})
			reference := readingAndWriting + to.Name
			if !slices.ContainsFunc(targets, func(t target) bool { return t.format == name && t.reference == reference }) {
				continue
			}
			var converted bytes.Buffer
			if _, err := convertFile(&converted, in.files[0], from, to); err != nil {
				tb.Fatal(err)
			}
			header, records := keep(tb, to, converted.Bytes())
			all = append(all, contestant{name: reference, run: func(file []byte) (int, error) {
				if err := write(to, header, records); err != nil {
					return 0, err
				}
				return readTwice(file)
			}})
		}
		return all
	}
}

// convertFile converts a file, and returns how many records it had.
func convertFile(out io.Writer, file []byte, from, to format.Format) (int, error) {
	survey := convert.NewSurvey(to)
	first := from.Open(nil, bytes.NewReader(file), format.Options{})
	header, err := first.FileHeader()
	if err != nil {
		return 0, err
	}
	header.Commit = cmp.Or(header.Commit, "fe4a4029a080bc955e9588d05a6cd9eb490845d4")
	survey.AddHeader(header)
	if _, err := readRecords(first, survey.Add); err != nil {
		return 0, err
	}

	w, err := survey.NewWriter(out)
	if err != nil {
		return 0, err
	}
	n, err := convert.Copy(w, from.Open(nil, bytes.NewReader(file), format.Options{}).Records())
	if err != nil {
		return n, fmt.Errorf("to %s: %w", to.Name, err)
	}
	return n, w.Close()
}
