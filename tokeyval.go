package perfdata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/keyval"
	"perfdata/traceid"
)

// A keyvalTarget keeps all records, because the iterations of a file stand one after the other, and the values of a key, in
// other formats, do so too.
type keyvalTarget struct {
	out *sink
	w   *keyval.Writer

	common    *common                  // params of all records
	constants traceid.Params           // those of them that become attributes
	keys      map[string]string        // of what tells measurements apart, to the key
	used      map[string]bool          // keys
	last      map[string]int           // of a key, its last iteration
	taken     map[keyvalIteration]bool // have a value
	entries   []keyvalEntry
}

type keyvalIteration struct {
	key string
	n   int
}

type keyvalEntry struct {
	keyvalIteration
	value float64
	attrs traceid.Params
}

func toKeyval(out *sink, s *Survey) target {
	s.dropHeader(out)
	t := &keyvalTarget{
		out: out, w: keyval.NewWriter(out, keyval.Header{}), common: &s.params,
		keys: make(map[string]string), used: make(map[string]bool), last: make(map[string]int),
		taken: make(map[keyvalIteration]bool),
	}
	constants := s.params.except(func(p traceid.Param) bool { return p.Key == "key" || p.Key == "iteration" })
	for _, p := range constants {
		out.lost("params that became attributes of all iterations", func() string { return p.Key + "=" + message.Quote(p.Value) })
	}
	t.constants = mapPairs(out, &format.Record{Params: constants}, constants, fitAttr)
	return t
}

func (t *keyvalTarget) write(rec *format.Record) error {
	t.out.dropLinks(rec)
	e := keyvalEntry{value: rec.Value, attrs: mapPairs(t.out, rec, rec.Attrs, fitAttr)}
	if n := len(t.entries); n > 0 && t.entries[n-1].attrs.Equal(e.attrs) {
		e.attrs = t.entries[n-1].attrs
	}
	e.key = t.keyOf(rec)
	n, numbered := iterationOf(rec)
	if !numbered {
		n = t.last[e.key] + 1
	}
	e.n = n
	for {
		if !t.taken[e.keyvalIteration] {
			break
		}
		e.n = max(e.n, t.last[e.key]) + 1
	}
	if e.n != n {
		t.out.lost("values in another iteration, because theirs has the key already", func() string {
			return fmt.Sprintf("%s, which became iteration %d", rec.TraceID(), e.n)
		})
	}
	t.taken[e.keyvalIteration] = true
	t.last[e.key] = max(t.last[e.key], e.n)
	t.entries = append(t.entries, e)
	return nil
}

// iterationOf returns a record's iteration, if it has a param that can be one.
func iterationOf(rec *format.Record) (int, bool) {
	s, ok := rec.Params.Get("iteration")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && strconv.Itoa(n) == s
}

// keyOf returns the key of a record: its param key, and what else tells its measurement from others.
func (t *keyvalTarget) keyOf(rec *format.Record) string {
	_, numbered := iterationOf(rec)
	var parts []string
	var identity []byte
	add := func(p traceid.Param) {
		identity = append(append(append(append(identity, p.Key...), 0), p.Value...), 0)
		parts = append(parts, canonical(p.Value))
	}
	own, hasKey := rec.Params.Get("key")
	if hasKey {
		add(traceid.Param{Key: "key", Value: own})
	}
	for _, p := range rec.Params {
		if p.Key != "key" && !(p.Key == "iteration" && numbered) && !t.common.has(p.Key) {
			add(p)
		}
	}
	key, ok := t.keys[string(identity)]
	if !ok {
		if len(parts) == 0 {
			parts = t.fixedParts()
		}
		base := strings.Join(parts, ".")
		key = base
		for i := 2; t.used[key]; i++ {
			key = base + "-" + strconv.Itoa(i)
		}
		t.used[key] = true
		t.keys[string(identity)] = key
	}
	if key != own {
		t.out.lost("params that became the key", func() string { return rec.TraceID() + ", which became " + key })
	}
	return key
}

// fixedParts returns a key for a file whose measurements are all the same.
func (t *keyvalTarget) fixedParts() []string {
	var parts []string
	for _, key := range []string{"test", "name", "sub_result", "unit", "units"} {
		if value, ok := t.common.get(key); ok {
			parts = append(parts, canonical(value))
		}
	}
	if len(parts) == 0 {
		return []string{"value"}
	}
	return parts
}

// canonical returns s with the characters that keyvals' keys, and trace ids, are made of.
func canonical(s string) string { return (*traceid.Charset)(nil).CanonicalString(s) }

// fitAttr returns an attribute as a line can hold it.
func fitAttr(p traceid.Param) traceid.Param {
	value := strings.ReplaceAll(strings.ToValidUTF8(p.Value, "_"), "\n", "_")
	end := len(strings.TrimRight(value, " \t\v\f\r\x1c\x1d\x1e\x1f"))
	return traceid.Param{Key: canonical(p.Key), Value: value[:end] + strings.Repeat("_", len(value)-end)}
}

func (t *keyvalTarget) close() error {
	slices.SortStableFunc(t.entries, func(a, b keyvalEntry) int { return a.n - b.n })
	for i := 0; i < len(t.entries); {
		n := t.entries[i].n
		end := i
		var shared common
		for end < len(t.entries) && t.entries[end].n == n {
			shared.add(t.entries[end].attrs, end == i)
			end++
		}
		// What a param is called, no attribute is called besides.
		attrs := traceid.Merge(shared.pairs, t.constants)
		for _, e := range t.entries[i:end] {
			if err := t.writeEntry(&e, attrs); err != nil {
				return err
			}
		}
		i = end
	}
	t.entries = nil
	return t.w.Close()
}

func (t *keyvalTarget) writeEntry(e *keyvalEntry, attrs traceid.Params) error {
	rec := format.Record{
		Params: traceid.Params{{Key: "iteration", Value: strconv.Itoa(e.n)}, {Key: "key", Value: e.key}},
		Value:  e.value, Attrs: attrs,
	}
	for _, p := range e.attrs {
		if value, ok := attrs.Get(p.Key); !ok || value != p.Value {
			t.out.lost(lostAttrs, pairOf(p.Key, p.Value, &rec))
		}
	}
	err := t.w.Write(&rec)
	if err != nil && t.out.err == nil {
		t.out.leftOut(&rec, err.Error())
		return nil
	}
	return err
}
