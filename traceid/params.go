package traceid

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/chars"
)

// A Param is one key-value pair of a measurement's identity.
type Param struct {
	Key, Value string
}

// Params is a set of pairs, sorted by Key (bytewise), with unique keys. The empty set may be nil.
//
// The functions of this package return sorted Params. Make Params with [Of], [FromMap] or
// [FromPairs], which sort; a literal must be in order. [Params.CheckSorted] checks the order. For
// unsorted Params, [Params.ID], AppendID and Canonical sort a copy, in which the last of repeated
// keys wins. [MakeStrict] and the Writers of all formats refuse unsorted Params.
type Params []Param

// Of returns the set of alternating keys and values, as in Of("test", "encode", "units", "ms").
// It panics if the last key has no value, or if a key repeats, because that is a mistake in the
// program.
func Of(keysAndValues ...string) Params {
	if len(keysAndValues)%2 != 0 {
		panic("traceid.Of: odd number of arguments")
	}
	if len(keysAndValues) == 0 {
		return nil
	}
	p := make(Params, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		p = append(p, Param{keysAndValues[i], keysAndValues[i+1]})
	}
	slices.SortFunc(p, compareKeys)
	if i, ok := p.unsorted(); ok {
		panic("traceid.Of: duplicate key " + strconv.Quote(p[i].Key))
	}
	return p
}

// FromMap returns the pairs of m.
func FromMap(m map[string]string) Params {
	if len(m) == 0 {
		return nil
	}
	p := make(Params, 0, len(m))
	for k, v := range m {
		p = append(p, Param{k, v})
	}
	slices.SortFunc(p, compareKeys)
	return p
}

// FromPairs returns the set of pairs, which may be in any order. The last of pairs with equal keys
// wins.
func FromPairs(pairs ...Param) Params {
	if len(pairs) == 0 {
		return nil
	}
	p := slices.Clone(Params(pairs))
	slices.SortStableFunc(p, compareKeys)
	kept := p[:1]
	for _, next := range p[1:] {
		if last := &kept[len(kept)-1]; last.Key == next.Key {
			last.Value = next.Value
		} else {
			kept = append(kept, next)
		}
	}
	return kept
}

// Merge returns a new set of the pairs of base and over. If both have a key, it takes the value
// from over.
func Merge(base, over Params) Params {
	if len(base)+len(over) == 0 {
		return nil
	}
	return AppendMerge(make(Params, 0, len(base)+len(over)), base, over)
}

// AppendMerge appends the result of [Merge] to dst and returns the extended slice. The memory of
// dst must not overlap with the memory of base or over.
func AppendMerge(dst, base, over Params) Params {
	dst = slices.Grow(dst, len(base)+len(over))
	for len(base) > 0 && len(over) > 0 {
		c := strings.Compare(base[0].Key, over[0].Key)
		if c < 0 {
			dst = append(dst, base[0])
		} else {
			dst, over = append(dst, over[0]), over[1:]
		}
		if c <= 0 {
			base = base[1:]
		}
	}
	dst = append(dst, base...)
	return append(dst, over...)
}

// Find returns the index of key in p, and true. If p does not have key, it returns the index at
// which to insert it, and false.
func (p Params) Find(key string) (int, bool) {
	return slices.BinarySearchFunc(p, key, func(a Param, key string) int { return strings.Compare(a.Key, key) })
}

// Get returns the value of key, and whether p has that key.
func (p Params) Get(key string) (string, bool) {
	if len(p) <= fewParams {
		for i := range p {
			if p[i].Key == key {
				return p[i].Value, true
			}
		}
		return "", false
	}
	if i, ok := p.Find(key); ok {
		return p[i].Value, true
	}
	return "", false
}

// fewParams is the size up to which Get compares all keys. That is faster than a binary search,
// and finds the keys of Params that are not sorted.
const fewParams = 16

// CheckSorted returns an error that names the first key that is out of order or repeated, or nil.
func (p Params) CheckSorted() error {
	if i, ok := p.unsorted(); ok {
		return checkOrder(p[i-1].Key, p[i].Key)
	}
	return nil
}

// unsorted returns the index of the first key that does not sort after its predecessor.
func (p Params) unsorted() (int, bool) {
	for i := 1; i < len(p); i++ {
		if p[i-1].Key >= p[i].Key {
			return i, true
		}
	}
	return 0, false
}

// Clone returns a copy of p. It shares only the strings' memory with p.
func (p Params) Clone() Params { return slices.Clone(p) }

// Equal reports whether p and q have the same pairs. A nil set equals an empty set.
func (p Params) Equal(q Params) bool { return slices.Equal(p, q) }

// All iterates over the keys and values of p, in the order of the keys.
func (p Params) All() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, param := range p {
			if !yield(param.Key, param.Value) {
				return
			}
		}
	}
}

// Map returns the pairs of p as a new map.
func (p Params) Map() map[string]string { return maps.Collect(p.All()) }

// MarshalJSON returns p as a JSON object with its keys in order.
func (p Params) MarshalJSON() ([]byte, error) { return chars.AppendJSONObject(nil, p.All()), nil }

// UnmarshalJSON replaces p by the members of a JSON object, whose values must all be strings.
func (p *Params) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	*p = FromMap(m)
	return nil
}

func compareKeys(a, b Param) int { return strings.Compare(a.Key, b.Key) }
