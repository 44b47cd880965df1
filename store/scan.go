package store

import (
	"maps"
	"slices"
	"strings"
)

// maxScanned is the number of blocks up to which a question for all traces reads whole blocks: the
// blocks of a commit, or of two.
const maxScanned = 2

// eachRows calls each with chunks of the traces that a search finds, by name, with their rows.
func (v *viewer) eachRows(s *search, each func([]traceRows) error) error {
	if s.isWide() && v.limit == 0 && !v.newest && len(v.blocks) <= maxScanned {
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
		err = unknownTrace(s.id)
	}
	return err
}

// rowMemory is what a trace takes in memory with a row, and without its name. By default, 100,000
// traces with a value each, and names of 50 bytes, fit.
const rowMemory = 144

// scan returns the traces that a search finds, by name, with their rows. It reads all row groups of
// the selected commits, and sorts in memory. It returns false if they take too much of that.
//
// The names of a chunk of traces are in many groups, of which others have traces that come later.
// So a question for all traces by chunks would read each row group up to 64 times.
func (v *viewer) scan(s *search) (traces []traceRows, ok bool, err error) {
	byTrace := make(map[int64][]measurement)
	size, err := v.readMeasurements(nil, v.blocks, byTrace, v.maxScan)
	if err != nil || size > v.maxScan {
		return nil, false, err
	}

	ids := slices.Sorted(maps.Keys(byTrace))
	for _, id := range ids {
		if byTrace[id], err = v.winners(byTrace[id]); err != nil {
			return nil, false, err
		}
	}
	for some := range slices.Chunk(ids, maxAtOnce) {
		err := v.eachName(some, func(t traceRow) error {
			selected, err := s.matches(t.name)
			if selected {
				traces = append(traces, traceRows{t, byTrace[t.id]})
				size += len(t.name)
			}
			return err
		})
		if err != nil || size > v.maxScan {
			return nil, false, err
		}
	}
	slices.SortFunc(traces, func(a, b traceRows) int { return strings.Compare(a.name, b.name) })
	return traces, true, nil
}
