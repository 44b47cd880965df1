package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unpackAll(t *testing.T, group int64, traces, wanted uint64, pack []byte) (all []packed) {
	t.Helper()
	if err := unpack(group, traces, wanted, pack, func(m *packed) { all = append(all, *m) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// packedBits compares values by their bits.
var packedBits = cmp.Options{cmp.AllowUnexported(packed{}), cmp.Comparer(func(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b)
})}

// takePack returns what a packer has, without its checksum.
func takePack(t testing.TB, p *packer) (traces uint64, pack []byte) {
	t.Helper()
	var r rowGroup
	p.take(&r)
	pack, err := unseal(r.pack, r.keys())
	if err != nil {
		t.Fatal(err)
	}
	return r.traces, pack
}

func TestPack(t *testing.T) {
	nan := math.Float64frombits(0x7ff8_0000_0000_0001)
	for _, c := range []struct {
		name string
		size int // of the pack
		all  []packed
	}{
		{"none", 0, nil},
		{"one", 4, []packed{{trace: 64, n: 1, value: 0.5}}},
		{"first and last of a group", 20, []packed{
			{trace: 128, n: 1, offset: 7, value: 1.1},
			{trace: 191, n: 1, offset: 7, value: 1.1},
		}},
		{"repetitions", 9, []packed{
			{trace: 3, n: 1, offset: 7, value: 2},
			{trace: 3, n: 2, offset: 14, value: 2},
			{trace: 3, n: 3, offset: 21, value: 2},
		}},
		{"numbers", 19, []packed{{trace: 3, n: 5}, {trace: 3, n: 9}, {trace: 4, n: -1}, {trace: 5}, {trace: 6, n: math.MaxInt32}}},
		{"details", 18, []packed{
			{trace: 1, n: 1, spelling: 7, details: -16}, {trace: 2, n: 1, spelling: 7, details: -17},
			{trace: 3, n: 1, spelling: 7, details: -18}, {trace: 4, n: 1}, {trace: 5, n: 1},
		}},
		{"offsets", 26, []packed{
			{trace: 1, n: 1, offset: math.MaxInt64}, {trace: 2, n: 1},
			{trace: 3, n: 1, offset: -1}, {trace: 4, n: 1},
		}},
		{"values", 49, []packed{
			{trace: 1, n: 1}, {trace: 2, n: 1, value: math.Copysign(0, -1)}, {trace: 3, n: 1, value: nan},
			{trace: 4, n: 1, value: math.Inf(-1)}, {trace: 5, n: 1, value: math.SmallestNonzeroFloat64},
			{trace: 6, n: 1, value: math.MaxFloat64}, {trace: 7, n: 1, value: 1.0 / 3},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p packer
			group, traces := int64(0), uint64(0)
			for _, m := range c.all {
				group = memberOf(m.trace).group
				traces |= memberOf(m.trace).bit
				p.add(&m)
			}
			got, pack := takePack(t, &p)
			if got != traces || len(pack) != c.size {
				t.Errorf("traces %x, %d bytes, want %x, %d", got, len(pack), traces, c.size)
			}
			want := slices.Clone(c.all)
			back := unpackAll(t, group, traces, math.MaxUint64, pack)
			if diff := cmp.Diff(want, back, packedBits); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			// What is cut off is an error, or what was before it.
			for n := range pack {
				var some []packed
				err := unpack(group, traces, math.MaxUint64, pack[:n], func(m *packed) { some = append(some, *m) })
				if len(some) >= len(c.all) || err != nil && err != errPack {
					t.Errorf("%d bytes: %v, %v", n, some, err)
				}
			}
		})
	}
}

// A random pack has what was added, and all of some traces that are wanted.
func TestPackRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p packer
	for range 300 {
		group, trace := r.Int64N(1000), int64(0)
		var all []packed
		for trace < groupSize {
			m := packed{trace: group*groupSize + trace, n: 1 + r.Int64N(3), value: r.NormFloat64()}
			m.spelling, m.details = r.Int64N(3), -16-r.Int64N(40)
			m.offset = r.Int64N(1 << 40)
			all = append(all, m)
			p.add(&m)
			trace += r.Int64N(4)
		}
		traces, pack := takePack(t, &p)
		wanted := r.Uint64()
		want := slices.DeleteFunc(slices.Clone(all), func(m packed) bool { return memberOf(m.trace).bit&wanted == 0 })
		got := unpackAll(t, group, traces, wanted, pack)
		if diff := cmp.Diff(want, got, packedBits); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var p packer
	p.add(&packed{trace: 1, n: 1, value: 1.5})
	p.add(&packed{trace: 1, n: 7, value: 1.5, spelling: 3, details: -17})
	traces, pack := takePack(f, &p)
	f.Add(int64(traces), pack)
	f.Fuzz(func(t *testing.T, traces int64, pack []byte) {
		last := int64(-1)
		unpack(0, uint64(traces), math.MaxUint64, pack, func(m *packed) {
			if m.trace < last || m.trace >= groupSize || memberOf(m.trace).bit&uint64(traces) == 0 {
				t.Errorf("trace %d after %d", m.trace, last)
			}
			last = m.trace
		})
	})
}
