package benchfmt

import (
	"iter"
	"strconv"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/format"
	"perfdata/traceid"
)

// Perf returns a copy of res as package golang.org/x/perf/benchfmt has it, for benchproc, benchmath and benchstat. As
// these expect it, the values are in base units, with the original ones beside them.
func (res *Result) Perf() *perf.Result {
	out := &perf.Result{Name: perf.Name(res.Name), Iters: res.Iterations}
	for _, p := range res.Config {
		out.Config = append(out.Config, perf.Config{Key: p.Key, Value: []byte(p.Value), File: true})
	}
	for _, v := range res.Values {
		base, factor := tidy(v.Unit)
		if base == v.Unit {
			out.Values = append(out.Values, perf.Value{Value: v.Value, Unit: v.Unit})
		} else {
			out.Values = append(out.Values, perf.Value{Value: v.Value * factor, Unit: base, OrigValue: v.Value, OrigUnit: v.Unit})
		}
	}
	return out
}

// FromPerf returns a copy of a result of package golang.org/x/perf/benchfmt: with the original values, where there are
// any, and the configuration of the file. Configuration that tools added is left out, as it is by that package's Writer.
func FromPerf(in *perf.Result) *Result {
	res := &Result{Name: string(in.Name), Iterations: in.Iters, Config: []traceid.Param{}}
	_, res.Line = in.Pos()
	for _, c := range in.Config {
		if c.File {
			res.Config = append(res.Config, traceid.Param{Key: c.Key, Value: string(c.Value)})
		}
	}
	for _, v := range in.Values {
		if v.OrigUnit != "" {
			v.Value, v.Unit = v.OrigValue, v.OrigUnit
		}
		res.Values = append(res.Values, Value{v.Value, v.Unit})
	}
	return res
}

// Results turns the records of any format into results, as a [Writer] with this header writes them: consecutive records
// that differ in their unit only become one. Links, and attrs but for iterations, are left out. The Result, with its
// slices, is overwritten by the next step; its strings may be kept. The errors of the records are passed on where they stand;
// a record whose params no result can have is one more.
//
// With [Result.Perf] this has benchproc and benchmath work on any format.
func Results(h Header, records iter.Seq2[*format.Record, error]) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		var a assembler
		a.init(h)
		for rec, err := range records {
			if err == nil && a.fits(rec) {
				a.add(rec)
				continue
			}
			if len(a.result.Values) > 0 && !yield(&a.result, nil) {
				return
			}
			a.result.Values = a.result.Values[:0]
			if err == nil {
				err = a.begin(rec)
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

// Records iterates over the records of res. The record is overwritten by the next step, as a Reader's is.
func (res *Result) Records() iter.Seq[*format.Record] {
	return func(yield func(*format.Record) bool) {
		var r Reader
		from := &r.result
		from.stream = &r.text
		config := traceid.FromPairs(res.Config...)
		r.enter(from.stream)
		from.stream.name.set(res.Name, config, len(res.Name)+1)
		from.iterText = strconv.Itoa(res.Iterations)
		from.at.offset = res.Offset
		for _, v := range res.Values {
			from.values = append(from.values, value{number: v.Value, unit: r.newUnit(v.Unit)})
		}
		r.yieldRecords(func(rec *format.Record, _ error) bool { return yield(rec) })
	}
}
