package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"perfdata"
	"perfdata/bench/workload"
	"perfdata/convert"
	"perfdata/format"
)

// readingTwice is what every conversion does: a survey of all records, and then the writing.
const readingTwice = "perfdata reading twice"

// The contest of converting, and its reference for the targets.
const (
	converting        = "converting"
	readingAndWriting = "perfdata reading twice, and writing "
)

// conversions returns the contests of converting a document of each format to all others, from
// memory. Their inputs are a quarter of the size.
func conversions() []contest {
	documents := map[string]*workload.Document{
		"skiav1":     workload.NewVariedSkia(workload.Compact),
		"nanolegacy": workload.NewNanolegacy(workload.Compact, false),
		"benchfmt":   workload.NewGoBench(1),
		"keyval":     workload.NewKeyval(),
		"perun":      workload.NewPerunTypes(workload.Python),
	}
	var all []contest
	for _, from := range perfdata.Formats() {
		if from.NewWriter == nil {
			continue // it is only read
		}
		all = append(all, contest{
			from.Name, converting, readingTwice, false, document(documents[from.Name], 0.25),
			func(in *input) ([]contestant, error) { return converters(from, in.files[0]) },
		})
	}
	return all
}

// converters returns a contestant for each format to convert to. For some, it also returns what a
// conversion cannot avoid: to read twice, and to write the same file without converting it.
func converters(from format.Format, file []byte) ([]contestant, error) {
	readTwice := func(file []byte) (int, error) {
		if _, err := readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil); err != nil {
			return 0, err
		}
		return readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil)
	}
	all := []contestant{{name: readingTwice, run: readTwice}}

	for _, to := range perfdata.Formats() {
		if to.NewWriter == nil {
			continue // it is only read
		}
		all = append(all, contestant{name: "to " + to.Name, run: func(file []byte) (int, error) {
			return convertFile(io.Discard, file, from, to)
		}})

		name := readingAndWriting + to.Name
		if !slices.ContainsFunc(targets, func(t target) bool { return t.format == from.Name && t.reference == name }) {
			continue
		}
		write, err := writingAgain(from, to, file)
		if err != nil {
			return nil, err
		}
		all = append(all, contestant{name: name, run: func(file []byte) (int, error) {
			if err := write(); err != nil {
				return 0, err
			}
			return readTwice(file)
		}})
	}
	return all, nil
}

// writingAgain returns a function that writes the records of a converted file.
func writingAgain(from, to format.Format, file []byte) (write func() error, err error) {
	var out bytes.Buffer
	if _, err := convertFile(&out, file, from, to); err != nil {
		return nil, err
	}
	r := to.Open(nil, &out, format.Options{})
	header, err := r.FileHeader()
	if err != nil {
		return nil, err
	}
	records, err := keep(r, (*format.Record).Clone)
	return func() error {
		w, err := to.NewWriter(io.Discard, header)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if err := w.Write(rec); err != nil {
				return err
			}
		}
		return w.Close()
	}, err
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
	second := from.Open(nil, bytes.NewReader(file), format.Options{})
	n, err := convert.Copy(w, second.Records())
	if err != nil {
		return n, fmt.Errorf("to %s: %w", to.Name, err)
	}
	return n, w.Close()
}
