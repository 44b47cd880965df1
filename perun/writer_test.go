package perun

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

// inputs returns the files of testdata and of the corpus.
func inputs(t *testing.T) map[string]string {
	files := testFiles(t)
	names, _ := os.ReadDir("../../shared/corpus/perun")
	if len(names) > 0 {
		for _, name := range corpus.Glob(t, corpus.Dir(t, "perun"), "*.perf") {
			files[name] = formattest.ReadFile(t, name)
		}
	}
	return files
}

// A content has everything that can be read of a profile.
type content struct {
	Header    Header
	Resources []string
	Records   []string
	Models    []Value
}

// read reads a profile. The resources and records of c are sorted.
func read(t *testing.T, file string) (c content, resources []*Resource, records []*format.Record, models []*Model) {
	t.Helper()
	r := newReader(strings.NewReader(file))
	h, err := r.Header()
	if err != nil {
		return c, nil, nil, nil
	}
	c.Header = h
	for res, err := range r.Resources() {
		if err == nil {
			c.Resources = append(c.Resources, string(objectOf(res.Fields...).AppendKey(nil)))
			resources = append(resources, res.Clone())
		}
	}
	for m, err := range r.Models() {
		if err == nil {
			c.Models = append(c.Models, objectOf(m.Fields...))
			models = append(models, m)
		}
	}
	for rec, err := range r.Records() {
		if err == nil {
			c.Records = append(c.Records, formattest.Show(rec))
			records = append(records, rec.Clone())
		}
	}
	slices.Sort(c.Resources)
	slices.Sort(c.Records)
	return c, resources, records, models
}

