package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/bits"
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
	id      string           // of the only trace, or empty
	queries []*traceid.Query // that must all match; without any, all traces are selected
	filters []filter         // the one that the fewest traces meet first
}

// A filter is a term of a query, as the params that meet it: a trace that the query selects has
// one of them.
type filter struct {
	params []int64
	traces int64 // that have one of the params
}

// maxParamList is the number of params up to which a term is used as an index.
const maxParamList = 1000

// maxNamesRead is the number of traces up to which their names are read and matched, instead of
// looking up the other terms of the query first.
const maxNamesRead = 1000

// newSearch prepares a search for the traces that all queries select. It returns nil if they
// cannot select any trace. A nil query selects all.
func (v *viewer) newSearch(queries ...*traceid.Query) (*search, error) {
	s := &search{id: v.trace}
	for _, q := range queries {
		if q == nil || len(q.Terms()) == 0 {
			continue
		}
		q = v.charset.Query(q)
		s.queries = append(s.queries, q)
		if err := v.addFilters(s, q); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.filters, func(a, b filter) int { return cmp.Compare(a.traces, b.traces) })
	if len(s.filters) > 0 && s.filters[0].traces == 0 {
		return nil, nil
	}
	return s, nil
}

// addFilters adds the filters of a query.
func (v *viewer) addFilters(s *search, q *traceid.Query) error {
	var exact, others []traceid.Term
	for _, term := range q.Terms() {
		if values, ok := term.Values(); ok && len(values) <= maxParamList && term.Required() {
			exact = append(exact, term)
		} else if term.Required() {
			others = append(others, term)
		}
	}

	filters, err := v.exactFilters(exact)
	if err != nil {
		return err
	}

	s.filters = append(s.filters, filters...)
	for _, term := range others {
		if s.isFew() {
			break
		}
		params, err := v.paramsOf(term.Key())
		if err != nil {
			return err
		}
		var f filter
		for i := range params {
			if err := f.add(&term, &params[i]); err != nil {
				return err
			}
		}
		if len(f.params) <= maxParamList {
			s.filters = append(s.filters, f)
		}
	}
	return nil
}

// isFew reports whether a filter selects few enough traces that reading their names is cheaper
// than more filters.
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
			hash := paramHash(traceid.Param{Key: key, Value: value})
			args = append(args, hash[:])
			numbers = append(numbers, fmt.Sprintf("$%d", len(args)))
		}
	}
	if len(args) == 0 {
		return nil, nil
	}

	n := 0
	where := "hash IN (" + strings.Join(numbers, ", ") + ")"
	err := v.eachParam(where, args, func(p *paramRow) error {
		n++
		i := index[p.Key]
		return filters[i].add(&terms[i], p)
	})
	if err != nil {
		return nil, err
	}
	if n < len(args) {
		return filters, checkCount(v.ctx, v.tx, "params")
	}
	return filters, nil
}

// A paramRow is a param in the database.
type paramRow struct {
	id, traces int64
	traceid.Param
}

// eachParam calls do for the params that a condition selects. The next call overwrites the param.
func (v *viewer) eachParam(where string, args []any, do func(p *paramRow) error) error {
	var p paramRow
	var hash sql.RawBytes
	query := "SELECT id, hash, key, value, traces FROM params WHERE " + where
	dest := []any{&p.id, &hash, &p.Key, &p.Value, &p.traces}
	return v.each(query, args, dest, func() error {
		if err := checkHash("a param", paramHash(p.Param), hash); err != nil {
			return err
		}
		return do(&p)
	})
}

func paramHash(p traceid.Param) [sha256.Size]byte {
	return sha256.Sum256([]byte(p.Key + "=" + p.Value))
}

// add adds a param of the key of the term, if it meets the term.
func (f *filter) add(term *traceid.Term, p *paramRow) error {
	selected, err := term.Match(p.Value)
	if err == nil && selected {
		f.params = append(f.params, p.id)
		f.traces += p.traces
	}
	return err
}

