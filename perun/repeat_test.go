package perun

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// writeAll writes the records, and returns the profile and the error about each record. If slow is
// set, it prevents the fast path.
func writeAll(w *Writer, out *bytes.Buffer, records []*format.Record, slow bool) (file string, errs []string) {
	for _, rec := range records {
		if slow {
			w.repeat.held = nil
		}
		err := w.Write(rec)
		errs = append(errs, fmt.Sprint(err))
	}
	errs = append(errs, fmt.Sprint(w.Close()))
	return out.String(), errs
}

// The fast path writes and refuses what the slow path does, whatever changes after a record.
func TestRepeatedRecords(t *testing.T) {
	params := traceid.FromPairs(
		traceid.Param{Key: "collector", Value: "trace"}, traceid.Param{Key: "subtype", Value: "delta"},
		traceid.Param{Key: "type", Value: "mixed"}, traceid.Param{Key: "uid", Value: "main"},
		traceid.Param{Key: "unit", Value: "us"},
	)
	attrs := traceid.FromPairs(
		traceid.Param{Key: "address", Value: "12"}, traceid.Param{Key: "exclusive", Value: "1.5"},
		traceid.Param{Key: "locus", Value: "a"}, traceid.Param{Key: "trace", Value: "a,b"},
	)
	with := func(p traceid.Params, key, value string) traceid.Params {
		return traceid.Merge(p, traceid.FromPairs(traceid.Param{Key: key, Value: value}))
	}

	variants := map[string]*format.Record{
		"same":            {Params: params, Attrs: attrs, Value: 1},
		"value":           {Params: params, Attrs: attrs, Value: -1.25e-7},
		"not finite":      {Params: params, Attrs: attrs, Value: math.Inf(1)},
		"links":           {Params: params, Attrs: attrs, Links: traceid.Params{{Key: "a", Value: "b"}}},
		"fewer params":    {Params: params[:4], Attrs: attrs},
		"other uid":       {Params: with(params, "uid", "other"), Attrs: attrs},
		"other subtype":   {Params: with(params, "subtype", "other"), Attrs: attrs},
		"other unit":      {Params: with(params, "unit", "ms"), Attrs: attrs},
		"other collector": {Params: with(params, "collector", "x"), Attrs: attrs},
		"kept param":      {Params: with(params, "kept", "x"), Attrs: attrs},
		"collected param": {Params: with(params, "order", "7"), Attrs: attrs},
		"not UTF-8":       {Params: with(params, "uid", "\xff"), Attrs: attrs},
		"no attrs":        {Params: params},
		"other attr":      {Params: params, Attrs: with(attrs, "locus", "b")},
		"attr not UTF-8":  {Params: params, Attrs: with(attrs, "locus", "\xff")},
		"more attrs":      {Params: params, Attrs: with(attrs, "z", "b")},
		"unsorted":        {Params: params, Attrs: traceid.Params{attrs[1], attrs[0], attrs[2], attrs[3]}},
	}
	texts := []string{"", "-0", "007", "1.50", "1.0", "-3", "1e5", "x", "\"", "\xff", "12345678901234567890123456789"}
	for _, text := range texts {
		variants["address "+text] = &format.Record{Params: params, Attrs: with(attrs, "address", text)}
	}

	for first := range variants {
		for second := range variants {
			if quick.Test() && first > second {
				continue // their changes are those of the other order
			}
			records := []*format.Record{variants[first], variants[second], variants[first], variants[second], variants[second]}
			for _, keep := range []bool{false, true} {
				write := func(slow bool) (string, []string) {
					var out bytes.Buffer
					w := NewWriter(&out, Header{Type: "mixed"})
					w.KeepParams = keep
					return writeAll(w, &out, records, slow)
				}
				fast, errs := write(false)
				slow, wantErrs := write(true)
				if slow != fast || !slices.Equal(wantErrs, errs) {
					t.Errorf("%s, %s, KeepParams %v (-slow +fast):\n%s%s", first, second, keep,
						cmp.Diff(slow, fast), cmp.Diff(wantErrs, errs))
				}
			}
		}
	}
}

// Records that differ only in collected values take no memory of their own, except that of the
// arrays.
func TestRepeatedRecordsAllocate(t *testing.T) {
	rec := &format.Record{
		Params: traceid.FromPairs(
			traceid.Param{Key: "collector", Value: "trace"}, traceid.Param{Key: "type", Value: "mixed"},
			traceid.Param{Key: "uid", Value: "main"},
		),
		Attrs: traceid.Params{{Key: "address", Value: "12"}},
	}
	w := NewWriter(io.Discard, Header{})
	allocs := testing.AllocsPerRun(10_000, func() {
		rec.Value++
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 { // the average is rounded down
		t.Errorf("%v allocations a record", allocs)
	}
}

// The memory that a unit takes does not depend on how many units there are.
func TestManyUnits(t *testing.T) {
	allocated := func(units int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := NewWriter(io.Discard, Header{Type: "mixed", Collector: Tool{Name: "x"}})
		for i := range units {
			err := w.Write(&format.Record{Params: traceid.Params{
				{Key: "collector", Value: "x"}, {Key: "subtype", Value: strconv.Itoa(i)}, {Key: "type", Value: "mixed"},
				{Key: "uid", Value: "u"}, {Key: "unit", Value: "ns"},
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(1000), allocated(8000)
	if many > 16*few {
		t.Errorf("%d bytes for 1000 units, and %d for 8000", few, many)
	}
}
