package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"perfdata"
	"perfdata/bench/workload"
	"perfdata/convert"
	"perfdata/format"
)

// readingTwice is what every conversion does: a survey of all records, and then the writing.
const readingTwice = "perfdata reading twice"

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
			from.Name, "converting", readingTwice, false,
			document(documents[from.Name], 0.25), always(func() []contestant { return converters(from) }),
		})
	}
	return all
}

// converters returns a contestant for each format to convert to.
func converters(from format.Format) []contestant {
	all := []contestant{{name: readingTwice, run: func(file []byte) (int, error) {
		if _, err := readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil); err != nil {
			return 0, err
		}
		return readRecords(from.Open(nil, bytes.NewReader(file), format.Options{}), nil)
	}}}

	for _, to := range perfdata.Formats() {
		if to.NewWriter == nil {
			continue // it is only read
		}
		all = append(all, contestant{name: "to " + to.Name, run: func(file []byte) (int, error) {
			return convertFile(io.Discard, file, from, to)
		}})
	}
	return all
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
