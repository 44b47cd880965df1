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
		s.add(x.Key, x.Value)
	}
}

// AddSet adds the pairs of other.
func (s *ParamSet) AddSet(other *ParamSet) {
	for key, values := range other.values {
		for value := range values {
			s.add(key, value)
		}
	}
}

func (s *ParamSet) add(key, value string) {
	values, ok := s.values[key]
	if !ok {
		if s.values == nil {
			s.values = make(map[string]map[string]struct{})
		}
		values = make(map[string]struct{})
		s.values[key] = values
	}
	values[value] = struct{}{}
}

// Keys returns the keys, sorted.
func (s *ParamSet) Keys() []string { return slices.Sorted(maps.Keys(s.values)) }

// Values returns the values of key, sorted. Without such a key, it returns nil.
func (s *ParamSet) Values(key string) []string { return slices.Sorted(maps.Keys(s.values[key])) }

// All iterates over the keys, in order, each with its sorted values.
func (s *ParamSet) All() iter.Seq2[string, []string] {
	return func(yield func(key string, values []string) bool) {
		for _, key := range s.Keys() {
			if !yield(key, s.Values(key)) {
				return
			}
		}
	}
}

// MarshalJSON returns the set as a JSON object. Each key has the array of its values. Keys and
// values are sorted.
func (s *ParamSet) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(s.All())) }
