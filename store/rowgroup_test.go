package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unpackAll(t *testing.T, group int64, traces, wanted uint64, data []byte) (all []entry) {
	t.Helper()
	if err := decodeRowGroup(group, traces, wanted, data, func(m *entry) { all = append(all, *m) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// packedBits compares values by their bits.
var packedBits = cmp.Options{cmp.AllowUnexported(entry{}), cmp.Comparer(func(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b)
})}

// takePack returns what a rowGroupWriter has, without its checksum.
func takePack(t testing.TB, p *rowGroupWriter) (traces uint64, data []byte) {
	t.Helper()
	var r rowGroup
	p.take(&r)
	data, err := unseal(r.data, r.keys())
	if err != nil {
		t.Fatal(err)
	}
	return r.traces, data
}

func TestRowGroup(t *testing.T) {
	nan := math.Float64frombits(0x7ff8_0000_0000_0001)
	for _, c := range []struct {
		name string
		size int // of the row group
		all  []entry
	}{
		{"none", 0, nil},
		{"one", 4, []entry{{trace: 64, n: 1, value: 0.5}}},
		{"first and last of a group", 20, []entry{
			{trace: 128, n: 1, offset: 7, value: 1.1},
			{trace: 191, n: 1, offset: 7, value: 1.1},
		}},
		{"repetitions", 9, []entry{
			{trace: 3, n: 1, offset: 7, value: 2},
			{trace: 3, n: 2, offset: 14, value: 2},
			{trace: 3, n: 3, offset: 21, value: 2},
		}},
		{"numbers", 19, []entry{{trace: 3, n: 5}, {trace: 3, n: 9}, {trace: 4, n: -1}, {trace: 5}, {trace: 6, n: math.MaxInt32}}},
		{"annotations", 18, []entry{
			{trace: 1, n: 1, spelling: 7, annotations: -16}, {trace: 2, n: 1, spelling: 7, annotations: -17},
			{trace: 3, n: 1, spelling: 7, annotations: -18}, {trace: 4, n: 1}, {trace: 5, n: 1},
		}},
		{"offsets", 26, []entry{
			{trace: 1, n: 1, offset: math.MaxInt64}, {trace: 2, n: 1},
			{trace: 3, n: 1, offset: -1}, {trace: 4, n: 1},
		}},
		{"values", 49, []entry{
			{trace: 1, n: 1}, {trace: 2, n: 1, value: math.Copysign(0, -1)}, {trace: 3, n: 1, value: nan},
			{trace: 4, n: 1, value: math.Inf(-1)}, {trace: 5, n: 1, value: math.SmallestNonzeroFloat64},
			{trace: 6, n: 1, value: math.MaxFloat64}, {trace: 7, n: 1, value: 1.0 / 3},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p rowGroupWriter
			group, traces := int64(0), uint64(0)
			for _, m := range c.all {
				group = memberOf(m.trace).group
				traces |= memberOf(m.trace).bit
				p.add(&m)
			}
			got, data := takePack(t, &p)
			if got != traces || len(data) != c.size {
				t.Errorf("traces %x, %d bytes, want %x, %d", got, len(data), traces, c.size)
			}
			want := slices.Clone(c.all)
			back := unpackAll(t, group, traces, math.MaxUint64, data)
			if diff := cmp.Diff(want, back, packedBits); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			// A truncated row group is an error, or returns the measurements before the cut.
			for n := range data {
				var some []entry
				err := decodeRowGroup(group, traces, math.MaxUint64, data[:n], func(m *entry) { some = append(some, *m) })
				if len(some) >= len(c.all) || err != nil && err != errRowGroup {
					t.Errorf("%d bytes: %v, %v", n, some, err)
				}
			}
		})
	}
}

// A random row group has the measurements that were added, and returns all measurements of
// selected traces.
func TestRowGroupRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p rowGroupWriter
	for range 300 {
		group, trace := r.Int64N(1000), int64(0)
		var all []entry
		for trace < groupSize {
			m := entry{trace: group*groupSize + trace, n: 1 + r.Int64N(3), value: r.NormFloat64()}
			m.spelling, m.annotations = r.Int64N(3), -16-r.Int64N(40)
			m.offset = r.Int64N(1 << 40)
			all = append(all, m)
			p.add(&m)
			trace += r.Int64N(4)
		}
		traces, data := takePack(t, &p)
		wanted := r.Uint64()
		want := slices.DeleteFunc(slices.Clone(all), func(m entry) bool { return memberOf(m.trace).bit&wanted == 0 })
		got := unpackAll(t, group, traces, wanted, data)
		if diff := cmp.Diff(want, got, packedBits); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var p rowGroupWriter
	p.add(&entry{trace: 1, n: 1, value: 1.5})
	p.add(&entry{trace: 1, n: 7, value: 1.5, spelling: 3, annotations: -17})
	traces, data := takePack(f, &p)
	f.Add(int64(traces), data)
	f.Fuzz(func(t *testing.T, traces int64, data []byte) {
		last := int64(-1)
		decodeRowGroup(0, uint64(traces), math.MaxUint64, data, func(m *entry) {
			if m.trace < last || m.trace >= groupSize || memberOf(m.trace).bit&uint64(traces) == 0 {
				t.Errorf("trace %d after %d", m.trace, last)
			}
			last = m.trace
		})
	})
}
