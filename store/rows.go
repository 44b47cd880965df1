package store

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// measurements returns the rows of the newest runs of traces at the selected commits. It leaves
// out traces without any. It sets how many traces may be read next. If they have more rows than
// v.maxRows, the error is errTooMany, or for a single trace one with this cause.
func (v *viewer) measurements(traces []traceRow) (all []traceRows, err error) {
	byTrace := make(map[int64][]measurement, len(traces))
	size, most := 0, math.MaxInt
	if v.maxRows > 0 {
		most = v.maxRows*rowMemory + len(traces)*traceMemory
	}
	if v.newest {
		err = v.newestMeasurements(traces, byTrace)
	} else {
		size, err = v.readMeasurements(setOf(traces), v.blocks, byTrace, most)
	}
	switch {
	case err != nil:
		return nil, err
	case size > most && len(traces) > 1:
		return nil, errTooMany
	case size > most:
		return nil, &inputError{fmt.Sprintf("trace %.500q has more than %d points", traces[0].name, v.maxRows), errTooMany}
	}

	points := 0
	all = make([]traceRows, 0, len(byTrace))
	for _, t := range traces {
		points += len(byTrace[t.id])
		rows, err := v.winners(byTrace[t.id])
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			all = append(all, traceRows{t, rows})
		}
	}

	v.atOnce = max(1, min(min(maxPoints, most/rowMemory/2)*len(traces)/max(points, 1), 2*v.atOnce, maxAtOnce))
	return all, nil
}

// The numbers of traces that are read at once. Many, because a query for each few traces costs
// more than their values. Few, because all points of a chunk are in memory: with maxPoints, up to
// 10 MB.
const (
	firstTraces = 32
	maxAtOnce   = 1024
	maxPoints   = 50_000
)

// newestMeasurements is readMeasurements at the newest commit of each trace only. Usually, the
// newest block has most of them, so it reads that first, and then more blocks each time.
func (v *viewer) newestMeasurements(traces []traceRow, byTrace map[int64][]measurement) error {
	left, blocks := slices.Clone(traces), v.blocks
	for n := 1; len(blocks) > 0 && len(left) > 0; n *= 4 {
		n = min(n, len(blocks))
		if _, err := v.readMeasurements(setOf(left), blocks[:n], byTrace, math.MaxInt); err != nil {
			return err
		}
		blocks = blocks[n:]
		left = slices.DeleteFunc(left, func(t traceRow) bool {
			rows := byTrace[t.id]
			return len(rows) > 0 && (len(blocks) == 0 || rows[len(rows)-1].commit > blocks[0].last)
		})
	}
	for id, rows := range byTrace {
		last := rows[len(rows)-1].commit
		from := slices.IndexFunc(rows, func(m measurement) bool { return m.commit == last })
		byTrace[id] = rows[from:]
	}
	return nil
}

// setOf returns the set of some traces.
func setOf(traces []traceRow) traceSet {
	set := make(traceSet)
	for _, t := range traces {
		set.add(t.id)
	}
	return set
}

// readMeasurements adds the rows of the wanted traces, or of all if wanted is nil, at the selected
// commits of some blocks, sorted by commit, source and number, also the ones that lose. It stops
// when they take more memory than most, and returns what they take, in bytes.
func (v *viewer) readMeasurements(
	wanted traceSet, blocks []rankedBlock, byTrace map[int64][]measurement, most int,
) (size int, err error) {
	if len(blocks) == 0 {
		return 0, nil
	}

	var m measurement
	n := 0
	add := func(p *entry) {
		n++
		m.entry, m.stored = *p, p.n
		byTrace[p.trace] = append(byTrace[p.trace], m)
	}
	err = v.rowGroups(wanted, blocks, func(r *rowGroup) error {
		err := v.decode(r, wanted, &m, add)
		if size = n*rowMemory + len(byTrace)*traceMemory; err == nil && size > most {
			err = errEnough
		}
		return err
	})
	if err == errEnough {
		return size, nil
	}
	if err != nil {
		return size, err
	}

	for _, rows := range byTrace {
		slices.SortFunc(rows, func(a, b measurement) int { // usually, they are in order already
			return cmp.Or(a.commit-b.commit, cmp.Compare(a.source, b.source), cmp.Compare(a.stored, b.stored))
		})
	}
	return size, nil
}

// decode calls add with the measurements of the wanted traces of a row group, unless its commit is
// not selected, after the source and the commit are in m.
func (v *viewer) decode(r *rowGroup, wanted traceSet, m *measurement, add func(p *entry)) error {
	// Before anything is left out by what may be damaged.
	data, err := unseal(r.data, r.keys())
	if err != nil {
		return err
	}
	commit, ok := v.list.index[r.commit]
	if !ok {
		return errLost("a commit")
	}
	bits := ^uint64(0)
	if wanted != nil {
		bits = wanted[r.group]
	}
	if v.selected != nil && !v.selected(commit) || r.traces&bits == 0 {
		return nil
	}
	m.commit, m.source = commit, r.source
	return decodeRowGroup(r.group, r.traces, bits, data, add)
}

// rowGroups calls do for the row groups of traces in some blocks. If traces is nil, it does so for
// the row groups of all traces, at the selected commits only. An error says that some are missing.
func (v *viewer) rowGroups(traces traceSet, blocks []rankedBlock, do func(r *rowGroup) error) error {
	where, args := v.db.in("m.block", blockIDs(blocks))
	if traces != nil {
		ofGroups, args := v.db.in("m.trace_group", slices.Sorted(maps.Keys(traces)), args...)
		return eachRowGroup(v.ctx, v.tx, true, where+" AND "+ofGroups, args, do)
	}
	if v.selected == nil {
		return eachRowGroup(v.ctx, v.tx, true, where, args, do)
	}

	// A block has 16 commits, of which usually one is selected.
	var commits []int64
	for i := range v.list.commits {
		if v.selected(i) {
			commits = append(commits, v.list.commits[i].id)
		}
	}
	ofCommits, args := v.db.in("m.commit_id", commits, args...)
	n := int64(0)
	err := eachRowGroup(v.ctx, v.tx, false, where+" AND "+ofCommits, args, func(r *rowGroup) error {
		n++
		return do(r)
	})
	if err != nil {
		return err
	}

	where, args = v.db.in("commit_id", commits)
	query := "SELECT COALESCE(SUM(parts), 0) FROM source_commits WHERE " + where
	return checkNumber(v.ctx, v.tx, n, "a row of measurements", query, args...)
}

// blockIDs returns the IDs of blocks, sorted.
func blockIDs(blocks []rankedBlock) []int64 {
	ids := make([]int64, len(blocks))
	for i, b := range blocks {
		ids[i] = b.id
	}
	slices.Sort(ids)
	return ids
}

// eachRows calls each with chunks of the traces that a search finds, by name, with their rows. A
// question for all traces reads whole blocks, if they are those of a commit, or of two.
func (v *viewer) eachRows(s *search, each func([]traceRows) error) error {
	if isWide := s.id == "" && len(s.filters) == 0; isWide && v.limit == 0 && !v.newest && len(v.blocks) <= 2 {
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
// the selected commits, and sorts in memory. It returns false if they take too much of that, or a
// trace has more rows than v.maxRows.
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
	isTooMany := func(t traceRow) bool { return v.maxRows > 0 && len(byTrace[t.id]) > v.maxRows }
	if err != nil || !ok || slices.ContainsFunc(traces, isTooMany) {
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
