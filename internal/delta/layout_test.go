package delta

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/traceid"
)

// A Layout makes the IDs that Params.AppendID makes, whatever changes in the params.
func TestLayout(t *testing.T) {
	words := []string{"", "a", "b c", "é", "\xff", "long_value.with-all", "=,;"}
	for _, keys := range [][]string{
		{"k"}, {"a", "b", "c"}, {"a", "b c", "d"}, {"", "a"}, {"b", "a"}, {"a", "b", "c", "d"}, {"a", "a"}, {},
	} {
		t.Run(fmt.Sprintf("%q", keys), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			p := make(traceid.Params, len(keys), 10)
			for i, key := range keys {
				p[i].Key = key
			}
			var l Layout
			for range 2000 {
				for i := range p {
					if r.IntN(3) == 0 {
						p[i].Value = words[r.IntN(len(words))]
					}
				}
				switch r.IntN(50) {
				case 0:
					p = append(p[:len(keys)], traceid.Param{Key: "z", Value: "more"})
				case 1:
					p = p[:len(keys)]
				case 2:
					if len(p) > 0 {
						p[len(p)-1].Key += "x"
					}
				case 3:
					copy(p, traceid.Params{{Key: "new"}})
				}
				got, want := string(l.Source(p).AppendID([]byte("x"), p)), string(p.AppendID([]byte("x")))
				if got != want {
					t.Fatalf("%q: %q, want %q", p, got, want)
				}
			}
		})
	}
}

// A hot value that stays is put into the ID, and others are not: most of them are followed by another
// one.
func TestHotValueStays(t *testing.T) {
	p := traceid.Of("uid", "a b", "unit", "ms")
	var l Layout
	s := l.Source(p)
	id := func(uid string) string {
		p[0].Value = uid
		return string(s.AppendID(nil, p))
	}
	id("a b")
	for _, uid := range []string{"c d", "e f", "c d", "e f"} {
		if id(uid); l.hotValue != "a b" {
			t.Errorf("after %q, the ID has %q", uid, l.hotValue)
		}
	}
	id("i j")
	if got := id("i j"); got != ",uid=i_j,unit=ms," || l.hotValue != "i j" {
		t.Errorf("%q, and the ID has %q", got, l.hotValue)
	}
}

// The hot param stays while it varies, whatever else changes in between.
func TestHotParamStays(t *testing.T) {
	var l Layout
	hot := func(pairs ...string) string {
		p := traceid.Of(pairs...)
		l.Source(p).AppendID(nil, p)
		return p[l.hot].Key
	}
	hot("n", "1", "unit", "B/op")
	for _, n := range []string{"1", "2", "3"} {
		for _, unit := range []string{"ns/op", "B/op", "allocs/op"} {
			if got := hot("n", n, "unit", unit); got != "unit" {
				t.Errorf("n=%s, unit=%s: the hot param is %s", n, unit, got)
			}
		}
	}
	hot("n", "4", "unit", "ns/op")
	if got := hot("n", "5", "unit", "ns/op"); got != "n" {
		t.Errorf("the unit does not vary, but the hot param is %s", got)
	}
}

// Params that are not in the memory of the Layout are encoded without it: another goroutine may own
// them.
func TestSource(t *testing.T) {
	p := traceid.Of("a", "1", "b", "2")
	var l Layout
	s := l.Source(p)
	if got := string(s.AppendID(nil, traceid.Of("a", "1"))); got != ",a=1," || l.known {
		t.Errorf("%q, remembered %v", got, l.known)
	}
	if got := string(s.AppendID(nil, p)); got != ",a=1,b=2," || !l.known {
		t.Errorf("%q, remembered %v", got, l.known)
	}
	p[0].Value = "x" // by the caller, in place
	if got := string(s.AppendID(nil, p)); got != ",a=x,b=2," {
		t.Errorf("%q", got)
	}
	if diff := cmp.Diff(Source{}, s); diff != "" {
		t.Error(diff)
	}
}

// Most records differ from the previous one in one param.
func BenchmarkLayout(b *testing.B) {
	p := traceid.Of("arch", "x86_64", "config", "8888", "os", "Debian", "pkg", "example.com/a/b", "stat", "min",
		"test", "draw_a_circle", "units", "ms")
	stats := []string{"min", "max", "median", "avg"}
	tests := []string{"draw_a_circle", "load_a_page", "sort_1000"}
	run := func(name string, appendID func([]byte, traceid.Params) []byte) {
		b.Run(name, func(b *testing.B) {
			var id []byte
			for i := range b.N {
				p[4].Value = stats[i%4]
				if i%4 == 0 {
					p[5].Value = tests[i/4%3]
				}
				id = appendID(id[:0], p)
			}
		})
	}
	var l Layout
	run("Layout", l.AppendID)
	run("Params", func(dst []byte, p traceid.Params) []byte { return p.AppendID(dst) })
}
