package rows

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// baseNames are the params that name a benchmark. The first that there is begins its name.
var baseNames = []string{"name", "test", "key", "uid"}

// AppendName appends the name of a record's measurement in a format whose results have one name:
// the value of the param name, test, key or uid, and then each other param as /KEY=VALUE, sorted,
// without params that have a place of their own. The number of a repetition is not part of it.
func AppendName(dst []byte, rec *format.Record, own ...string) []byte {
	begin, base := len(dst), ""
	for _, key := range baseNames {
		if value, _ := rec.Params.Get(key); value != "" && len(dst) == begin {
			base, dst = key, append(dst, value...)
		}
	}
	for _, p := range rec.Params {
		number := p.Key == "repetition" && rec.Repetition > 0 && p.Value == strconv.Itoa(rec.Repetition)
		if number || base != "" && p.Key == base || slices.Contains(own, p.Key) {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, '/')
		}
		dst = append(append(append(dst, p.Key...), '='), p.Value...)
	}
	return dst
}

// UnitOf returns the unit of a record: that of the format, or the param unit or units.
func UnitOf(params traceid.Params, unit string) string {
	first, _ := params.Get("unit")
	second, _ := params.Get("units")
	return cmp.Or(unit, first, second)
}

// CheckWritten returns an error about a record that a format with JSON numbers and without links cannot hold.
func CheckWritten(rec *format.Record, name []byte) error {
	switch {
	case math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0):
		return fmt.Errorf("measurement %s: %v is not a value", rec.TraceID(), rec.Value)
	case len(rec.Links) > 0:
		return fmt.Errorf("measurement %s: the format has no links", rec.TraceID())
	case len(name) == 0:
		return fmt.Errorf("measurement %s: it has no name", rec.TraceID())
	case !utf8.Valid(name):
		return fmt.Errorf("measurement %s: its name is not UTF-8", rec.TraceID())
	}
	return nil
}
