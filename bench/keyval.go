package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"perfdata/keyval"
)

// keyvalYardstick is the contestant with which readers of keyvals are compared: it finds the
// lines, and does nothing with them.
const keyvalYardstick = "bufio.Scanner"

// keyvalContestants returns the readers of Autotest perf keyvals, for documents with the given
// number of records.
func keyvalContestants(records int) []contestant {
	return []contestant{
		{name: "perfdata", read: func(doc []byte) error { return readKeyvals(doc, records) }},
		{name: keyvalYardstick, read: func(doc []byte) error { return scanLines(doc, records) }},
		{name: "maps", read: func(doc []byte) error { return readKeyvalsIntoMaps(doc, records) }},
	}
}

// readKeyvals reads all records of a document, with all params and attrs, and adds up their
// values. It is an error if their number differs from the given one.
func readKeyvals(doc []byte, records int) error {
	n, sum := 0, 0.0
	for rec, err := range keyval.NewReader(bytes.NewReader(doc)).Records() {
		if err != nil {
			return err
		}
		n++
		sum += rec.Value
	}
	return checkKeyvals(n, sum, records)
}

func checkKeyvals(n int, sum float64, records int) error {
	if n != records || !(sum > 0) {
		return fmt.Errorf("%d records that add up to %v, want %d", n, sum, records)
	}
	return nil
}

// scanLines finds the lines, which every reader of lines has to do. It is an error if there are
// fewer than the given number.
func scanLines(doc []byte, atLeast int) error {
	lines := bufio.NewScanner(bytes.NewReader(doc))
	n := 0
	for lines.Scan() {
		if len(lines.Bytes()) > 0 {
			n++
		}
	}
	if n < atLeast {
		return fmt.Errorf("%d lines, want %d", n, atLeast)
	}
	return lines.Err()
}

// readKeyvalsIntoMaps does what the reference does, in Go: an iteration becomes two maps.
func readKeyvalsIntoMaps(doc []byte, records int) error {
	n, sum := 0, 0.0
	attrs, perf := map[string]string{}, map[string]float64{}
	iterations := 0
	end := func() {
		iterations++
		for _, value := range perf {
			n++
			sum += value
		}
		attrs, perf = map[string]string{}, map[string]float64{}
	}

	lines := bufio.NewScanner(bytes.NewReader(doc))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			end()
			continue
		}

		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return fmt.Errorf("line %q", line)
		}
		if name, ok := strings.CutSuffix(key, "{attr}"); ok {
			attrs[name] = value
			continue
		}
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		perf[strings.TrimSuffix(key, "{perf}")] = f
	}

	if len(attrs)+len(perf) > 0 {
		end()
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return checkKeyvals(n, sum, records)
}
