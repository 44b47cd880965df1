package benchfmt

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/traceid"
)

// What a Reader would refuse with the default limits isn't written, and what is written up to there is valid.
func TestWriterLimits(t *testing.T) {
	numbered := func(n int, value string) (pairs traceid.Params) {
		for i := range n {
			pairs = append(pairs, traceid.Param{Key: fmt.Sprintf("k%07d", i), Value: value})
		}
		return pairs
	}
	values := []Value{{1, "s"}}
	long := strings.Repeat("x", 1<<20)
	result := func(name string, config traceid.Params) func(*Writer) error {
		return func(w *Writer) error {
			return w.WriteResult(&Result{Name: name, Iterations: 1, Values: values, Config: config})
		}
	}
	record := func(params, attrs traceid.Params) func(*Writer) error {
		return func(w *Writer) error { return w.Write(&format.Record{Params: params, Attrs: attrs}) }
	}
	withUnit := func(p traceid.Params) traceid.Params { return traceid.Merge(p, params("unit=s")) }
	for _, test := range []struct {
		name   string
		header Header
		write  func(*Writer) error
		want   string // of the error that ends the writing; none if all can be written
	}{
		{"keys of the configuration", Header{}, result("X", numbered(1000, "v")), ""},
		{"more keys of the configuration", Header{}, result("X", numbered(1001, "v")), "the configuration has more than 1000 keys"},
		{"other keys of the configuration", Header{Config: params("a=b")}, result("X", numbered(1000, "v")), ""},
		{"keys of the header", Header{Config: numbered(1001, "v")}, result("X", nil), "header: more than 1000 params"},
		{"a long configuration", Header{}, result("X", numbered(1, long[20:])), ""},
		{"a longer one", Header{}, result("X", numbered(1, long)), "the line would be longer than 1 MiB"},
		{"a long configuration of a record", Header{}, record(traceid.FromPairs(traceid.Param{Key: "k", Value: long[:len(long)-1] + "/"}), nil), "fits neither"},
		{"long configurations", Header{}, result("X", numbered(5, long[20:])), ""},
		{"longer ones", Header{}, result("X", numbered(7, long[20:])), "the configuration takes more than 6291456 bytes"},
		{"the same of a record", Header{Config: params("k0000000=v")}, record(numbered(7, long[20:len(long)-100]+"/ /"), nil), "the configuration takes more than 6291456 bytes"},
		{"a key twice", Header{}, result("X", traceid.Params{{Key: "k", Value: "1"}, {Key: "k", Value: "2"}}), "the configuration has a duplicate key"},
		{"parts of a name", Header{}, result("X"+strings.Repeat("/a", 999), nil), ""},
		{"more parts of a name", Header{}, result("X"+strings.Repeat("/a", 1000), nil), "a name has at most 1000 parts"},
		{"params", Header{}, record(withUnit(numbered(999, "v")), nil), ""},
		{"more params", Header{}, record(withUnit(numbered(1000, "v")), nil), "more than 1000 params"},
		{"a long name of a record", Header{}, record(withUnit(numbered(1, long)), nil), "the line would be longer than 1 MiB"},
		{"params that are not sorted", Header{}, record(traceid.Params{{Key: "name", Value: "X"}, {Key: "a", Value: "1"}}, nil), "out of order"},
		{"attrs that are not sorted", Header{}, record(params("name=X"), traceid.Params{{Key: "iterations", Value: "1"}, {Key: "assume", Value: "exact"}}), "out of order"},
		{"a number of iterations in other digits", Header{}, record(params("name=X"), params("iterations=007")), "want a whole number"},
		{"a long unit", Header{}, func(w *Writer) error { return w.WriteUnit(UnitMetadata{Unit: long, Key: "a"}) }, "the unit is longer than 512 KiB"},
		{"long units", Header{}, func(w *Writer) error {
			for i := range 5 {
				err := w.Write(&format.Record{Params: traceid.FromPairs(traceid.Param{Key: "unit", Value: fmt.Sprint(i, long[:500_000])[1:]})})
				if err != nil {
					return err
				}
			}
			return nil
		}, ""},
		{"metadata of a unit", Header{}, func(w *Writer) error {
			for i := range 1001 {
				if err := w.WriteUnit(UnitMetadata{Unit: "s", Key: fmt.Sprint(i), Value: "v"}); err != nil {
					return err
				}
			}
			return nil
		}, "unit s has more than 1000 keys of metadata"},
		{"metadata of units", Header{}, func(w *Writer) error {
			for i := range 50_000 {
				if err := w.WriteUnit(UnitMetadata{Unit: fmt.Sprint(i), Key: "a", Value: "v"}); err != nil {
					return err
				}
			}
			return nil
		}, "all unit metadata takes more than 4194304 bytes"},
		{"long metadata of a record", Header{Units: []UnitMetadata{{Unit: "u", Key: "a"}, {Unit: "u", Key: "b"}, {Unit: "u", Key: "c"}}},
			record(withUnit(params("name=X")), params("a="+long[:400_000]+" b="+long[:400_000]+" c="+long[:400_000])), ""},
		{"units that were forgotten", Header{}, func(w *Writer) error {
			err := w.WriteUnit(UnitMetadata{Unit: "s", Key: metadataParam, Value: "u"})
			for i := range maxUnits + 1 {
				r := &Result{Name: "X", Values: []Value{{1, "s"}, {1, fmt.Sprint(i)}}}
				err = errors.Join(err, w.WriteResult(r))
			}
			return errors.Join(err, w.Write(&format.Record{Params: params("name=X unit=s")}))
		}, "it was written as \"u\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			err := test.write(w)
			if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%.200v, want %s", err, test.want)
			}
			if err := w.Close(); err != nil && test.header.Config == nil {
				t.Errorf("%.200v", err)
			}
			for e := range Validate(&out, "out", format.Limits{}) {
				if !e.Warning {
					t.Errorf("%.200v", e)
				}
			}
		})
	}
}