// Resources, records and models are written and read back equal, in both layouts.
func TestRoundTrip(t *testing.T) {
	for name, file := range inputs(t) {
		if len(validateErrors(strings.NewReader(file))) > 0 {
			continue // the Writer would refuse some of it
		}
		want, resources, records, models := read(t, file)
		bySnapshot := slices.Clone(resources)
		slices.SortStableFunc(bySnapshot, func(a, b *Resource) int { return a.Snapshot - b.Snapshot })
		for _, snapshots := range []bool{false, true} {
			var out bytes.Buffer
			w := NewWriter(&out, want.Header)
			w.Snapshots = snapshots
			ok := true
			for _, res := range bySnapshot {
				if err := w.WriteResource(res); err != nil {
					t.Errorf("%s, %v: %v", name, layout, err)
					ok = false
				}
			}
			for _, m := range models {
				if err := w.WriteModel(m); err != nil {
					t.Errorf("%s, %v: %v", name, layout, err)
				}
			}
			if err := w.Close(); err != nil || w.Close() != nil {
				t.Errorf("%s, %v: %v", name, layout, err)
			}
			if got, _, _, _ := read(t, out.String()); ok {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %v, resources (-read +written and read):\n%.3000s", name, layout, diff)
				}
			}
			if faults := validateErrors(bytes.NewReader(out.Bytes())); len(faults) > 0 {
				t.Errorf("%s, %v: %q", name, layout, faults)
			}
			if info := Format(); !info.Detect(out.Bytes()).Yes {
				t.Errorf("%s, %v: not recognized: %.200s", name, layout, out.String())
			}

			out.Reset()
			w = NewWriter(&out, want.Header)
			w.Snapshots = snapshots
			byNumber := slices.Clone(records)
			slices.SortStableFunc(byNumber, func(a, b *format.Record) int {
				return snapshotNumber(a) - snapshotNumber(b)
			})
			for _, rec := range byNumber {
				if err := w.Write(rec); err != nil {
					t.Errorf("%s, %v: %v", name, layout, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Errorf("%s, %v: %v", name, layout, err)
			}
			got, _, _, _ := read(t, out.String())
			if diff := cmp.Diff(want.Records, got.Records); diff != "" {
				t.Errorf("%s, %v, records (-read +written and read):\n%.3000s", name, layout, diff)
			}
			if diff := cmp.Diff(want.Header, got.Header); diff != "" {
				t.Errorf("%s, %v, header (-read +written and read):\n%s", name, layout, diff)
			}
		}
	}
}

func snapshotNumber(rec *format.Record) int {
	text, _ := rec.Attrs.Get("snapshot")
	n, _ := wholeNumber(plainValue(text))
	return n
}

var params = traceid.Of

func TestWriterRefuses(t *testing.T) {
	good := format.Record{
		Params: params("cmd", "c", "collector", "x", "type", "time", "uid", "u", "unit", "s"),
		Value:  1,
	}
	for _, test := range []struct {
		name      string
		change    func(*format.Record)
		snapshots bool
		want      string
	}{
		{
			name:   "NaN",
			change: func(r *format.Record) { r.Value = math.NaN() },
			want:   "the value is NaN, want a finite number",
		},
		{
			name:   "infinity",
			change: func(r *format.Record) { r.Value = math.Inf(-1) },
			want:   "the value is -Inf, want a finite number",
		},
		{
			name:   "links",
			change: func(r *format.Record) { r.Links = params("a", "b") },
			want:   `the format can't hold links, such as "a"`,
		},
		{
			name:   "another cmd",
			change: func(r *format.Record) { r.Params = params("cmd", "d", "type", "time") },
			want:   `param "cmd" is "d", but the header has "c"`,
		},
		{
			name:   "missing cmd",
			change: func(r *format.Record) { r.Params = params("type", "time") },
			want:   `missing param "cmd", which the header gives to every measurement`,
		},
		{
			name:   "missing type",
			change: func(r *format.Record) { r.Params = params("cmd", "c") },
			want:   `missing param "type", which the header gives to every measurement`,
		},
		{
			name:   "workload too late",
			change: func(r *format.Record) { r.Params = traceid.Merge(r.Params, params("workload", "w")) },
			want:   `param "workload" is "w", but the header has ""`,
		},
		{
			name:   "empty collector",
			change: func(r *format.Record) { r.Params = traceid.Merge(r.Params, params("collector", "")) },
			want:   `param "collector" is empty, which the format reads as absent`,
		},
		{
			name:   "another unit",
			change: func(r *format.Record) { r.Params = traceid.Merge(r.Params, params("unit", "ms")) },
			want:   `param "unit" is "ms", but resources of its type and subtype are in "s"`,
		},
		{
			name:   "missing unit",
			change: func(r *format.Record) { r.Params = params("cmd", "c", "collector", "x", "type", "time") },
			want:   `missing param "unit", but resources of its type and subtype are in "s"`,
		},
		{
			name: "new unit, too late",
			change: func(r *format.Record) {
				r.Params = traceid.Merge(r.Params, params("type", "memory", "unit", "B"))
			},
			snapshots: true,
			want:      `the unit "B" is not in the header, which was written already`,
		},
		{
			name:   "another param",
			change: func(r *format.Record) { r.Params = traceid.Merge(r.Params, params("test", "t")) },
			want:   `the format can't hold param "test"`,
		},
		{
			name:   "attr amount",
			change: func(r *format.Record) { r.Attrs = params("amount", "2") },
			want:   `the format can't hold attr "amount"`,
		},
		{
			name:   "attr uid",
			change: func(r *format.Record) { r.Attrs = params("uid", "2") },
			want:   `the format can't hold attr "uid"`,
		},
		{
			name:   "not UTF-8",
			change: func(r *format.Record) { r.Attrs = params("a", "\xff") },
			want:   `attrs: "a": "\xff" is not UTF-8`,
		},
		{
			name:   "unsorted",
			change: func(r *format.Record) { r.Attrs = traceid.Params{{Key: "b"}, {Key: "a"}} },
			want:   `attrs: key "a" comes after "b", out of order`,
		},
		{
			name: "missing uid",
			change: func(r *format.Record) {
				r.Params = params("cmd", "c", "collector", "x", "type", "time", "unit", "s")
			},
			want: `: missing uid`,
		},
		{
			name: "missing uid in snapshots",
			change: func(r *format.Record) {
				r.Params = params("cmd", "c", "collector", "x", "type", "time", "unit", "s")
			},
			snapshots: true,
			want:      `: missing uid`,
		},
		{
			name:   "missing collector",
			change: func(r *format.Record) { r.Params = params("cmd", "c", "type", "time") },
			want:   `missing param "collector", which the header gives to every measurement`,
		},
		{
			name:      "snapshot that is not a number",
			change:    func(r *format.Record) { r.Attrs = params("snapshot", "x") },
			snapshots: true,
			want:      `resource: x is not the number of a snapshot`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, want bytes.Buffer
			w, other := NewWriter(&out, Header{Cmd: "c", Units: params("time", "s")}), NewWriter(&want,
				Header{Cmd: "c", Units: params("time", "s")})
			w.Snapshots, other.Snapshots = test.snapshots, test.snapshots
			rec := *good.Clone()
			if err := errors.Join(w.Write(&good), other.Write(&good)); err != nil {
				t.Fatal(err)
			}
			test.change(&rec)
			if err := w.Write(&rec); err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
			// The refused record left no trace.
			if err := errors.Join(w.Write(&good), w.Close(), other.Write(&good), other.Close()); err != nil {
				t.Error(err)
			}
			if out.String() != want.String() {
				t.Errorf("got %s, want %s", out.String(), want.String())
			}
		})
	}
}

