package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/keyval"
	"perfdata/traceid"
)

// A keyvalTarget holds all records, because a file is ordered by iteration, while the records of
// other formats are often ordered by key.
type keyvalTarget struct {
	out *sink
	w   *keyval.Writer
	tap *keyval.TAPReport // instead of w

	common    *common        // params of all records
	constants traceid.Params // the params that become attributes
	hold      holder
	keys      map[hash]*keyvalKey // by what tells measurements apart
	used      map[string]int      // names of keys, with the last number that was tried after each
	entries   blocks[keyvalEntry]
	attrs     traceid.Params // of the record before
	ordered   bool           // the iterations of the entries ascend
	identity  []byte
}

// A keyvalKey is a key, and which of its iterations have a value: usually consecutive ones, which
// take no map.
type keyvalKey struct {
	name        string
	first, upTo int              // all from first to upTo, if upTo is not 0
	other       map[int]struct{} // and these
	last        int              // the greatest
}

type keyvalEntry struct {
	key   *keyvalKey
	n     int // the iteration
	value float64
	attrs traceid.Params
}

func toKeyval(w *Writer, s *Survey) target {
	out := w.out
	s.members.drop(out, named())
	t := &keyvalTarget{
		out: out, w: keyval.NewWriter(out, keyval.Header{}), common: &s.params, hold: newHolder(out),
		keys: make(map[hash]*keyvalKey), used: make(map[string]int), ordered: true,
	}
	constants := s.params.except(func(p traceid.Param) bool { return p.Key == "key" || p.Key == paramIteration })
	if w.commit != "" {
		constants = traceid.Merge(constants, traceid.Params{{Key: paramCommit, Value: w.commit}})
	}
	for _, p := range constants {
		if p.Key == paramCommit {
			continue // it is an attribute of the file anyway
		}
		out.count(MovedToIteration, p.Key, func() string { return shorten(p.Key) + "=" + message.Quote(p.Value) })
	}
	t.constants = mapPairs(out, &format.Record{Params: constants}, constants, fitAttr)
	return t
}

func toTAP(w *Writer, s *Survey) target {
	t := toKeyval(w, s).(*keyvalTarget)
	t.w, t.tap = nil, new(keyval.TAPReport)
	return t
}

func (t *keyvalTarget) write(m *measurement) error {
	rec := m.withParams(m.params)
	t.out.dropLinks(rec)
	key := t.keyOf(rec)
	wanted, isNumbered := iterationOf(rec)
	switch {
	case m.number > 0:
		wanted = m.number
	case !isNumbered:
		wanted = key.last + 1
	}

	n := wanted
	for key.has(n) {
		n = max(n, key.last) + 1
	}
	if n != wanted {
		t.out.count(ChangedIteration, "", func() string {
			return fmt.Sprintf("%s, which became iteration %d", shorten(rec.TraceID()), n)
		})
	}

	if key.take(n) {
		t.out.charge(entryBytes(16))
	}
	if count := t.entries.n; count > 0 && n < t.entries.at(count-1).n {
		t.ordered = false
	}

	attrs := t.hold.pairs(mapPairs(t.out, rec, rec.Attrs, fitAttr), t.attrs)
	t.attrs = attrs
	*t.entries.add() = keyvalEntry{key: key, n: n, value: rec.Value, attrs: attrs}
	return t.out.charge(t.entries.size() + 4) // and its place in the order
}

// has reports whether an iteration has a value.
func (k *keyvalKey) has(n int) bool {
	_, ok := k.other[n]
	return ok || k.first <= n && n <= k.upTo
}

// take notes that an iteration has a value, and reports whether that takes another entry in a map.
func (k *keyvalKey) take(n int) bool {
	k.last = max(k.last, n)
	switch {
	case k.upTo == 0:
		k.first, k.upTo = n, n
		return false
	case n == k.first-1:
		k.first--
	case n == k.upTo+1:
		k.upTo++
	default:
		if k.other == nil {
			k.other = make(map[int]struct{})
		}
		k.other[n] = struct{}{}
		return true
	}

	for k.removeOther(k.first - 1) {
		k.first--
	}
	for k.removeOther(k.upTo + 1) {
		k.upTo++
	}
	return false
}

