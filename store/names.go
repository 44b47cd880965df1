package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A verbatim names a trace as a record does.
type verbatim struct {
	id string // the canonical trace ID
	spelling
}

// A spelling is how a file spells a trace. The zero spelling has the number 0 in the database.
type spelling struct {
	params string // verbatim, as JSON, or empty if they are canonical
	unit   string
	better format.Direction
}

// A spelled is a spelling with the params parsed.
type spelled struct {
	params traceid.Params // verbatim, or nil if they are canonical
	unit   string
	better format.Direction
}

func (s spelling) parse() (one spelled, err error) {
	one.unit, one.better = s.unit, s.better
	if s.params != "" {
		err = json.Unmarshal([]byte(s.params), &one.params)
	}
	return one, err
}

// hashed returns the spelling as a name.
func (s spelling) hashed() name {
	text := s.params
	if s.unit != "" || s.better != format.Unknown {
		text = strings.Join([]string{s.params, s.unit, s.better.String()}, "\x00")
	}
	return hashed(text, s.params, s.unit, int64(s.better))
}

// A traceRef is what a verbatim is in the database.
type traceRef struct {
	trace    int64
	spelling int64 // 0 for the zero spelling
}

// A traceCache has the traces of committed files, so that a record of a trace that is known costs
// one look-up. Its entries are true as long as the database has the stamp.
type traceCache struct {
	cache[int64, string, cachedTrace] // by the stamp of names, see Store.Vacuum, and canonical trace ID
}

type cachedTrace struct {
	traceRef
	spelled
}

// find returns what the trace of a point is in the database with a stamp. It returns false if that
// is not known, or if the record spells it otherwise.
func (c *traceCache) find(at *series.Point) (ref traceRef, stamp int64, ok bool) {
	c.mu.RLock()
	known, ok := c.values[string(at.Trace)]
	stamp = c.stamp
	c.mu.RUnlock()
	return known.traceRef, stamp, ok && known.isSpelledBy(at)
}

// isSpelledBy reports whether a point with the same trace ID spells the trace so.
func (s *spelled) isSpelledBy(at *series.Point) bool {
	switch {
	case s.better != at.Record.Better || s.unit != at.Record.Unit:
		return false
	case s.params == nil:
		return isID(at.Identity, at.Trace)
	}
	return s.params.Equal(at.Identity)
}

// forget empties the cache, unless it has a stamp.
func (c *traceCache) forget(stamp int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp != stamp {
		c.values, c.size, c.stamp = nil, 0, stamp
	}
}

// isID reports whether a canonical trace ID is made of the params as they are.
func isID(params traceid.Params, id []byte) bool {
	for _, p := range params {
		end := 2 + len(p.Key) + len(p.Value)
		if len(id) < end || string(id[1:1+len(p.Key)]) != p.Key || id[1+len(p.Key)] != '=' ||
			string(id[2+len(p.Key):end]) != p.Value {
			return false
		}
		id = id[end:]
	}
	return string(id) == ","
}

// add adds the traces of a committed transaction that saw a stamp.
func (c *traceCache) add(traces map[verbatim]traceRef, stamp int64) {
	for v, ref := range traces {
		if as, err := v.parse(); err == nil { // else it is only not cached
			c.cache.add(stamp, v.id, cachedTrace{ref, as}, 120+len(v.id)+3*len(v.params)+len(v.unit))
		}
	}
}

// postingsTable has the params of traces.
var postingsTable = table{"postings", "param_id, trace_group, traces"}

// maxKey is the length of the longest key of a param, in bytes. PostgreSQL limits the keys of an
// index.
const maxKey = 1024

// internTraces finds or adds traces, and adds them to known.
func (t *transaction) internTraces(ctx context.Context, traces []verbatim, known map[verbatim]traceRef) error {
	if len(traces) == 0 {
		return nil
	}
	var names, spellings []name
	index := make(map[spelling]int) // many traces have the same unit and canonical params
	for _, v := range traces {
		names = append(names, hashed(v.id, v.id))
		if _, ok := index[v.spelling]; !ok && v.spelling != (spelling{}) {
			index[v.spelling] = len(spellings)
			spellings = append(spellings, v.spelling.hashed())
		}
	}

	ids, last, err := t.intern(ctx, table{"traces", "id, hash, name"}, names)
	if err != nil {
		return err
	}
	spellingIDs, _, err := t.intern(ctx, table{"spellings", "id, hash, params, unit, better"}, spellings)
	if err != nil {
		return err
	}

	added := make(map[string]int64)
	for i, v := range traces {
		ref := traceRef{trace: ids[i]}
		if i, ok := index[v.spelling]; ok {
			ref.spelling = spellingIDs[i]
		}
		known[v] = ref
		if ref.trace > last {
			added[v.id] = ref.trace
		}
	}
	return t.addParams(ctx, added)
}

// addParams makes new traces known to queries.
func (t *transaction) addParams(ctx context.Context, traces map[string]int64) error {
	byParam := make(map[traceid.Param]traceSet)
	for id, trace := range traces {
		params, err := traceid.Parse(id)
		if err != nil {
			return err
		}
		for _, p := range params {
			if byParam[p] == nil {
				byParam[p] = make(traceSet)
			}
			byParam[p].add(trace)
		}
	}

	params := slices.SortedFunc(maps.Keys(byParam), compareParams)
	names := make([]name, len(params))
	for i, p := range params {
		names[i] = hashed(p.Key+"="+p.Value, p.Key, p.Value, byParam[p].count())
	}
	ids, last, err := t.intern(ctx, table{"params", "id, hash, key, value, traces"}, names)
	if err != nil {
		return err
	}

	var more []any
	sets := make(map[int64]traceSet, len(ids))
	for i, id := range ids {
		sets[id] = byParam[params[i]]
		if id <= last {
			more = append(more, id, sets[id].count())
		}
	}
	if err := t.addToParams(ctx, more); err != nil {
		return err
	}

	var postings []any // in the order of the table
	for _, id := range slices.Sorted(maps.Keys(sets)) {
		for _, group := range slices.Sorted(maps.Keys(sets[id])) {
			postings = append(postings, id, group, int64(sets[id][group]))
		}
	}
	const onConflict = " ON CONFLICT (param_id, trace_group) DO UPDATE SET traces = postings.traces | excluded.traces"
	return t.with(ctx, postingsTable.insertion()+onConflict, postingsTable.columns, postings, nil, nil)
}

func compareParams(a, b traceid.Param) int {
	return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
}

// addToParams adds to the numbers of traces that params have, each an ID and a number.
func (t *transaction) addToParams(ctx context.Context, counts []any) error {
	const query = `
		UPDATE params SET traces = params.traces + n.traces FROM {rows} WHERE params.id = n.id AND params.id {in}`
	return t.with(ctx, query, "id, traces", counts, nil, nil)
}

// commitHash returns the hash of a commit. Measurements without a commit are at one for each run.
func commitHash(name string, trial Trial, run string) [sha256.Size]byte {
	parts := []string{name, trial.Issue, trial.Patchset}
	if name == "" {
		parts = append(parts, run)
	}
	return hashed(strings.Join(parts, "\x00")).hash
}
