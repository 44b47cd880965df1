package series

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/traceid"
)

// params makes params of text such as "a=1 b=2".
func params(text string) traceid.Params {
	var p traceid.Params
	for _, field := range strings.Fields(text) {
		key, value, _ := strings.Cut(field, "=")
		p = append(p, traceid.Param{Key: key, Value: value})
	}
	return p
}

func TestNext(t *testing.T) {
	for _, test := range []struct {
		name, last, next string
		changed          []int
		rekeyed          bool
	}{
		{"nothing", "a=1 b=2", "a=1 b=2", nil, false},
		{"a value", "a=1 b=2", "a=1 b=3", []int{1}, false},
		{"all values", "a=1 b=2", "a=2 b=3", []int{0, 1}, false},
		{"the first", "", "a=1 b=2", []int{0, 1}, true},
		{"none", "a=1 b=2", "", nil, true},
		{"a new key", "a=1 c=3", "a=1 b=2 c=3", []int{1}, true},
		{"a key less", "a=1 b=2 c=3", "a=1 c=3", nil, true},
		{"another key", "a=1 b=2 d=4", "a=1 c=2 d=4", []int{1}, true},
		{"a value and a key", "a=1 b=2 c=3", "a=2 b=2 d=3", []int{0, 2}, true},
		{"a value after a new key", "a=1 c=3", "a=1 b=2 c=4", []int{1, 2}, true},
		{"unsorted", "a=1 b=2", "b=2 a=1", []int{1}, true},
		{"a key twice", "a=1 b=2", "a=1 a=1", []int{1}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Series
			s.Next(params(test.last))
			for i := range s.Pairs {
				s.Pairs[i].KeyHash, s.Pairs[i].Hash = uint64(s.Pairs[i].Key[0]), 1
			}
			s.Next(params(test.next))
			if diff := cmp.Diff(test.changed, append([]int(nil), s.Changed...)); diff != "" || s.Rekeyed != test.rekeyed {
				t.Errorf("rekeyed %v, changed (-want +got):\n%s", s.Rekeyed, diff)
			}

			want := params(test.next)
			size := 0
			for i, x := range s.Pairs {
				if x.Param != want[i] || x.KeyHash != 0 && x.KeyHash != uint64(x.Key[0]) {
					t.Errorf("pair %d: %v with hash of key %d, want %v", i, x.Param, x.KeyHash, want[i])
				}
				if known := x.Hash != 0; known == slices.Contains(s.Changed, i) {
					t.Errorf("pair %d: hash known: %v", i, known)
				}
				size += len(x.Key) + len(x.Value)
			}
			if len(s.Pairs) != len(want) || s.Bytes != size {
				t.Errorf("%d pairs of %d bytes, want %d of %d", len(s.Pairs), s.Bytes, len(want), size)
			}
		})
	}
}

// A Series of any records has the last record's params, and pairs that have not changed keep their
// hashes.
func TestNextRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Series
	for range 20_000 {
		var p traceid.Params
		for key := 'a'; key < 'f'; key++ {
			if r.IntN(4) > 0 {
				p = append(p, traceid.Param{Key: string(key), Value: strings.Repeat("v", r.IntN(3))})
			}
		}
		s.Next(p)
		size := 0
		for i := range s.Pairs {
			x := &s.Pairs[i]
			size += len(x.Key) + len(x.Value)
			hash := uint64(x.Key[0])<<8 + uint64(len(x.Value))
			if x.Param != p[i] || x.Hash != 0 && x.Hash != hash {
				t.Fatalf("%v: pair %d is %v with hash %d, want %d", p, i, x.Param, x.Hash, hash)
			}
			x.Hash = hash
		}
		if len(s.Pairs) != len(p) || s.Bytes != size {
			t.Fatalf("%v: %d pairs of %d bytes, want %d", p, len(s.Pairs), s.Bytes, size)
		}
	}
}

func TestOnly(t *testing.T) {
	for _, test := range []struct {
		last, next string
		index      int
		ok         bool
	}{
		{"a=1 b=2", "a=1 b=3", 1, true},
		{"a=1 b=2", "a=1 b=2", 0, false},
		{"a=1 b=2", "a=2 b=3", 0, false},
		{"a=1 b=2", "a=1 c=2", 0, false},
	} {
		t.Run(test.next, func(t *testing.T) {
			var s Series
			s.Next(params(test.last))
			s.Next(params(test.next))
			if index, ok := s.Only(); index != test.index || ok != test.ok {
				t.Errorf("%d, %v, want %d, %v", index, ok, test.index, test.ok)
			}
		})
	}
}
