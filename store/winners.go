package store

import (
	"encoding/json"
	"slices"
	"strings"

	"perfdata/traceid"
)

// An age is what decides which of two files is newer.
type age struct{ hour, path string }

func (a age) compare(b age) int {
	if c := strings.Compare(a.hour, b.hour); c != 0 {
		return c
	}
	return strings.Compare(a.path, b.path)
}

// winners returns the rows of the newest source at each commit, in the memory of rows. They belong
// to a trace and are sorted by commit and source. All repetitions at a commit are of one source, so
// that two runs are not mixed.
func (v *viewer) winners(rows []measurement) ([]measurement, error) {
	var rivals []int64
	for i := 1; i < len(rows); i++ {
		if rows[i-1].commit == rows[i].commit && rows[i-1].source != rows[i].source {
			rivals = append(rivals, rows[i-1].source, rows[i].source)
		}
	}
	if len(rivals) == 0 {
		return rows, nil
	}
	if err := v.loadAges(rivals); err != nil {
		return nil, err
	}

	kept := rows[:0]
	for len(rows) > 0 {
		n, newest := 1, rows[0].source
		for ; n < len(rows) && rows[n].commit == rows[0].commit; n++ {
			if source := rows[n].source; v.ages[source].compare(v.ages[newest]) > 0 {
				newest = source
			}
		}

		for _, row := range rows[:n] {
			if row.source == newest {
				kept = append(kept, row)
			}
		}
		rows = rows[n:]
	}
	return kept, nil
}

// loadAges loads the ages of sources.
func (v *viewer) loadAges(sources []int64) error {
	sources = slices.DeleteFunc(sources, func(id int64) bool {
		_, ok := v.ages[id]
		return ok
	})

	slices.Sort(sources)
	for ids := range slices.Chunk(slices.Compact(sources), maxParamList) {
		rows, err := v.tx.QueryContext(v.ctx, "SELECT id, hour, path FROM sources WHERE id IN "+list(ids))
		if err != nil {
			return err
		}
		defer rows.Close()

		for rows.Next() {
			var id int64
			var a age
			if err := rows.Scan(&id, &a.hour, &a.path); err != nil {
				return err
			}
			v.ages[id] = a
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// spelling returns the verbatim params of a trace, as the first row of the newest source spells
// them.
func (v *viewer) spelling(id string, rows []measurement) (traceid.Params, error) {
	chosen := rows[0]
	if slices.ContainsFunc(rows, func(m measurement) bool { return m.spelling != chosen.spelling }) {
		var sources []int64
		for _, m := range rows {
			sources = append(sources, m.source)
		}
		if err := v.loadAges(sources); err != nil {
			return nil, err
		}
		for _, m := range rows {
			if v.ages[m.source].compare(v.ages[chosen.source]) > 0 {
				chosen = m
			}
		}
	}

	if chosen.spelling == 0 {
		return traceid.Parse(id)
	}
	var text string
	err := v.tx.QueryRowContext(v.ctx, "SELECT params FROM spellings WHERE id = $1", chosen.spelling).Scan(&text)
	if err != nil {
		return nil, err
	}
	var params traceid.Params
	err = json.Unmarshal([]byte(text), &params)
	return params, err
}
