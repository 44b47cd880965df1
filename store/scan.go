package store

import (
	"database/sql"
	"slices"
	"strings"
)

// maxScanned is the number of blocks up to which a query for all traces reads whole blocks: those of a
// commit, or of two.
const maxScanned = 2

// isNarrow reports whether the selected commits are in few blocks.
func (v *viewer) isNarrow() bool { return len(v.blocks) <= maxScanned && !v.newest }

// scan calls each with chunks of the traces that a search finds, by name, with their rows, until it
// returns false. It reads the rows of the blocks in their order, which takes a fifth of the time of
// finding each trace in them, and sorts in memory, if that suffices, which takes half of the time of
// sorting in the database.
func (v *viewer) scan(s *search, each func([]traceRows) (bool, error)) error {
	traces, ok, err := v.scanBlocks(s, true)
	if err != nil {
		return err
	}
	if !ok {
		return v.scanSorted(s, each)
	}
	sortByName(traces)
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

func sortByName(traces []traceRows) {
	slices.SortFunc(traces, func(a, b traceRows) int { return strings.Compare(a.name, b.name) })
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

// scanMemory is the default of Store.maxScan. 100,000 traces with a value each, and names of 50 bytes, fit.
const scanMemory = 20 << 20

// scanBlocks returns the traces that a search finds with all of their rows at the selected commits, in
// no order, and without names if a search does not need them. It returns false if they take too much
// memory.
func (v *viewer) scanBlocks(s *search, withNames bool) (traces []traceRows, ok bool, err error) {
	if len(v.blocks) == 0 {
		return nil, true, nil
	}
	var name sql.RawBytes
	var more []any
	if withNames {
		more = append(more, &name)
	}
	query, args := v.selectScan(withNames)
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()

	scanner := newRowScanner(v, false, more...)
	index := make(map[int64]int) // of traces, by ID; -1 if the query does not select it
	bytes, last, lastTrace := 0, -1, int64(0)
	for rows.Next() && bytes <= v.maxScan {
		trace, m, err := scanner.scan(rows)
		if err != nil {
			return nil, false, err
		}
		if m == nil {
			continue
		}
		if trace != lastTrace {
			i, known := index[trace]
			if !known {
				one := traceRow{trace, string(name)}
				selected, err := !withNames, error(nil)
				if withNames {
					selected, err = s.matches(one.name)
				}
				if err != nil {
					return nil, false, err
				}
				if i = -1; selected {
					i = len(traces)
					traces = append(traces, traceRows{traceRow: one})
				}
				index[trace] = i
				bytes += 80 + len(one.name)
			}
			last, lastTrace = i, trace
		}
		if last >= 0 {
			traces[last].rows = append(traces[last].rows, *m)
			bytes += 64
		}
	}
	return traces, bytes <= v.maxScan, rows.Err()
}

// scanSorted is scan for more traces than are sorted in memory.
func (v *viewer) scanSorted(s *search, each func([]traceRows) (bool, error)) error {
	var name sql.RawBytes
	scanner := newRowScanner(v, false, &name)
	var found []traceRows // the last may not be complete
	var skipped int64     // a trace that the query does not select
	flush := func(n int) (more bool, err error) {
		won := slices.Clone(found[:n])
		found = slices.Delete(found, 0, n)
		if err := v.keepWinners(won); err != nil {
			return false, err
		}
		return each(won)
	}

	query, args := v.selectScan(true)
	stopped := false
	err := v.db.eachChunk(v.ctx, v.tx, query+" ORDER BY t.name", args, chunks{
		size: func() int { return v.atOnce },
		scan: func(rows *sql.Rows) error {
			trace, m, err := scanner.scan(rows)
			if err != nil || m == nil || trace == skipped {
				return err
			}
			if n := len(found); n == 0 || found[n-1].id != trace {
				one := traceRow{trace, string(name)}
				if selected, err := s.matches(one.name); err != nil || !selected {
					skipped = trace
					return err
				}
				found = append(found, traceRows{traceRow: one})
			}
			last := &found[len(found)-1]
			last.rows = append(last.rows, *m)
			return nil
		},
		done: func() (more bool, err error) {
			v.atOnce = min(2*v.atOnce, maxAtOnce)
			if len(found) < 2 {
				return true, nil
			}
			more, err = flush(len(found) - 1)
			stopped = !more
			return more, err
		},
	})
	if err == nil && !stopped && len(found) > 0 {
		_, err = flush(len(found))
	}
	return err
}

// selectScan returns a query for all rows at the selected commits, with the names of the traces if they
// are wanted. CROSS JOIN makes SQLite begin with the measurements.
func (v *viewer) selectScan(withNames bool) (query string, args []any) {
	var commits []int64
	for i := range v.list.commits {
		if v.selected == nil || v.selected(i) {
			commits = append(commits, v.list.commits[i].id)
		}
	}
	columns, from, where := measurementColumns, "measurements m", ""
	if withNames {
		columns, from, where = columns+", t.name", from+" CROSS JOIN traces t", " AND t.id = m.trace_id"
	}
	return "SELECT " + columns + " FROM " + from + " WHERE " + v.db.in("m.block", blockIDs(v.blocks), &args) + " AND " +
		v.db.in("m.commit_id", commits, &args) + where, args
}
