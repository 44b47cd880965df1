package convert

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/perun"
	"perfdata/traceid"
)

// How much the targets hold of each record, for several kinds of records.
var heldRecords = []struct {
	name string
	make func(i int) *format.Record
}{
	{"distinct keys and values", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: fmt.Sprint("k", i), Value: fmt.Sprint("v", i)}}}
	}},
	{"distinct tests", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: "test", Value: fmt.Sprint("t", i)}, {Key: "units", Value: "ms"}}}
	}},
	{"few tests, many params", func(i int) *format.Record {
		params := traceid.Params{{Key: "config", Value: fmt.Sprint("c", i%100)}}
		for j := range 8 {
			params = append(params, traceid.Param{Key: fmt.Sprint("k", j), Value: fmt.Sprint("v", i%10*j)})
		}
		return &format.Record{Params: append(params, traceid.Param{Key: "test", Value: fmt.Sprint("t", i/1000)})}
	}},
	{"repeated measurements", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: "sub_result", Value: "min_ms"}, {Key: "test", Value: "a"}}}
	}},
	{"repetitions that descend", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: "repetition", Value: fmt.Sprint(1<<20 - i)},
			{Key: "sub_result", Value: "min_ms"}}}
	}},
	{"long values", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: "test", Value: fmt.Sprint(i, strings.Repeat("x", 1000))}}}
	}},
	{"attrs", func(i int) *format.Record {
		return &format.Record{
			Params: traceid.Params{{Key: "test", Value: fmt.Sprint("t", i%500)}},
			Attrs:  traceid.Params{{Key: "a", Value: fmt.Sprint(i)}, {Key: "b", Value: "x"}},
		}
	}},
	{"units", func(i int) *format.Record {
		return &format.Record{Params: traceid.Params{{Key: "test", Value: "t"}, {Key: "units", Value: fmt.Sprint("u", i)}}}
	}},
}

