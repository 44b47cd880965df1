package benchfmt

import (
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Result is one result line.
type Result struct {
	Name       string // the full name, without the prefix "Benchmark"
	Iterations int
	Values     []Value // in the order of the line
	Config     []traceid.Param

	format.Position // of the line; Writers ignore it
}

// Clone returns a copy of res that the Reader won't overwrite.
func (res *Result) Clone() *Result {
	c := *res
	c.Values, c.Config = slices.Clone(res.Values), slices.Clone(res.Config)
	return &c
}

// A Value is a number with its unit.
type Value struct {
	Value float64
	Unit  string
}

// Results makes results of the records of any format, as a [Writer] with this header writes them:
// consecutive records that differ only in their unit become one result. Results leaves out links,
// and attrs except iterations. It yields the errors of records in their order, and an error for
// each record whose params no result can have. The next step overwrites the Result and its
// slices. Its strings may be kept.
//
// With [perfdata/benchfmt/xperf.Result], benchproc and benchmath work on any format.
func Results(h Header, records iter.Seq2[*format.Record, error]) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		var a assembler
		a.init(h)
		var repetitions traceset.Numberer

		for rec, err := range records {
			if err == nil && rec.Repetition != 0 {
				if rec, _, err = repetitions.Ordered(rec); err == nil {
					repetitions.Wrote() // even if no result can have it: the order stays
				}
			}
			if err == nil && a.fits(rec) {
				a.add(rec)
				continue
			}
			if len(a.result.Values) > 0 && !yield(&a.result, nil) {
				return
			}

			a.result.Values = a.result.Values[:0]
			if err == nil {
				err = a.begin(rec, a.unitIndex(rec.Params))
			}
			if err != nil && !yield(nil, err) {
				return
			}
		}
		if len(a.result.Values) > 0 {
			yield(&a.result, nil)
		}
	}
}

// Records iterates over the records of res. Each step overwrites the record, as in a Reader.
func (res *Result) Records() iter.Seq[*format.Record] {
	return func(yield func(*format.Record) bool) {
		var units units
		var name nameDecoder
		parts := nameParts{spaces: true}
		line := slices.Grow([]byte(prefix+res.Name), room)
		parts.find(line)
		name.read(&parts, line, res.Name, traceid.FromPairs(res.Config...))

		from := result{name: &name, iterText: strconv.Itoa(res.Iterations)}
		for _, v := range res.Values {
			from.values = append(from.values, column{number: v.Value, unit: units.make(v.Unit)})
		}
		new(output).yieldRecords(&from, func(rec *format.Record, _ error) bool { return yield(rec) })
	}
}
