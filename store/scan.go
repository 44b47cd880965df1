package store

import (
	"cmp"
	"slices"
	"strings"
)

// maxScanned is the number of blocks up to which a query for all traces reads whole blocks: those of a
// commit, or of two.
const maxScanned = 2

// isNarrow reports whether the selected commits are in few blocks.
func (v *viewer) isNarrow() bool { return len(v.blocks) <= maxScanned && !v.newest }

// scan calls each with chunks of the traces that a search finds, by name, with their rows, until it
// returns false. It reads all row groups of the commits, and sorts in memory, if that suffices.
func (v *viewer) scan(s *search, each func([]traceRows) (bool, error)) error {
	traces, ok, err := v.scanBlocks()
	if err == nil && ok {
		traces, ok, err = v.loadTraceNames(s, traces)
	}
	if err != nil {
		return err
	}
	if !ok {
		clear(v.counts) // all is read again
		return v.eachRows(s, each)
	}
	for chunk := range slices.Chunk(traces, maxAtOnce) {
		if err := v.keepWinners(chunk); err != nil {
			return err
		}
		if more, err := each(chunk); err != nil || !more {
			return err
		}
	}
	return nil
}

// eachRows calls each with chunks of the traces that a search finds, by name, with their rows,
// until it returns false.
func (v *viewer) eachRows(s *search, each func([]traceRows) (bool, error)) error {
	return v.eachTraces(s, func(chunk []traceRow) (bool, error) {
		rows, err := v.measurements(chunk, false)
		if err != nil {
			return false, err
		}
		return each(rows)
	})
}

// keepWinners drops the rows that lose, and sorts the others.
func (v *viewer) keepWinners(traces []traceRows) error {
	for i := range traces {
		t := &traces[i]
		if len(t.rows) == 1 {
			continue
		}
		slices.SortFunc(t.rows, compareMeasurements)
		var err error
		if t.rows, err = v.winners(t.rows); err != nil {
			return err
		}
	}
	return nil
}

// rowMemory is what a trace takes in memory with a row, and without its name. By default, 100,000
// traces with a value each, and names of 50 bytes, fit.
const rowMemory = 144

// scanBlocks returns all traces with all of their rows at the selected commits, by ID and without
// names. It returns false if they take too much memory.
func (v *viewer) scanBlocks() (traces []traceRows, ok bool, err error) {
	if len(v.blocks) == 0 {
		return nil, true, nil
	}
	query, args := v.selectRowGroups(nil, v.blocks)
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()

	scanner := newRowScanner(v, false)
	index := make(map[int64]*[groupSize]int32) // of traces, from 1, by group
	bytes := 0
	for rows.Next() && bytes <= v.maxScan {
		var group *[groupSize]int32
		err := scanner.read(rows, nil, func(trace int64, m *measurement) {
			if group == nil {
				if group = index[trace/groupSize]; group == nil {
					group = new([groupSize]int32)
					index[trace/groupSize] = group
				}
			}
			at := &group[trace%groupSize]
			if *at == 0 {
				traces = append(traces, traceRows{traceRow: traceRow{id: trace}})
				*at = int32(len(traces))
				bytes += rowMemory / 2
			}
			t := &traces[*at-1]
			t.rows = append(t.rows, *m)
			bytes += rowMemory / 2
		})
		if err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(traces, func(a, b traceRows) int { return cmp.Compare(a.id, b.id) })
	return traces, bytes <= v.maxScan, rows.Err()
}

// loadTraceNames returns the traces that a search selects with their names, and sorted by these.
// They were sorted by ID. It returns false if the names take too much memory.
func (v *viewer) loadTraceNames(s *search, traces []traceRows) (named []traceRows, ok bool, err error) {
	ids := make([]int64, len(traces))
	for i, t := range traces {
		ids[i] = t.id
	}

	bytes, next := rowMemory*len(traces), 0
	named = traces[:0]
	for some := range slices.Chunk(ids, maxAtOnce) {
		if bytes > v.maxScan {
			return nil, false, nil
		}
		err := v.eachName(some, func(t traceRow) error {
			for traces[next].id != t.id {
				next++
			}
			selected, err := s.matches(t.name)
			if selected {
				named = append(named, traceRows{t, traces[next].rows})
				bytes += len(t.name)
			}
			next++
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}

	slices.SortFunc(named, func(a, b traceRows) int { return strings.Compare(a.name, b.name) })
	return named, true, nil
}
