package store

import (
	"cmp"
	"slices"
	"strings"
)

// maxScanned is the number of blocks up to which a query for all traces reads whole blocks: the
// blocks of a commit, or of two.
const maxScanned = 2

// isNarrow reports whether the selected commits are in few blocks.
func (v *viewer) isNarrow() bool { return len(v.blocks) <= maxScanned && !v.newest }

// scan calls each with chunks of the traces that a search finds and keep accepts, by name, with
// their rows. It reads all row groups of the commits, and sorts in memory,
// if that suffices.
func (v *viewer) scan(s *search, keep func(*traceRows) bool, each func([]traceRows) error) error {
	traces, ok, err := v.scanBlocks()
	if err == nil && ok {
		traces, ok, err = v.loadTraceNames(s, traces, keep)
	}
	if err != nil {
		return err
	}
	if !ok {
		return v.eachRows(s, false, func(traces []traceRows) error {
			return each(slices.DeleteFunc(traces, func(t traceRows) bool { return !keep(&t) }))
		})
	}
	for chunk := range slices.Chunk(traces, maxAtOnce) {
		if err := each(chunk); err != nil {
			return err
		}
	}
	return nil
}

// eachRows calls each with chunks of the traces that a search finds, by name, with their rows.
func (v *viewer) eachRows(s *search, withExtras bool, each func([]traceRows) error) error {
	return v.eachTraces(s, func(chunk []traceRow) error {
		rows, err := v.measurements(chunk, withExtras)
		if err != nil {
			return err
		}
		return each(rows)
	})
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
	reader := rowReader{v: v}
	index := make(map[int64]*[groupSize]int32) // of traces, from 1, by group
	bytes := 0
	for r, err := range v.rowGroups(nil, v.blocks) {
		if err != nil {
			return nil, false, err
		}

		var group *[groupSize]int32
		err = reader.read(r, nil, func(trace int64, m *measurement) {
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
		if err != nil || bytes > v.maxScan {
			return nil, false, err
		}
	}
	slices.SortFunc(traces, func(a, b traceRows) int { return cmp.Compare(a.id, b.id) })
	return traces, true, nil
}

// loadTraceNames returns the traces that a search selects and keep accepts, with the rows that win
// and their names, and sorted by these. They were sorted by ID. It returns false if the names take
// too much memory.
func (v *viewer) loadTraceNames(
	s *search, traces []traceRows, keep func(*traceRows) bool,
) (named []traceRows, ok bool, err error) {
	kept := traces[:0]
	var ids []int64

	for _, t := range traces {
		if len(t.rows) > 1 {
			slices.SortFunc(t.rows, compareMeasurements)
			if t.rows, err = v.winners(t.rows); err != nil {
				return nil, false, err
			}
		}
		if keep(&t) {
			kept, ids = append(kept, t), append(ids, t.id)
		}
	}
	traces = kept

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
