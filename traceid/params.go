package traceid

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"perfdata/internal/jsonenc"
)

// A Param is one key-value pair of a measurement's identity.
type Param struct {
	Key, Value string
}

// Params is a set of pairs: sorted by Key, bytewise, with no key twice. The functions of this package return Params
// in that form; whoever builds Params in another way has to keep to it. The empty set may be nil.
type Params []Param

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

// FromPairs returns the given pairs, which may come in any order. Of pairs with equal keys the last one wins.
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

// Merge returns the pairs of base and over in one new set. Where both have a key, the value of over counts.
func Merge(base, over Params) Params {
	if len(base)+len(over) == 0 {
		return nil
	}
	return AppendMerge(make(Params, 0, len(base)+len(over)), base, over)
}

// AppendMerge appends the result of [Merge] to dst and returns the extended slice. The memory of dst must not
// overlap with that of base or over.
func AppendMerge(dst, base, over Params) Params {
	for len(base) > 0 && len(over) > 0 {
		switch c := strings.Compare(base[0].Key, over[0].Key); {
		case c < 0:
			dst = append(dst, base[0])
			base = base[1:]
		case c > 0:
			dst = append(dst, over[0])
			over = over[1:]
		default:
			dst = append(dst, over[0])
			base, over = base[1:], over[1:]
		}
	}
	dst = append(dst, base...)
	return append(dst, over...)
}

// Find returns the index of key in p, or the index at which it would have to be inserted, and whether it is there.
func (p Params) Find(key string) (int, bool) {
	return slices.BinarySearchFunc(p, key, func(a Param, key string) int { return strings.Compare(a.Key, key) })
}

// Get returns the value of key, and whether p has that key.
func (p Params) Get(key string) (string, bool) {
	if i, ok := p.Find(key); ok {
		return p[i].Value, true
	}
	return "", false
}

// Sorted reports whether p is what [Params] promises: its keys strictly ascend.
func (p Params) Sorted() bool {
	for i := 1; i < len(p); i++ {
		if p[i-1].Key >= p[i].Key {
			return false
		}
	}
	return true
}

// Clone returns a copy of p that shares no memory with p but the strings.
func (p Params) Clone() Params { return slices.Clone(p) }

// Equal reports whether p and q hold the same pairs. A nil set equals an empty one.
func (p Params) Equal(q Params) bool { return slices.Equal(p, q) }

// Compare orders sets pair by pair, first by key and then by value; a set that begins another comes before it.
// It returns a negative number, zero or a positive number, like [cmp.Compare].
func (p Params) Compare(q Params) int {
	return slices.CompareFunc(p, q, func(a, b Param) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
}

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
func (p Params) MarshalJSON() ([]byte, error) { return jsonenc.AppendParams(nil, p.All()), nil }

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
