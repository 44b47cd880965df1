package hyperfine

import (
	"fmt"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/opening"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:  "hyperfine",
		Title: "hyperfine JSON",
		Holds: "run times of commands",
		Settings: []format.Setting{{
			Name:  "keep-failed",
			Usage: "true reads the values of failed runs, too",
			Set:   opening.Bool(func(r *rows.Reader) *bool { return &r.KeepFailed }),
		}},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("command") && (f.Row.Has("times") || f.Row.Has("mean", "user", "system"))
	},
	Sections: []string{"results"},
	Row:      row,
	NaN:      true,
	IfEmpty:  "the runner writes nothing if the first command fails",
	Records:  records,
})

var row = jsontree.Object().
	With(jsontree.Text.Unique().Needed(), "command").
	With(jsontree.Number.Needed(), statistics[0]).
	With(jsontree.Number, statistics[1:]...).
	With(jsontree.Number.Needed(), "user", "system").
	With(jsontree.List.Or(jsontree.Placed), "times", "memory_usage_byte").
	With(jsontree.List.Or(jsontree.Gaps).From("0"), "exit_codes").
	With(jsontree.ObjectOf(jsontree.Any), "parameters").
	With(jsontree.Any, "parameter")

// The statistics of times.
var statistics = []string{"mean", "median", "min", "max", "stddev"}

// records makes the records of a result.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "command") {
		return
	}
	m.Param("name", v.Get("command").Text())
	for key, value := range v.Get("parameters").Others() {
		m.Param(key, value.Text())
	}
	m.Param("parameter", v.Get("parameter").Text())

	codes := v.Get("exit_codes")
	if codes.Faulty() {
		return // an error already: which runs failed is unknown
	}
	hasFailed := false
	if !m.KeepFailed {
		for i, code := range codes.List() {
			if failed(code) {
				hasFailed = true
				m.ItemFault(codes, i, fmt.Sprintf("%srun %d failed%s", m.Name(), i+1, reason(codes, i)))
			}
		}
	}

	time := rows.Measure{Metric: "time", Unit: "s", Better: format.Lower}
	runs(m, time, v.Get("times"), codes, hasFailed)
	runs(m, rows.Measure{Metric: "memory", Unit: "B"}, v.Get("memory_usage_byte"), codes, hasFailed)

	stat := func(x rows.Measure, v jsontree.Value) {
		if hasFailed && v.Has() {
			m.Faultf(v, "%s%s %s includes failed runs", m.Name(), x.Stat, x.Metric)
			return
		}
		m.Value(x, v)
	}
	if m.Summaries || len(v.Get("times").List()) == 0 && !v.Get("times").Faulty() {
		for _, time.Stat = range statistics {
			stat(time, v.Get(time.Stat))
		}
	}
	stat(rows.Measure{Metric: "user", Unit: "s", Stat: "mean", Better: format.Lower}, v.Get("user"))
	stat(rows.Measure{Metric: "system", Unit: "s", Stat: "mean", Better: format.Lower}, v.Get("system"))
}

// runs makes a record of each value of a list, unless its run failed.
func runs(m *rows.Maker, x rows.Measure, list, codes jsontree.Value, hasFailed bool) {
	values, count := list.List(), len(codes.List())
	switch {
	case !list.Has():
		return
	case !codes.Has() || m.KeepFailed || !hasFailed && len(values) <= count:
		m.Numbers(x, list)
		return
	case len(values) != count:
		m.Faultf(list, "%s%d values of %s for %d exit codes", m.Name(), len(values), x.Metric, count)
		return
	}

	for i, code := range codes.List() {
		if !failed(code) {
			m.Item(x, list, i)
		}
	}
}

// failed reports whether a run with the exit code failed. NaN stands for null, or for a value
// that is not a number.
func failed(code jsontree.Num) bool { return code.Value != 0 }

// reason says why the i-th run failed.
func reason(codes jsontree.Value, i int) string {
	switch code := codes.List()[i].Value; {
	case code == code:
		return fmt.Sprint(" with the exit code ", code)
	case codes.ItemFaulty(i):
		return ": its exit code is not a number"
	}
	return " without an exit code: a signal ended it"
}