// A paramState tells that traces, and so params, were added to a database, or that something was
// deleted.
type paramState struct{ deletions, lastTrace int64 }

// paramsOf returns the params of a key, which are remembered until a trace is new: a query for ten
// traces by a regular expression, which is one of 3,000 values, takes 0.8 ms instead of 3.4 with
// SQLite, and 1.4 instead of 3.3 with PostgreSQL.
func (v *viewer) paramsOf(key string) ([]paramRow, error) {
	var now paramState
	err := v.tx.QueryRowContext(v.ctx, "SELECT COALESCE(MAX(id), 0) FROM traces").Scan(&now.lastTrace)
	if err == nil {
		now.deletions, err = readStamp(v.ctx, v.tx, deletionsStamp)
	}
	if err != nil {
		return nil, err
	}
	params, ok := v.values.find(now, key)
	if ok {
		return params, nil
	}
	if err := checkCount(v.ctx, v.tx, "params"); err != nil {
		return nil, err
	}

	size := len(key) + 100
	err = v.eachParam("key = $1", []any{key}, func(p *paramRow) error {
		p.Key = key // once in memory
		params = append(params, *p)
		size += len(p.Value) + 60
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.values.add(now, key, params, size)
	return params, nil
}

// A traceSet is a set of traces, by group.
type traceSet map[int64]uint64

// add adds a trace.
func (s traceSet) add(trace int64) {
	m := memberOf(trace)
	s[m.group] |= m.bit
}

// count returns the number of traces.
func (s traceSet) count() (n int64) {
	for _, set := range s {
		n += int64(bits.OnesCount64(set))
	}
	return n
}

// has reports whether a trace is in the set. All are in nil.
func (s traceSet) has(trace int64) bool {
	m := memberOf(trace)
	return s == nil || s[m.group]&m.bit != 0
}

// ids returns the traces, sorted.
func (s traceSet) ids() []int64 {
	var ids []int64
	for _, group := range slices.Sorted(maps.Keys(s)) {
		for set := s[group]; set != 0; set &= set - 1 {
			ids = append(ids, group*groupSize+int64(bits.TrailingZeros64(set)))
		}
	}
	return ids
}

// tracesWith returns the traces that have one of the params of a filter. Each param has the number
// of its traces, so that a row of postings that is missing is noticed.
func (v *viewer) tracesWith(f filter) (traceSet, error) {
	where, args := v.db.in("param_id", f.params)
	query := "SELECT trace_group, traces FROM postings WHERE " + where
	set := make(traceSet)
	var group, traces, n int64
	err := v.each(query, args, []any{&group, &traces}, func() error {
		set[group] |= uint64(traces)
		n += int64(bits.OnesCount64(uint64(traces)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n != f.traces {
		return nil, errLost("a row of postings")
	}
	return set, nil
}

// eachTraces calls each with chunks of the traces that a search finds, by name. A chunk has up to
// v.atOnce traces. It is overwritten after the call.
func (v *viewer) eachTraces(s *search, each func(chunk []traceRow) error) error {
	if s.id != "" {
		return v.eachByID(s, each)
	}
	var found traceSet // that meet the filters, or the first filter if that has few
	for i, f := range s.filters {
		if i == 1 && s.isFew() {
			break
		}
		with, err := v.tracesWith(f)
		if err != nil {
			return err
		}
		if i > 0 {
			maps.DeleteFunc(with, func(group int64, set uint64) bool { return set&found[group] == 0 })
			for group := range with {
				with[group] &= found[group]
			}
		}
		found = with
	}

	if found != nil {
		traces, ok, err := v.loadTraces(s, found.ids(), 0)
		if err != nil {
			return err
		}
		if ok {
			return v.eachOf(traces, each)
		}
	}

	return v.eachNamed(s, found, each)
}

// eachNamed calls each with chunks of the traces in a set that a search selects, by name. The
// database sorts the names of many traces, since it need not sort all of them to find the first
// ones, as many as the limit. A part of them is in memory.
func (v *viewer) eachNamed(s *search, among traceSet, each func(chunk []traceRow) error) error {
	if err := checkCount(v.ctx, v.tx, "traces"); err != nil {
		return err
	}
	var t traceRow
	var hash sql.RawBytes
	for after, limit := "", v.limit; ; limit = 0 {
		query, args := "SELECT id, hash, name FROM traces WHERE name > $1 ORDER BY name", []any{after}
		if limit > 0 {
			query, args = query+" LIMIT $2", append(args, limit)
		}
		var traces []traceRow
		size := 0
		err := v.each(query, args, []any{&t.id, &hash, &t.name}, func() error {
			if after = t.name; !among.has(t.id) {
				return nil
			}
			selected, err := s.matches(t.name)
			if err = cmp.Or(checkHash("the name of a trace", hashed(t.name).hash, hash), err); err != nil || !selected {
				return err
			}
			traces = append(traces, t)
			if size += 40 + len(t.name); size > v.maxScan {
				return errEnough
			}
			return nil
		})

		isLast := err == nil && limit == 0
		if err == nil || err == errEnough {
			err = v.eachOf(traces, each)
		}
		if err != nil || isLast {
			return err
		}
	}
}

// loadTraces returns the traces with some IDs, which are sorted, that the query selects, by name.
// It returns false if they take too much memory, of which size is in use.
func (v *viewer) loadTraces(s *search, ids []int64, size int) (traces []traceRow, ok bool, err error) {
	err = v.eachName(ids, func(t traceRow) error {
		selected, err := s.matches(t.name)
		if err != nil || !selected {
			return err
		}
		traces = append(traces, t)
		if size += 40 + len(t.name); size > v.maxScan {
			return errEnough
		}
		return nil
	})
	if err == errEnough {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(traces, func(a, b traceRow) int { return strings.Compare(a.name, b.name) })
	return traces, true, nil
}

// eachOf calls each with chunks of traces, and again with fewer of them after errTooMany.
func (v *viewer) eachOf(traces []traceRow, each func(chunk []traceRow) error) error {
	for len(traces) > 0 {
		n := min(v.atOnce, len(traces))
		switch err := each(traces[:n]); err {
		case nil:
			traces = traces[n:]
		case errTooMany:
			v.atOnce = n / 2
		default:
			return err
		}
	}
	return nil
}

// eachName calls do with traces, whose IDs are sorted, in their order.
func (v *viewer) eachName(ids []int64, do func(t traceRow) error) error {
	var t traceRow
	var hash sql.RawBytes
	const what, query = "the name of a trace", "SELECT id, hash, name FROM traces"
	return v.lookUp(what, query, ids, []any{&t.id, &hash, &t.name}, func() error {
		if err := checkHash(what, hashed(t.name).hash, hash); err != nil {
			return err
		}
		return do(t)
	})
}

// matches reports whether the query selects a trace ID.
func (s *search) matches(id string) (bool, error) {
	for _, q := range s.queries { // without any, the ID is not read: a tenth of the time of a question for all
		if ok, err := q.MatchID(id); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// eachByID calls each with the trace of the ID of a search, if there is one that its queries
// select.
func (v *viewer) eachByID(s *search, each func(chunk []traceRow) error) error {
	t := traceRow{name: s.id}
	hash := hashed(s.id).hash
	err := v.tx.QueryRowContext(v.ctx, "SELECT id FROM traces WHERE hash = $1", hash[:]).Scan(&t.id)
	if errors.Is(err, sql.ErrNoRows) {
		return checkCount(v.ctx, v.tx, "traces")
	}
	selected, matchErr := s.matches(s.id)
	if err = cmp.Or(err, matchErr); err != nil || !selected {
		return err
	}
	return each([]traceRow{t})
}
