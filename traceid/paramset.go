package traceid

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
)

// A ParamSet collects the values of each key over many sets of params. The zero ParamSet is empty
// and ready for use.
type ParamSet struct {
	values map[string]map[string]struct{}
}

// Add adds the pairs of p.
func (s *ParamSet) Add(p Params) {
	for _, x := range p {
		values, ok := s.values[x.Key]
		if !ok {
			if s.values == nil {
				s.values = make(map[string]map[string]struct{})
			}
			values = make(map[string]struct{})
			s.values[x.Key] = values
		}
		values[x.Value] = struct{}{}
	}
}

// Values returns the values of key, sorted. Without such a key, it returns nil.
func (s *ParamSet) Values(key string) []string { return slices.Sorted(maps.Keys(s.values[key])) }

// All iterates over the keys, in order, each with its sorted values.
func (s *ParamSet) All() iter.Seq2[string, []string] {
	return func(yield func(key string, values []string) bool) {
		for _, key := range slices.Sorted(maps.Keys(s.values)) {
			if !yield(key, s.Values(key)) {
				return
			}
		}
	}
}

// MarshalJSON returns the set as a JSON object. Each key has the array of its values. Keys and
// values are sorted.
func (s *ParamSet) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(s.All())) }
