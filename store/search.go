package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdata/traceid"
)

// A traceRow is a trace in the database.
type traceRow struct {
	id   int64
	name string
}

// A search finds the traces that a query selects.
type search struct {
	query      *traceid.Query
	selectsAll bool
	filters    []filter // the one that the fewest traces meet first
}

// A filter is a term of a query, as the params that meet it: a trace that the query selects has one of
// them.
type filter struct {
	params []int64
	traces int64 // that have one of the params
}

// maxParamList is the number of params up to which a term is used as an index.
const maxParamList = 1000

// maxNamesRead is the number of traces up to which their names are read and matched, instead of
// looking up the other terms of the query first.
const maxNamesRead = 1000

// isWide reports whether the search has to read many traces.
func (s *search) isWide() bool { return len(s.filters) == 0 }

// newSearch prepares a search. It returns nil if the query cannot select any trace. A nil query selects
// all.
func (v *viewer) newSearch(q *traceid.Query) (*search, error) {
	if q == nil {
		q = new(traceid.Query)
	}
	s := &search{query: v.charset.Query(q)}
	s.selectsAll = len(s.query.Terms()) == 0
	var exact, others []traceid.Term
	for _, term := range s.query.Terms() {
		if values, ok := term.Values(); ok && len(values) <= maxParamList && term.Required() {
			exact = append(exact, term)
		} else if term.Required() {
			others = append(others, term)
		}
	}

	var err error
	if s.filters, err = v.exactFilters(exact); err != nil {
		return nil, err
	}
	for _, term := range others {
		if s.isFew() {
			break
		}
		f, err := v.filterOf(&term)
		if err != nil {
			return nil, err
		}
		if len(f.params) <= maxParamList {
			s.filters = append(s.filters, f)
		}
	}
	slices.SortStableFunc(s.filters, func(a, b filter) int { return cmp.Compare(a.traces, b.traces) })
	if len(s.filters) > 0 && s.filters[0].traces == 0 {
		return nil, nil
	}
	return s, nil
}

// isFew reports whether a filter has so few traces that reading their names is cheaper than more
// filters.
func (s *search) isFew() bool {
	return slices.ContainsFunc(s.filters, func(f filter) bool { return f.traces <= maxNamesRead })
}

// exactFilters looks up terms that name values, all in one query.
func (v *viewer) exactFilters(terms []traceid.Term) ([]filter, error) {
	filters := make([]filter, len(terms))
	index := make(map[string]int)
	var numbers []string
	var args []any
	for i := range terms {
		key := terms[i].Key()
		index[key] = i
		values, _ := terms[i].Values()
		for _, value := range values {
			hash := hashed(key + "=" + value).hash
			args = append(args, hash[:])
			numbers = append(numbers, fmt.Sprintf("$%d", len(args)))
		}
	}
	if len(args) == 0 {
		return nil, nil
	}

	rows, err := v.tx.QueryContext(v.ctx,
		"SELECT id, key, value, traces FROM params WHERE hash IN ("+strings.Join(numbers, ", ")+")", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, traces int64
		var p traceid.Param
		if err := rows.Scan(&id, &p.Key, &p.Value, &traces); err != nil {
			return nil, err
		}
		i := index[p.Key]
		if err := filters[i].add(&terms[i], p.Value, id, traces); err != nil {
			return nil, err
		}
	}
	return filters, rows.Err()
}

// add adds a param of the key of the term, if it meets the term.
func (f *filter) add(term *traceid.Term, value string, param, traces int64) error {
	selected, err := term.Match(value)
	if err == nil && selected {
		f.params = append(f.params, param)
		f.traces += traces
	}
	return err
}

// filterOf looks up a term among all values of its key.
func (v *viewer) filterOf(term *traceid.Term) (f filter, err error) {
	rows, err := v.tx.QueryContext(v.ctx, "SELECT id, value, traces FROM params WHERE key = $1", term.Key())
	if err != nil {
		return f, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, traces int64
		var value string
		if err := rows.Scan(&id, &value, &traces); err != nil {
			return f, err
		}
		if err := f.add(term, value, id, traces); err != nil {
			return f, err
		}
	}
	return f, rows.Err()
}

