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

// winners returns the rows of the newest source of each trace at each commit, in the memory of
// rows, which are sorted by trace, commit and source. All repetitions of a trace at a commit are of
// one source: those of several would be a mixture of two runs.
func (v *viewer) winners(rows []measurement) ([]measurement, error) {
	same := func(a, b measurement) bool { return a.trace == b.trace && a.commit == b.commit }
	var rivals []int64
	for i := 1; i < len(rows); i++ {
		if same(rows[i-1], rows[i]) && rows[i-1].source != rows[i].source {
			rivals = append(rivals, rows[i-1].source, rows[i].source)
		}
	}
	if len(rivals) == 0 {
		return rows, nil
	}
	ages, err := v.ages(rivals)
	if err != nil {
		return nil, err
	}

	kept := rows[:0]
	for len(rows) > 0 {
		n, newest := 1, rows[0].source
		for ; n < len(rows) && same(rows[0], rows[n]); n++ {
			if source := rows[n].source; source != newest && ages[source].compare(ages[newest]) > 0 {
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

// ages returns the ages of sources.
func (v *viewer) ages(sources []int64) (map[int64]age, error) {
	slices.Sort(sources)
	ages := make(map[int64]age)
	for ids := range slices.Chunk(slices.Compact(sources), maxParamList) {
		rows, err := v.tx.QueryContext(v.ctx, "SELECT id, hour, path FROM sources WHERE id IN "+list(ids))
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var a age
			if err := rows.Scan(&id, &a.hour, &a.path); err != nil {
				return nil, err
			}
			ages[id] = a
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return ages, nil
}

// spelling returns the verbatim params of a trace: those of the first row of the newest source, if
// the sources of the rows do not agree.
func (v *viewer) spelling(id string, rows []measurement) (traceid.Params, error) {
	chosen := rows[0]
	if slices.ContainsFunc(rows, func(m measurement) bool { return m.spelling != chosen.spelling }) {
		var sources []int64
		for _, m := range rows {
			sources = append(sources, m.source)
		}
		ages, err := v.ages(sources)
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			if ages[m.source].compare(ages[chosen.source]) > 0 {
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
