package traceset

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdata/traceid"
)

func TestAdd(t *testing.T) {
	trace := func(v string) traceid.Params { return traceid.Params{{Key: "k", Value: v}} }
	s := Set{Lines: true}
	for i, step := range []struct {
		value   string
		earlier int
		known   bool
	}{
		{"a b", 0, true},
		{"c", 0, true},
		{"a_b", 1, true}, // the same ID
		{"d", 0, false},  // full
		{"e", 0, true},   // reported only once
		{"c", 2, true},
	} {
		if earlier, known := s.Add(trace(step.value), i+1, 2); earlier != step.earlier || known != step.known {
			t.Errorf("step %d: %d, %v, want %d, %v", i, earlier, known, step.earlier, step.known)
		}
	}
}

// Many traces take little memory, and each is found again.
func TestMany(t *testing.T) {
	const n = 100_000
	s := Set{Lines: true}
	trace := traceid.Params{{Key: "k"}}
	for i := range n {
		trace[0].Value = strconv.Itoa(i)
		if earlier, known := s.Add(trace, i+1, n); earlier != 0 || !known {
			t.Fatalf("trace %d: %d, %v", i, earlier, known)
		}
	}
	slots := 0
	for i := range s.parts {
		slots += len(s.parts[i].slots)
	}
	if slots > 2*n {
		t.Errorf("%d slots for %d traces", slots, n)
	}
	for i := range n {
		trace[0].Value = strconv.Itoa(i)
		if earlier, known := s.Add(trace, 1, n); earlier != i+1 || !known {
			t.Fatalf("trace %d again: %d, %v", i, earlier, known)
		}
	}
}

// A large set knows hashes that were added shortly before, and gives each the line it was added with.
func TestRecent(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, lines := range []bool{false, true} {
		s := Set{Lines: lines}
		for i := range n {
			hash := func(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }
			if earlier, known := s.AddHash(hash(i), i+1, n); earlier != 0 || !known {
				t.Fatalf("hash %d: %d, %v", i, earlier, known)
			}
			if r.IntN(20) > 0 {
				continue
			}
			again := max(0, i-r.IntN(100))
			want := 1
			if lines {
				want = again + 1
			}
			if earlier, known := s.AddHash(hash(again), i+1, n); earlier != want || !known {
				t.Fatalf("hash %d after %d: %d, %v, want %d", again, i, earlier, known, want)
			}
		}
	}
}

// Traces are the same if their canonical IDs are, in any order of lookups.
func TestSameIDs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "b", "a b", "a_b", "a/b", "c", "", "é", "d-1"}
	s := Set{Lines: true}
	lines := map[string]int{}
	for line := 1; line <= 20_000; line++ {
		var pairs []traceid.Param
		for range 1 + random.IntN(4) {
			pairs = append(pairs, traceid.Param{Key: words[random.IntN(len(words))], Value: words[random.IntN(len(words))]})
		}
		p := traceid.FromPairs(pairs...)
		earlier, known := s.Add(p, line, 1<<20)
		if want := lines[p.ID()]; earlier != want || !known {
			t.Fatalf("%v with id %s: %d, %v, want line %d", p, p.ID(), earlier, known, want)
		}
		if earlier == 0 {
			lines[p.ID()] = line
		}
	}
}

// Params that traces share, such as a file's header, may be large: they are not hashed for each
// trace.
func BenchmarkLargeHeader(b *testing.B) {
	for _, size := range []int{10, 1_000_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			var s Set
			trace := traceid.Params{{Key: "a"}, {Key: "large", Value: strings.Repeat("x", size)}}
			for i := range b.N {
				trace[0].Value = strconv.Itoa(i)
				s.Add(trace, i+1, b.N)
			}
		})
	}
}

// Keys with the same canonical form: the set agrees with the IDs of the traces, whichever keys and
// values change from one trace to the next.
func TestKeysThatBecomeEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	keys := []string{"a", "a b", "a,b", "a_b", "b", "c/", "c_", "d", "é", "ö", "\xff"}
	values := []string{"", "x", "x y", "x_y", "z"}
	for range 200 {
		s, seen := Set{}, map[string]bool{}
		p := traceid.Params{{Key: "k", Value: "v"}}
		for step := range 100 {
			for range 1 + r.IntN(3) {
				key := keys[r.IntN(len(keys))]
				if r.IntN(3) == 0 {
					p = slices.DeleteFunc(p.Clone(), func(x traceid.Param) bool { return x.Key == key })
				} else {
					p = traceid.Merge(p, traceid.Params{{Key: key, Value: values[r.IntN(len(values))]}})
				}
			}
			id := p.ID()
			if earlier, _ := s.Add(p, step+1, 1000); earlier != 0 != seen[id] {
				t.Fatalf("step %d: %v was added: %v, want %v", step, p, earlier != 0, seen[id])
			}
			seen[id] = true
		}
	}
}