func TestWriterRefusesResources(t *testing.T) {
	snapshot := func(n float64, more ...Field) *Resource {
		return &Resource{Fields: append(Fields{
			{"amount", numberOf(1)},
			{"uid", stringOf("u")},
			{"type", stringOf("t")},
			{"snapshot", numberOf(n)},
		}, more...)}
	}
	without := func(key string, more ...Field) *Resource {
		res := snapshot(2, more...)
		res.Fields = slices.DeleteFunc(res.Fields, func(f Field) bool { return f.Key == key })
		return res
	}
	complete := Header{Type: "time", Collector: Tool{Name: "x"}}
	w := NewWriter(io.Discard, complete)
	w.Snapshots = true
	if err := w.WriteResource(snapshot(1, Field{"time", stringOf("1")})); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		res  *Resource
		want string
	}{
		{
			name: "earlier snapshot",
			res:  snapshot(0),
			want: "resource: snapshot 0 comes after snapshot 1",
		},
		{
			name: "missing time",
			res:  snapshot(1),
			want: "resource: missing time, which other resources of its snapshot have",
		},
		{
			name: "number with a fraction",
			res:  snapshot(1.5),
			want: "resource: 1.5 is not the number of a snapshot",
		},
		{
			name: "large number",
			res:  snapshot(1e9),
			want: "resource: 1000000000 is not the number of a snapshot",
		},
		{
			name: "missing amount",
			res:  without("amount"),
			want: "resource: missing amount",
		},
		{
			name: "missing uid",
			res:  without("uid"),
			want: "resource: missing uid",
		},
		{
			name: "missing type",
			res:  without("type"),
			want: "resource: missing type",
		},
		{
			name: "string as trace",
			res:  snapshot(2, Field{"trace", stringOf("f")}),
			want: "resource: the trace is of type string, want array",
		},
		{
			name: "object as trace",
			res:  snapshot(2, Field{"trace", objectOf()}),
			want: "resource: the trace is of type object, want array",
		},
		{
			name: "not UTF-8",
			res:  snapshot(2, Field{"a", stringOf("\xff")}),
			want: `resource: a: "\xff" is not UTF-8`,
		},
		{
			name: "duplicate field",
			res:  snapshot(2, Field{"a", listOf(objectOf(Field{"b", Value{}}, Field{"b", Value{}}))}),
			want: `resource: a: duplicate field "b"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.WriteResource(test.res); err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	for _, key := range []string{"uid", "model"} {
		m := &Model{Fields: Fields{{key, stringOf("x")}}}
		if err := w.WriteModel(m); err == nil || !strings.HasPrefix(err.Error(), "model: missing ") {
			t.Errorf("a model with %s only: %v", key, err)
		}
	}
	for _, h := range []Header{
		{}, {Type: "time"}, {Collector: Tool{Name: "x"}}, {Type: "speed", Collector: Tool{Name: "x"}},
		{Type: "time", Collector: Tool{Name: "x"}, Other: Fields{{"chunk", objectOf(Field{"resources", Value{}})}}},
		{Cmd: "\xff"},
		{Units: traceid.Params{{Key: "b"}, {Key: "a"}}},
		{Extra: Fields{{"cmd", Value{}}}},
		{Other: Fields{{"resources", Value{}}}},
		{Collector: Tool{Other: Fields{{"name", Value{}}}}},
		{Postprocessors: []Tool{{Name: "\xff"}}},
	} {
		var out bytes.Buffer
		w := NewWriter(&out, h)
		if err := w.Close(); err == nil || !strings.HasPrefix(err.Error(), "header: ") || out.Len() > 0 {
			t.Errorf("%+v: %v, %q", h, err, out.String())
		}
	}
}

// With its options, a Writer accepts records of other formats.
func TestWriterConverts(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Header{Type: "mixed"})
	w.KeepParams = true
	for i, unit := range []string{"ms", "MB", "ms"} {
		rec := &format.Record{
			Params: params("test", "t", "collector", "x", "type", "mixed", "uid", "u", "subtype", unit+"s",
				"unit", unit),
			Value: float64(i),
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const others = " type=mixed uid=u "
	want := []string{
		"collector=x subtype=mss" + others + "unit=ms = 0 test:t",
		"collector=x subtype=mss" + others + "unit=ms = 2 test:t",
		"collector=x subtype=MBs" + others + "unit=MB = 1 test:t",
	}
	if diff := cmp.Diff(want, readAll(&out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Writer that holds too much writes it in parts, and loses nothing.
func TestWriterHolds(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Header{Type: "time", Collector: Tool{Name: "x"}})
	uids := []string{"a", "b"}
	const n = 1000
	for i := range n {
		if i == n/2 {
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(&format.Record{
			Params: params("collector", "x", "type", "time", "uid", uids[i%2]),
			Value:  float64(i),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), `{"amount":`); got != 4 {
		t.Errorf("%d resource types", got)
	}
	sum, count := 0.0, 0
	for rec, err := range NewReader(&out).Records() {
		if err != nil {
			t.Fatal(err)
		}
		sum += rec.Value
		count++
	}
	if count != n || sum != n*(n-1)/2 {
		t.Errorf("%d records that add up to %v", count, sum)
	}
}

// A resource type that is held counts as at least the memory that it takes, besides its texts.
func TestWriterCountsTypes(t *testing.T) {
	w := NewWriter(io.Discard, Header{Type: "time", Collector: Tool{Name: "x"}})
	const n = 10
	for i := range n {
		res := &Resource{Fields: Fields{{"uid", ValueOf(i)}, {"type", stringOf("time")}, {"amount", ValueOf(1)}}}
		if err := w.WriteResource(res); err != nil {
			t.Fatal(err)
		}
	}
	const ofMaps = 2 * (16 + 8) // a string and a pointer each
	least := n * (int(reflect.TypeFor[heldType]().Size()+reflect.TypeFor[heldColumn]().Size()) + ofMaps)
	if held := w.types.held; held < least {
		t.Errorf("%d bytes are held, which take at least %d", held, least)
	}
}

type failingWriter struct{ left int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	for _, snapshots := range []bool{false, true} {
		for _, left := range []int{0, 100} {
			w := NewWriter(&failingWriter{left}, Header{Type: "time", Collector: Tool{Name: "x"}})
			w.Snapshots = snapshots
			w.Write(&format.Record{
				Params: params("collector", "x", "type", "time", "uid", strings.Repeat("u", 200)),
				Value:  1,
			})
			for range 2 {
				if err := w.Close(); err != io.ErrClosedPipe {
					t.Errorf("%v, %d: %v", layout, left, err)
				}
			}
		}
	}
}