// removeOther removes an iteration from other, and reports whether it was there.
func (k *keyvalKey) removeOther(n int) bool {
	_, ok := k.other[n]
	delete(k.other, n)
	return ok
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

// keyOf returns the key of a record: its param key, and what else tells its measurement from
// others.
func (t *keyvalTarget) keyOf(rec *format.Record) *keyvalKey {
	_, numbered := iterationOf(rec)
	var parts []string
	t.identity = t.identity[:0]
	add := func(p traceid.Param) {
		t.identity = append(append(t.identity, p.Key...), 0)
		t.identity = append(append(t.identity, p.Value...), 0)
		parts = append(parts, traceid.CanonicalString(p.Value))
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

	identity := t.hold.hash(t.identity)
	key := t.keys[identity]
	if key == nil {
		if len(parts) == 0 {
			parts = t.fixedParts()
		}
		key = &keyvalKey{name: t.newName(cutName(strings.Join(parts, ".")))}
		t.keys[identity] = key
		// The format's Writer remembers the keys of an iteration too.
		t.out.charge(48 + entryBytes(hashBytes+8) + entryBytes(17))
	}
	if key.name != own {
		t.out.count(MovedToKey, "", func() string { return shorten(rec.TraceID()) + ", which became " + key.name })
	}
	return key
}

// newName returns a name that no key has: base, perhaps with a number after it.
func (t *keyvalTarget) newName(base string) string {
	name := base
	if n, taken := t.used[base]; taken {
		for ; taken; _, taken = t.used[name] {
			n++
			name = base + "-" + strconv.Itoa(n)
		}
		t.used[base] = n
	}
	name = t.hold.text(name)
	t.used[name] = 1
	t.out.charge(entryBytes(24))
	return name
}

// fixedParts returns a key for a file whose measurements are all the same.
func (t *keyvalTarget) fixedParts() []string {
	var parts []string
	for _, key := range []string{"test", "name", "sub_result", "unit", "units"} {
		if value, ok := t.common.get(key); ok {
			parts = append(parts, traceid.CanonicalString(value))
		}
	}
	if len(parts) == 0 {
		return []string{"value"}
	}
	return parts
}

// fitAttr returns an attribute as a line can hold it.
func fitAttr(p traceid.Param) traceid.Param {
	value := strings.ReplaceAll(strings.ToValidUTF8(p.Value, "_"), "\n", "_")
	end := len(strings.TrimRight(value, " \t\v\f\r\x1c\x1d\x1e\x1f"))
	return traceid.Param{Key: traceid.CanonicalString(p.Key), Value: value[:end] + strings.Repeat("_", len(value)-end)}
}

func (t *keyvalTarget) close() error {
	at := t.order()
	for i := 0; i < t.entries.n; {
		n := at(i).n
		end := i
		var shared common
		for end < t.entries.n && at(end).n == n {
			shared.add(at(end).attrs, end == i)
			end++
		}

		// A param hides an attribute of the same key.
		attrs := traceid.Merge(shared.pairs, t.constants)
		it := keyval.Iteration{Index: n, Attr: attrs}
		for ; i < end; i++ {
			if err := t.writeEntry(at(i), &it); err != nil {
				return err
			}
		}
		if err := t.endIteration(&it); err != nil {
			return err
		}
	}

	if t.tap != nil {
		_, err := t.tap.WriteTo(t.out)
		return err
	}
	return t.w.Close()
}

// order returns the entries in the order of their iterations. Within an iteration, the order of
// the records stays.
func (t *keyvalTarget) order() (at func(i int) *keyvalEntry) {
	if t.ordered {
		return t.entries.at
	}
	indexes := make([]int32, t.entries.n)
	for i := range indexes {
		indexes[i] = int32(i)
	}
	slices.SortFunc(indexes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.entries.at(int(a)).n, t.entries.at(int(b)).n), cmp.Compare(a, b))
	})
	return func(i int) *keyvalEntry { return t.entries.at(int(indexes[i])) }
}

// writeEntry writes an entry of an iteration. For TAP, it adds the entry to the iteration.
func (t *keyvalTarget) writeEntry(e *keyvalEntry, it *keyval.Iteration) error {
	rec := format.Record{
		Params: traceid.Params{{Key: "iteration", Value: strconv.Itoa(e.n)}, {Key: "key", Value: e.key.name}},
		Value:  e.value, Attrs: it.Attr,
	}
	for _, p := range e.attrs {
		if value, ok := it.Attr.Get(p.Key); !ok || value != p.Value {
			t.out.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, &rec))
		}
	}
	if t.tap != nil {
		it.Perf = append(it.Perf, keyval.Keyval{Key: e.key.name, Value: e.value})
		return t.out.charge(len(e.key.name) + 80)
	}
	err := t.w.Write(&rec)
	if err != nil && t.out.err == nil {
		t.out.refused(&rec, err)
		return nil
	}
	return err
}

// endIteration adds an iteration to the TAP report.
func (t *keyvalTarget) endIteration(it *keyval.Iteration) error {
	if t.tap == nil {
		return nil
	}
	for _, p := range it.Attr {
		t.out.charge(len(p.Key) + len(p.Value) + 20)
	}
	if err := t.tap.AddIteration(it); err != nil {
		why := err.Error()
		t.out.countN(LostRecords, why, len(it.Perf), func() string { return why })
	}
	return t.out.err
}
