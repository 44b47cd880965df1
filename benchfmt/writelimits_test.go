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

// A Writer refuses what a Reader with the default limits would refuse. Its output up to the refusal
// is valid.
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
		{
			name:   "keys of the configuration",
			header: Header{},
			write:  result("X", numbered(1000, "v")),
		},
		{
			name:   "more keys of the configuration",
			header: Header{},
			write:  result("X", numbered(1001, "v")),
			want:   "the configuration has more than 1000 keys",
		},
		{
			name:   "other keys of the configuration",
			header: Header{Config: params("a=b")},
			write:  result("X", numbered(1000, "v")),
		},
		{
			name:   "keys of the header",
			header: Header{Config: numbered(1001, "v")},
			write:  result("X", nil),
			want:   "header: more than 1000 params",
		},
		{
			name:   "a long configuration",
			header: Header{},
			write:  result("X", numbered(1, long[20:])),
		},
		{
			name:   "a longer one",
			header: Header{},
			write:  result("X", numbered(1, long)),
			want:   "the line would be longer than 1 MiB",
		},
		{
			name:   "a long configuration of a record",
			header: Header{},
			write:  record(traceid.FromPairs(traceid.Param{Key: "k", Value: long[:len(long)-1] + "/"}), nil),
			want:   "fits neither",
		},
		{
			name:   "long configurations",
			header: Header{},
			write:  result("X", numbered(5, long[20:])),
		},
		{
			name:   "longer ones",
			header: Header{},
			write:  result("X", numbered(7, long[20:])),
			want:   "the configuration takes more than 6291456 bytes",
		},
		{
			name:   "the same of a record",
			header: Header{Config: params("k0000000=v")},
			write:  record(numbered(7, long[20:len(long)-100]+"/ /"), nil),
			want:   "the configuration takes more than 6291456 bytes",
		},
		{
			name:   "a key twice",
			header: Header{},
			write:  result("X", traceid.Params{{Key: "k", Value: "1"}, {Key: "k", Value: "2"}}),
			want:   "the configuration has a duplicate key",
		},
		{
			name:   "parts of a name",
			header: Header{},
			write:  result("X"+strings.Repeat("/a", 999), nil),
		},
		{
			name:   "more parts of a name",
			header: Header{},
			write:  result("X"+strings.Repeat("/a", 1000), nil),
			want:   "a name has at most 1000 parts",
		},
		{
			name:   "params",
			header: Header{},
			write:  record(withUnit(numbered(999, "v")), nil),
		},
		{
			name:   "more params",
			header: Header{},
			write:  record(withUnit(numbered(1000, "v")), nil),
			want:   "more than 1000 params",
		},
		{
			name:   "a long name of a record",
			header: Header{},
			write:  record(withUnit(numbered(1, long)), nil),
			want:   "the line would be longer than 1 MiB",
		},
		{
			name:   "params that are not sorted",
			header: Header{},
			write:  record(traceid.Params{{Key: "name", Value: "X"}, {Key: "a", Value: "1"}}, nil),
			want:   "out of order",
		},
		{
			name:   "attrs that are not sorted",
			header: Header{},
			write: record(params("name=X"), traceid.Params{
				{Key: "iterations", Value: "1"},
				{Key: "assume", Value: "exact"},
			}),
			want: "out of order",
		},
		{
			name:   "a number of iterations in other digits",
			header: Header{},
			write:  record(params("name=X"), params("iterations=007")),
			want:   "want a whole number",
		},
		{
			name:   "a long unit",
			header: Header{},
			write:  func(w *Writer) error { return w.WriteUnit(UnitMetadata{Unit: long, Key: "a"}) },
			want:   "the unit is longer than 512 KiB",
		},
		{
			name:   "long units",
			header: Header{},
			write: func(w *Writer) error {
				for i := range 5 {
					err := w.Write(&format.Record{Params: traceid.FromPairs(traceid.Param{
						Key:   "unit",
						Value: fmt.Sprint(i, long[:500_000]),
					})})
					if err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			name:   "metadata of a unit",
			header: Header{},
			write: func(w *Writer) error {
				for i := range 1001 {
					if err := w.WriteUnit(UnitMetadata{Unit: "s", Key: fmt.Sprint(i), Value: "v"}); err != nil {
						return err
					}
				}
				return nil
			},
			want: "unit s has more than 1000 keys of metadata",
		},
		{
			name:   "metadata of units",
			header: Header{},
			write: func(w *Writer) error {
				for i := range 50_000 {
					if err := w.WriteUnit(UnitMetadata{Unit: fmt.Sprint(i), Key: "a", Value: "v"}); err != nil {
						return err
					}
				}
				return nil
			},
			want: "all unit metadata takes more than 4194304 bytes",
		},
		{
			name:   "long metadata of a record",
			header: Header{Units: []UnitMetadata{{Unit: "u", Key: "a"}, {Unit: "u", Key: "b"}, {Unit: "u", Key: "c"}}},
			write: record(withUnit(params("name=X")),
				params("a="+long[:400_000]+" b="+long[:400_000]+" c="+long[:400_000])),
		},
		{
			name:   "units that were forgotten",
			header: Header{},
			write: func(w *Writer) error {
				err := w.WriteUnit(UnitMetadata{Unit: "s", Key: metadataParam, Value: "u"})
				for i := range maxUnits + 1 {
					r := &Result{Name: "X", Values: []Value{{1, "s"}, {1, fmt.Sprint(i)}}}
					err = errors.Join(err, w.WriteResult(r))
				}
				return errors.Join(err, w.Write(&format.Record{Params: params("name=X unit=s")}))
			},
			want: "it was written as \"u\"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			err := test.write(w)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.200v, want %s", err, test.want)
			}
			if err := w.Close(); err != nil && test.header.Config == nil {
				t.Errorf("%.200v", err)
			}
			for e := range Format().Validate(&out, format.Options{Name: "out"}) {
				if e.Severity != format.Warning {
					t.Errorf("%.200v", e)
				}
			}
		})
	}
}