// The memory that is charged for records is the memory that they take.
func TestHeldIsCharged(t *testing.T) {
	n := quick.Of(12_000, 4000)
	for _, to := range []string{"nanolegacy", "keyval"} {
		for _, test := range heldRecords {
			t.Run(to+"/"+test.name, func(t *testing.T) {
				w, err := surveyOf(to).NewWriter(io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				before := heapBytes()
				for i := range n {
					if err := w.Write(test.make(i)); err != nil {
						t.Fatal(err)
					}
				}
				took, charged := heapBytes()-before, w.out.held
				t.Logf("%d bytes a record, charged %d", took/int64(n), charged/int64(n))
				if took > charged+charged/10 || charged > 4*took {
					t.Errorf("they take %d bytes, charged are %d", took, charged)
				}
				runtime.KeepAlive(w)
			})
		}
	}
}

// A unit is charged once, and more if it has metadata, which the format's Writer remembers: 230 bytes, less
// the growth of maps.
func TestUnitsAreCharged(t *testing.T) {
	held := func(times int, key string, attrs traceid.Params) int64 {
		w, err := surveyOf("benchfmt").NewWriter(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 * times {
			params := traceid.Params{{Key: "name", Value: "A"}, {Key: key, Value: fmt.Sprint("u", i%10)}}
			if err := w.Write(&format.Record{Params: params, Attrs: attrs}); err != nil {
				t.Fatal(err)
			}
		}
		return w.out.held / 10
	}
	plain := held(1, "unit", nil)
	for _, test := range []struct {
		key   string
		attrs traceid.Params
		more  int64 // than for a unit with the usual key and no metadata
	}{
		{"unit", nil, 0}, {"unit", traceid.Of("iterations", "5"), 0}, {"units", nil, 150},
		{"unit", traceid.Of("better", "lower"), 150}, {"unit", traceid.Of("better", "lower", "iterations", "5"), 150},
		{"unit", traceid.Of("assume", "exact", "better", "lower"), 150},
	} {
		once, twice := held(1, test.key, test.attrs), held(2, test.key, test.attrs)
		if once != twice || once-plain < test.more || test.more == 0 && once > plain {
			t.Errorf("%s %v: charged are %d bytes, for two measurements %d; without metadata %d",
				test.key, test.attrs, once, twice, plain)
		}
	}
	if plain < 80 {
		t.Errorf("charged are %d bytes", plain)
	}
}

// surveyOf returns a Survey for the named format, with a commit.
// WriteAll surveys the records, writes them, and returns the Writer, which is closed.
func WriteAll(t *testing.T, s *Survey, out io.Writer, recs []*format.Record) *Writer {
	t.Helper()
	for _, rec := range recs {
		s.Add(rec)
	}
	w, err := s.NewWriter(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

func surveyOf(name string) *Survey {
	to, _ := perfdata.FormatNamed(name)
	s := NewSurvey(to)
	s.AddHeader(format.Header{Commit: "abc"})
	return s
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A conversion that would hold more than it may is refused, by the name of the limit, and stays
// refused.
func TestMaxHeldBytes(t *testing.T) {
	holds := map[string]map[string]bool{ // where memory grows with some records only
		"skiav1": {}, "nanolegacy": nil, "keyval": nil, "benchfmt": {"units": true},
		"perun": {"distinct keys and values": true, "distinct tests": true, "long values": true},
	}
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue // it is only read
		}
		for _, test := range heldRecords {
			t.Run(info.Name+"/"+test.name, func(t *testing.T) {
				s := surveyOf(info.Name)
				s.Limits.MaxHeldBytes = 50_000
				for i := range 1300 {
					s.Add(test.make(i))
				}
				w, err := s.NewWriter(io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 1300 {
					if err = w.Write(test.make(i)); err != nil {
						break
					}
				}
				kinds := holds[info.Name]
				if kinds != nil && !kinds[test.name] {
					if err != nil || w.Close() != nil {
						t.Errorf("%v, %v", err, w.Close())
					}
					return
				}
				const want = "bytes of memory for the records that the conversion holds: more than 50000 (Limits.MaxHeldBytes)"
				for _, err := range []error{err, w.Write(test.make(0)), w.Close()} {
					if err == nil || err.Error() != want {
						t.Errorf("%v, want %s", err, want)
					}
				}
			})
		}
	}
}

// Names that are made of long values can be read again.
func TestLongNames(t *testing.T) {
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue // it is only read
		}
		t.Run(info.Name, func(t *testing.T) {
			var recs []*format.Record
			for i := range 3 {
				var params traceid.Params
				for j := range 4 {
					params = append(params, traceid.Param{Key: fmt.Sprint("K", j), Value: strings.Repeat("x", 270_000) + fmt.Sprint(i)})
				}
				recs = append(recs, &format.Record{Params: params, Value: float64(i)})
			}
			s := surveyOf(info.Name)
			var out bytes.Buffer
			w := WriteAll(t, s, &out, recs)
			left, read := 0, 0
			for _, l := range w.Losses() {
				if l.Kind == LostRecords {
					left = l.Count
				}
			}
			for _, err := range info.Open(nil, &out, format.Options{}).Records() {
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				read++
			}
			if read+left != len(recs) || left > 0 && info.Name != "benchfmt" {
				t.Errorf("%d measurements were read, %d left out: %.500v", read, left, w.Losses())
			}
		})
	}
}

// A long name is cut to the greatest length, and keeps what tells it apart at its end.
func TestCutName(t *testing.T) {
	for _, over := range []int{0, 1, 3, maxName} {
		name := strings.Repeat("é", maxName/2) + strings.Repeat("x", over)
		a, b := cutName(name+"a"), cutName(name+"b")
		if len(a) > maxName || a == b || !strings.HasPrefix(a, name[:maxName-100]) || !utf8.ValidString(a) {
			t.Errorf("%d bytes too long: a name of %d bytes, which ends in %q", over+1, len(a), a[len(a)-80:])
		}
	}
	if name := strings.Repeat("x", maxName); cutName(name) != name {
		t.Error("a name that is not too long was cut")
	}
}

// A profile has no more units than a Reader takes; measurements in others are left out.
func TestPerunUnits(t *testing.T) {
	var out bytes.Buffer
	w, err := surveyOf("perun").NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1100
	for i := range n {
		rec := format.Record{Params: traceid.Params{{Key: "test", Value: "t"}, {Key: "units", Value: fmt.Sprint("u", i)}}}
		if err := w.Write(&rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, err := range perun.NewReader(&out).Records() {
		if err != nil {
			t.Fatal(err)
		}
		read++
	}
	left := 0
	for _, l := range w.Losses() {
		if l.Kind == LostRecords {
			left = l.Count
			if want := "units: more than 1000 (Limits.MaxParams)"; l.names[0] != want {
				t.Errorf("%s, want %s", l.names[0], want)
			}
		}
	}
	if read != 1000 || left != n-read {
		t.Errorf("%d measurements were read, %d left out", read, left)
	}
}

// Texts that are held do not hold the Reader's memory, in which strings share a kilobyte.
func TestHolderText(t *testing.T) {
	h := newHolder(&sink{limits: format.Limits{}.WithDefaults()})
	before := heapBytes()
	var kept []string
	for i := range 1000 {
		kept = append(kept, h.text((fmt.Sprint(i) + strings.Repeat("x", 10_000))[:4]))
	}
	if took := heapBytes() - before; took > 200_000 {
		t.Errorf("%d strings take %d bytes", len(kept), took)
	}
}

// A Loss is safe to show, whatever the input holds.
func TestLossExample(t *testing.T) {
	long := strings.Repeat("x", quick.Of(1<<20-8, 1<<16)) // with a few bytes more, the longest string that a Reader takes
	for _, to := range perfdata.Formats() {
		if to.NewWriter == nil {
			continue // it is only read
		}
		t.Run(to.Name, func(t *testing.T) {
			recs := []*format.Record{
				{
					Params: traceid.FromPairs(traceid.Param{Key: "a\x1b[2J\u009b\u202e" + long, Value: "\n" + long}, traceid.Param{Key: "test", Value: "t"}),
					Attrs:  traceid.Params{{Key: "\x1b]0;" + long, Value: long}}, Links: traceid.Params{{Key: long, Value: "\x07"}},
				},
				{Params: traceid.Params{{Key: "b\x00" + long, Value: long + "\x85"}}},
				{Params: traceid.Params{{Key: "b\x00" + long, Value: long + "\x85"}}},
			}
			s := surveyOf(to.Name)
			s.AddHeader(format.Header{Commit: "a", Issue: "\x1b" + long})
			s.AddHeader(format.Header{Commit: "\x1b" + long, Issue: long})
			for _, rec := range recs {
				s.Add(rec)
			}
			w, err := s.NewWriter(io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range recs {
				if err := w.Write(rec); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for _, l := range w.Losses() {
				if strings.ContainsAny(l.String(), "\x1b\x00\x07\n\u0085\u009b\u202e") {
					t.Errorf("%q", l)
				}
				if len(l.String()) > 2*maxNames*maxShownName {
					t.Errorf("%d bytes: %.300s", len(l.String()), l)
				}
			}
		})
	}
}

// Headers that differ are counted, not kept.
func TestSurveyConflicts(t *testing.T) {
	s := surveyOf("skiav1")
	long := strings.Repeat("x", 1<<20)
	before := heapBytes()
	n := quick.Of(100, 30)
	for i := range n {
		s.AddHeader(format.Header{Commit: "abc", Issue: fmt.Sprint(i) + long, Patchset: fmt.Sprint(i)})
	}
	if took := heapBytes() - before; took > 3<<20 {
		t.Errorf("the survey takes %d bytes", took)
	}
	w, err := s.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if l := w.Losses(); len(l) != 1 || l[0].Count != 2*n-2 || l[0].names[1] != "patchset" {
		t.Errorf("%.1000v", l)
	}
	runtime.KeepAlive(s)
}

// The tests of the package's users name these.
const (
	MergedSeries  = mergedSeries
	ChangedNumber = changedNumber
)

// The size of a text is at least what the allocator takes for it, and little more.
func TestTextBytes(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9, 15, 16, 17, 100, 129, 1000, 1025, 9000, 30_000} {
		took := cap(append([]byte(nil), make([]byte, n)...))
		if got := textBytes(strings.Repeat("x", n)); got < took || got > n+n/8+8 {
			t.Errorf("%d bytes: charged are %d, the allocator takes %d", n, got, took)
		}
	}
}

// A number is lost if the order of the repetitions does not give it. The first one may lack it.
func TestRenumbers(t *testing.T) {
	for _, test := range []struct {
		numbers []int
		lost    []bool
	}{
		{[]int{1, 2, 3}, []bool{false, false, false}},
		{[]int{2, 3}, []bool{false, false}},
		{[]int{3, 4}, []bool{true, false}},
		{[]int{2, 4, 5}, []bool{false, true, false}},
		{[]int{0, 2}, []bool{false, false}},
	} {
		t.Run(fmt.Sprint(test.numbers), func(t *testing.T) {
			d := newIdentities(&sink{limits: format.Limits{}.WithDefaults()})
			for i, n := range test.numbers {
				if got := d.renumbers(traceid.Params{{Key: "a"}}, n); got != test.lost[i] {
					t.Errorf("number %d of %v: %v, want %v", n, test.numbers[:i+1], got, test.lost[i])
				}
			}
		})
	}
}
