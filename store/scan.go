package store

import (
	"fmt"
	"maps"
	"slices"
)

// maxScanned is the number of blocks up to which a question for all traces reads whole blocks: the
// blocks of a commit, or of two.
const maxScanned = 2

// eachRows calls each with chunks of the traces that a search finds, by name, with their rows.
func (v *viewer) eachRows(s *search, each func([]traceRows) error) error {
	if isWide := s.id == "" && len(s.filters) == 0; isWide && v.limit == 0 && !v.newest && len(v.blocks) <= maxScanned {
		traces, ok, err := v.scan(s)
		for chunk := range slices.Chunk(traces, maxAtOnce) {
			if err = each(chunk); err != nil {
				return err
			}
		}
		if err != nil || ok {
			return err
		}
	}

	found := false
	err := v.eachTraces(s, func(chunk []traceRow) error {
		rows, err := v.measurements(chunk)
		if err != nil {
			return err
		}
		found = found || len(rows) > 0
		return each(rows)
	})
	if err == nil && s.id != "" && !found {
		err = &inputError{fmt.Sprintf("trace %.500q has no value", s.id), ErrUnknownTrace}
	}
	return err
}

// What a row and its trace take in memory, in bytes, in addition to what loadTraces counts. By
// default, 100,000 traces with a value each, and names of 50 bytes, fit.
const (
	rowMemory   = 72
	traceMemory = 32
)

// scan returns the traces that a search finds, by name, with their rows. It reads all row groups of
// the selected commits, and sorts in memory. It returns false if they take too much of that.
//
// The names of a chunk of traces are in many groups, of which others have traces that come later.
// So a question for all traces by chunks would read each row group up to 64 times.
func (v *viewer) scan(s *search) (all []traceRows, ok bool, err error) {
	byTrace := make(map[int64][]measurement)
	size, err := v.readMeasurements(nil, v.blocks, byTrace, v.maxScan)
	if err != nil || size > v.maxScan {
		return nil, false, err
	}
	traces, ok, err := v.loadTraces(s, slices.Sorted(maps.Keys(byTrace)), size)
	if err != nil || !ok {
		return nil, false, err
	}
	for _, t := range traces {
		rows, err := v.winners(byTrace[t.id])
		if err != nil {
			return nil, false, err
		}
		all = append(all, traceRows{t, rows})
	}
	return all, true, nil
}