// eachTraces calls each with chunks of the traces that a search finds, by name, until it returns false.
// A chunk has up to v.atOnce traces. It is overwritten after the call.
func (v *viewer) eachTraces(s *search, each func(chunk []traceRow) (bool, error)) error {
	if s.isFew() {
		traces, err := v.fewTraces(s)
		for err == nil && len(traces) > 0 {
			n := min(v.atOnce, len(traces))
			var more bool
			if more, err = each(traces[:n]); !more {
				break
			}
			traces = traces[n:]
		}
		return err
	}

	var chunk []traceRow
	query, args := v.selectTraces(s)
	return v.db.eachChunk(v.ctx, v.tx, query, args, chunks{
		size: func() int { return v.atOnce },
		scan: func(rows *sql.Rows) error {
			t, err := s.scanTrace(rows)
			if t.id != 0 {
				chunk = append(chunk, t)
			}
			return err
		},
		done: func() (more bool, err error) {
			more = true
			if len(chunk) > 0 {
				more, err = each(chunk)
			}
			chunk = chunk[:0]
			return more, err
		},
	})
}

// scanTrace reads a trace, which is zero if the query does not select it.
func (s *search) scanTrace(rows *sql.Rows) (t traceRow, err error) {
	if err := rows.Scan(&t.id, &t.name); err != nil {
		return t, err
	}
	selected, err := s.matches(t.name)
	if !selected {
		t = traceRow{}
	}
	return t, err
}

// matches reports whether the query selects a trace ID.
func (s *search) matches(id string) (bool, error) {
	if s.selectsAll {
		return true, nil // without reading the ID, which is a tenth of the time of a question for all
	}
	return s.query.MatchID(id)
}

// selectTraces returns a query for the traces that meet all filters.
func (v *viewer) selectTraces(s *search) (query string, args []any) {
	query = "SELECT t.id, t.name FROM traces t"
	for i, f := range s.filters {
		if i == 0 {
			query = "SELECT t.id, t.name FROM trace_params p JOIN traces t ON t.id = p.trace_id WHERE " +
				v.db.in("p.param_id", f.params, &args)
			continue
		}
		query += " AND EXISTS (SELECT 1 FROM trace_params x WHERE " + v.db.in("x.param_id", f.params, &args) +
			" AND x.trace_id = p.trace_id)"
	}
	return query + " ORDER BY t.name", args
}

// selectFewTraces returns a query for the traces that meet the first filter. PostgreSQL would read all
// traces to join them with a few whose number it does not know, but not to find the IDs of an array.
func (v *viewer) selectFewTraces(s *search) (query string, args []any) {
	ids := "SELECT trace_id FROM trace_params WHERE " + v.db.in("param_id", s.filters[0].params, &args)
	return "SELECT t.id, t.name FROM traces t WHERE t.id " + v.db.inQuery(ids), args
}

// fewTraces returns the traces that a search finds, by name. The first filter has few.
func (v *viewer) fewTraces(s *search) ([]traceRow, error) {
	query, args := v.selectFewTraces(s)
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var traces []traceRow
	for rows.Next() {
		t, err := s.scanTrace(rows)
		if err != nil {
			return nil, err
		}
		if t.id != 0 {
			traces = append(traces, t)
		}
	}
	slices.SortFunc(traces, func(a, b traceRow) int { return strings.Compare(a.name, b.name) })
	return traces, rows.Err()
}

// traceByID calls each with the trace of an ID, if there is one.
func (v *viewer) traceByID(id string, each func(chunk []traceRow) (bool, error)) error {
	t := traceRow{name: id}
	hash := hashed(id).hash
	err := v.tx.QueryRowContext(v.ctx, "SELECT id FROM traces WHERE hash = $1", hash[:]).Scan(&t.id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = each([]traceRow{t})
	return err
}
