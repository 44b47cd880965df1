package store

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
)

// An age is what decides which of two files is newer.
type age struct{ hour, path string }

func (a age) compare(b age) int {
	return cmp.Or(strings.Compare(a.hour, b.hour), strings.Compare(a.path, b.path))
}

// A runOf is the run of a source.
type runOf struct {
	name   string
	newest age // of the files of the run
	source age
}

// runColumns are the columns of a source s that a runOf takes.
const runColumns = `s.run, s.hour, s.path,
	(SELECT r.hour FROM sources r WHERE r.run = s.run ORDER BY r.hour DESC, r.path DESC LIMIT 1),
	(SELECT r.path FROM sources r WHERE r.run = s.run ORDER BY r.hour DESC, r.path DESC LIMIT 1)`

// compare compares the runs, and within a run the sources.
func (r runOf) compare(b runOf) int {
	return cmp.Or(r.newest.compare(b.newest), r.source.compare(b.source))
}

// winners returns the rows of the newest run at each commit, in the memory of rows. They belong to
// a trace and are sorted by commit and source. All repetitions at a commit are of one run, and the
// repetitions of its files are numbered one after another, the oldest file first. With
// v.withLosers, it returns all rows.
func (v *viewer) winners(rows []measurement) ([]measurement, error) {
	if v.withLosers {
		return rows, nil
	}
	var rivals []int64
	for i := 1; i < len(rows); i++ {
		if rows[i-1].commit == rows[i].commit && rows[i-1].source != rows[i].source {
			rivals = append(rivals, rows[i-1].source, rows[i].source)
		}
	}
	if len(rivals) == 0 {
		return rows, nil
	}
	if err := v.loadRuns(rivals); err != nil {
		return nil, err
	}

	kept := rows[:0]
	for len(rows) > 0 {
		// The runs of a commit with a single source are not loaded: all are the zero runOf.
		n, newest := 1, v.runs[rows[0].source]
		for ; n < len(rows) && rows[n].commit == rows[0].commit; n++ {
			if run := v.runs[rows[n].source]; run.compare(newest) > 0 {
				newest = run
			}
		}

		from := len(kept)
		for _, row := range rows[:n] {
			if v.runs[row.source].name == newest.name {
				kept = append(kept, row)
			}
		}
		v.addUp(kept[from:])
		rows = rows[n:]
	}
	return kept, nil
}

// addUp numbers the rows of the files of a run one after another.
func (v *viewer) addUp(rows []measurement) {
	if len(rows) == 0 || rows[0].source == rows[len(rows)-1].source {
		return // they are sorted by source
	}
	slices.SortFunc(rows, func(a, b measurement) int {
		return cmp.Or(v.runs[a.source].source.compare(v.runs[b.source].source), cmp.Compare(a.stored, b.stored))
	})
	before := int64(0) // the last number of the files before
	for i := range rows {
		if i > 0 && rows[i].source != rows[i-1].source {
			before = rows[i-1].n
		}
		rows[i].n = before + rows[i].stored
	}
}

// loadRuns loads the runs of sources.
func (v *viewer) loadRuns(sources []int64) error {
	if len(v.runs) > 10_000 { // are enough to remember
		clear(v.runs)
	}
	sources = slices.DeleteFunc(sources, func(id int64) bool {
		_, ok := v.runs[id]
		return ok
	})
	if len(sources) > 0 && !v.hasAllFiles { // a run is as new as its newest file, whichever that is
		if err := checkCount(v.ctx, v.tx, "sources"); err != nil {
			return err
		}
		v.hasAllFiles = true
	}

	var id int64
	var run runOf
	dest := []any{&id, &run.name, &run.source.hour, &run.source.path, &run.newest.hour, &run.newest.path}
	const query = "SELECT s.id, " + runColumns + " FROM sources s"
	return v.lookUp("the name of a file", query, sources, dest, func() error {
		v.runs[id] = run
		return nil
	})
}

// lookUp calls do for the rows that a query selects by some IDs, in their order, after the columns
// are in dest, of which the first is the ID. If one has no row, what names it in the error. It
// sorts the IDs.
func (v *viewer) lookUp(what, query string, ids []int64, dest []any, do func() error) error {
	id := dest[0].(*int64)
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), maxAtOnce) {
		where, args := v.db.in("id", some)
		// To read all of a range is faster than to find each, if it has few others.
		first, last := some[0], some[len(some)-1]
		if isRange := last-first < 2*int64(len(some)); isRange {
			where, args = "id BETWEEN $1 AND $2", []any{first, last}
		}

		n := 0
		err := v.each(query+" WHERE "+where+" ORDER BY id", args, dest, func() error {
			if _, ok := slices.BinarySearch(some, *id); !ok {
				return nil
			}
			n++
			return do()
		})
		if err != nil {
			return err
		}
		if n < len(some) {
			return errLost(what)
		}
	}
	return nil
}

// newestSpelling returns the number of the spelling of a trace in the first row of the newest
// source of the newest run.
func (v *viewer) newestSpelling(rows []measurement) (int64, error) {
	first := rows[0].spelling
	if !slices.ContainsFunc(rows, func(m measurement) bool { return m.spelling != first }) {
		return first, nil
	}
	var sources []int64
	for _, m := range rows {
		sources = append(sources, m.source)
	}
	if err := v.loadRuns(sources); err != nil {
		return 0, err
	}
	newer := func(a, b measurement) int { return v.runs[a.source].compare(v.runs[b.source]) }
	return slices.MaxFunc(rows, newer).spelling, nil
}

// loadSpellings loads spellings that are not loaded.
func (v *viewer) loadSpellings(ids []int64) error {
	ids = slices.DeleteFunc(ids, func(id int64) bool {
		_, ok := v.spellings[id]
		return ok || id == 0 // the zero spelling
	})
	var id int64
	var hash sql.RawBytes
	var as spelling
	const what, query = "the spelling of a trace", "SELECT id, hash, params, unit, better FROM spellings"
	return v.lookUp(what, query, ids, []any{&id, &hash, &as.params, &as.unit, &as.better}, func() error {
		if err := checkHash(what, as.hashed().hash, hash); err != nil {
			return err
		}
		one, err := as.parse()
		v.spellings[id] = one
		return err
	})
}
