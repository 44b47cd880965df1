package delta

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
			var s Tracker
			s.Compare(params(test.last))
			checkHash(t, &s, params(test.last))
			s.Accept(params(test.last))
			want := params(test.next)
			for range 2 { // the first time, nothing is accepted
				s.Compare(want)
				var changed []int
				for _, c := range s.Changed {
					changed = append(changed, c.Index)
				}
				if diff := cmp.Diff(test.changed, changed); diff != "" || s.Rekeyed != test.rekeyed {
					t.Errorf("rekeyed %v, changed (-want +got):\n%s", s.Rekeyed, diff)
				}
				checkHash(t, &s, want)
			}
			s.Accept(want)
			if diff := cmp.Diff(want, s.Last, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("accepted (-want +got):\n%s", diff)
			}
			if !s.Repeats(want) || !s.Repeats(want.Clone()) || !s.Same() {
				t.Error("accepted params are not the last ones")
			}
			checkHash(t, &s, want)
		})
	}
}

// checkHash reports a hash of the params p, which s compared last, that differs from the hash of
// another Tracker with the same seeds.
func checkHash(t *testing.T, s *Tracker, p traceid.Params) {
	t.Helper()
	got, _ := s.Hash(p)
	one := Tracker{hasher: s.hasher}
	one.Compare(p)
	want, canonical := one.Hash(p)
	if got != want {
		t.Fatalf("%v: hash %d, want %d", p, got, want)
	}
	different := slices.ContainsFunc(p, func(x traceid.Param) bool {
		return traceid.CanonicalString(x.Key) != x.Key || traceid.CanonicalString(x.Value) != x.Value
	})
	if canonical == different {
		t.Fatalf("%v: canonical: %v", p, canonical)
	}
	if s.Bytes != one.Bytes {
		t.Fatalf("%v: %d bytes, want %d", p, s.Bytes, one.Bytes)
	}
}

// A Tracker of any records has the last record's params, and params that have not changed keep their
// hashes. Records that are not accepted don't matter.
func TestNextRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Tracker
	for range 20_000 {
		var p traceid.Params
		for key := 'a'; key < 'f'; key++ {
			if r.IntN(8) > 0 {
				p = append(p, traceid.Param{Key: string(key), Value: strings.Repeat("v", r.IntN(3))})
			}
		}
		s.Compare(p)
		checkHash(t, &s, p)
		if r.IntN(3) == 0 {
			continue
		}
		s.Accept(p)
		if !slices.Equal(s.Last, p) {
			t.Fatalf("%v is accepted as %v", p, s.Last)
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
			var s Tracker
			s.Next(params(test.last))
			s.Next(params(test.next))
			if index, ok := s.Only(); index != test.index || ok != test.ok {
				t.Errorf("%d, %v, want %d, %v", index, ok, test.index, test.ok)
			}
		})
	}
}
