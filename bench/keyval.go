package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"perfdata/keyval"
)

// keyvalYardstick is the contestant with which readers of keyvals are compared: it finds the
// lines, and does nothing with them.
const keyvalYardstick = "bufio.Scanner"

// keyvalContestants returns the readers of Autotest perf keyvals.
func keyvalContestants() []contestant {
	all := readers(newKeyvalReader, []way{{}, {ids: true}, {reset: true}})
	return append(all,
		contestant{name: keyvalYardstick, run: scanLines},
		contestant{name: "maps", run: readKeyvalsIntoMaps})
}

func newKeyvalReader(in io.Reader, _ way) resetter { return keyval.NewReader(in) }

// scanLines finds the lines, which every reader of lines has to do.
func scanLines(file []byte) (int, error) {
	lines := bufio.NewScanner(bytes.NewReader(file))
	n := 0
	for lines.Scan() {
		n += len(lines.Bytes())
	}
	if n == 0 {
		return 0, fmt.Errorf("no lines")
	}
	return 0, lines.Err()
}

// readKeyvalsIntoMaps does what the reference does, in Go: an iteration becomes two maps.
func readKeyvalsIntoMaps(file []byte) (records int, err error) {
	attrs, perf := map[string]string{}, map[string]float64{}
	end := func() {
		records += len(perf)
		attrs, perf = map[string]string{}, map[string]float64{}
	}

	lines := bufio.NewScanner(bytes.NewReader(file))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			end()
			continue
		}

		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return 0, fmt.Errorf("line %q", line)
		}
		if name, ok := strings.CutSuffix(key, "{attr}"); ok {
			attrs[name] = value
			continue
		}

		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, err
		}
		perf[strings.TrimSuffix(key, "{perf}")] = f
	}
	end()
	return records, lines.Err()
}
