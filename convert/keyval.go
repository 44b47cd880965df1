package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/keyval"
	"perfdata/traceid"
)

// A keyvalTarget holds all records, because a file is ordered by iteration, while the records of
// other formats are often ordered by key.
type keyvalTarget struct {
	*Writer
	w      format.Writer // of keyvals, or of a report
	report bool          // w holds what it will write

	hold    holder
	keys    map[string]*keyvalKey
	entries []*keyvalEntry
	memory  blocks[keyvalEntry]
	last    traceid.Params // attributes of the last record
	moved   []traceid.Param
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

func toKeyval(w *Writer) (target, error) {
	t := &keyvalTarget{Writer: w, hold: newHolder(w.out), keys: make(map[string]*keyvalKey)}
	w.survey.members.drop(w.out, format.Header{}, false)
	var err error
	t.w, err = w.survey.to.NewWriter(w.out, format.Header{})
	_, keyvals := t.w.(*keyval.Writer)
	t.report = !keyvals
	return t, err
}

func (t *keyvalTarget) write(m *measurement) error {
	t.out.dropLinks(m.rec, t.source.links)
	name := t.names.of(m.identity)
	key := t.keyOf(m, &name)
	n := cmp.Or(m.number, key.last+1)
	if _, taken := key.other[n]; taken || key.first <= n && n <= key.upTo {
		n = key.last + 1
	}
	if m.number > 0 && n != m.number {
		t.out.count(changedNumber, "")
	}

	if key.take(n) {
		t.out.charge(entryBytes(16))
	}
	t.last = t.hold.pairs(t.attrsOf(m, &name), t.last)
	e := t.memory.add()
	*e = keyvalEntry{key: key, n: n, value: m.value, attrs: t.last}
	t.entries = append(t.entries, e)
	return t.out.charge(t.memory.size() + 16) // and its place in the list
}

// take notes that an iteration has a value, and reports whether that takes another entry in a map.
func (k *keyvalKey) take(n int) bool {
	k.last = max(k.last, n)

	switch {
	case k.upTo == 0:
		k.first, k.upTo = n, n
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

	// Others that follow are no longer outside.
	for len(k.other) > 0 {
		if _, ok := k.other[k.upTo+1]; !ok {
			break
		}
		k.upTo++
		delete(k.other, k.upTo)
	}
	return false
}

// attrsOf returns the attributes of a measurement, as a line can hold them: its own, the commit, and the
// params that are not a part of its name. A param hides an attribute of the same key.
func (t *keyvalTarget) attrsOf(m *measurement, name *name) traceid.Params {
	t.moved = t.moved[:0]
	for _, p := range m.identity {
		if p.Key != paramCommit && !name.has(p.Key) && t.names.outside(p) {
			t.moved = append(t.moved, p)
			t.out.count(movedToAttrs, p.Key)
		}
	}
	if m.commit != "" {
		i, _ := traceid.Params(t.moved).Find(paramCommit)
		t.moved = slices.Insert(t.moved, i, traceid.Param{Key: paramCommit, Value: m.commit})
	}
	return mapPairs(t.out, traceid.Merge(m.attrs, t.moved), func(p traceid.Param) traceid.Param {
		value := strings.ReplaceAll(strings.ToValidUTF8(p.Value, "_"), "\n", "_")
		end := len(strings.TrimRight(value, " \t\v\f\r\x1c\x1d\x1e\x1f"))
		return traceid.Param{Key: traceid.CanonicalString(p.Key), Value: value[:end] + strings.Repeat("_", len(value)-end)}
	})
}

// keyOf returns the key of a measurement.
func (t *keyvalTarget) keyOf(m *measurement, name *name) *keyvalKey {
	own, _ := m.identity.Get("key")
	text, sub := name.join(), name.sub
	if name.hasSub || name.unit != "" {
		sub = cmp.Or(sub, "_")
	}
	if sub != "" && text != "" {
		text += "."
	}
	text = traceid.CanonicalString(cutName(cmp.Or(text+sub, "value")))

	key := t.keys[text]
	if key == nil {
		key = &keyvalKey{name: t.hold.text(text)}
		t.keys[key.name] = key
		// The format's Writer remembers the keys of an iteration too.
		t.out.charge(48 + entryBytes(24) + entryBytes(17) + traceBytes)
	}
	if key.name != own {
		t.out.count(movedToName, "")
	}
	if t.series.merges(m.identity, traceid.Params{{Key: "key", Value: text}}) {
		t.out.count(mergedSeries, text)
	}
	return key
}

func (t *keyvalTarget) close() error {
	// Within an iteration, the order of the records stays.
	iteration := func(e *keyvalEntry) int { return e.n }
	slices.SortStableFunc(t.entries, func(a, b *keyvalEntry) int { return cmp.Compare(a.n, b.n) })

	for entries := range runs(t.entries, iteration) {
		var shared common
		for _, e := range entries {
			shared.add(e.attrs)
		}
		if t.report {
			for _, p := range shared.pairs {
				t.out.charge(len(p.Key) + len(p.Value) + 20)
			}
		}
		for _, e := range entries {
			if err := t.writeEntry(e, shared.pairs); err != nil {
				return err
			}
		}
	}
	return t.w.Close()
}

// writeEntry writes an entry of an iteration with the attributes.
func (t *keyvalTarget) writeEntry(e *keyvalEntry, attrs traceid.Params) error {
	rec := format.Record{
		Params: traceid.Params{{Key: "iteration", Value: strconv.Itoa(e.n)}, {Key: "key", Value: e.key.name}},
		Value:  e.value, Attrs: attrs,
	}
	if len(e.attrs) > len(attrs) {
		for _, p := range e.attrs {
			if _, shared := attrs.Get(p.Key); !shared {
				t.out.count(lostAttrs, p.Key)
			}
		}
	}
	if t.report {
		if err := t.out.charge(len(e.key.name) + 80); err != nil {
			return err
		}
	}
	return t.out.refused(&rec, t.w.Write(&rec))
}
