package googlebench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "googlebench",
		Title:   "Google Benchmark JSON",
		Holds:   "results of C++ benchmarks, with the machine",
		Aliases: []string{"googlebenchmark", "gbench"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("name", "real_time") || f.Row.Has("name", "run_type") ||
			len(f.Row) == 0 && f.Top.Has("context.num_cpus", "benchmarks")
	},
	Sections:  []string{"benchmarks"},
	Head:      []jsontree.Member{{Name: "context", Type: jsontree.ObjectOf(jsontree.Any)}},
	NaN:       true,
	Row:       row,
	RealFiles: "googlebenchmark/*.json",
	IfEmpty:   "the runner writes nothing if no benchmark matches its filter",
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		h.Flatten("", get("context"))
	},
	Records: records,
})

var row = jsontree.ObjectOf(counter,
	jsontree.Member{Name: "name", Type: jsontree.Text.Unique().Needed().Of("/$:1")},
	jsontree.Member{Name: "run_name", Type: jsontree.Text.Unique()},
	jsontree.Member{Name: "run_type", Type: jsontree.Text.From(`"iteration"`)},
	jsontree.Member{Name: "repetition_index", Type: jsontree.Number.From("0", "1")},
	jsontree.Member{Name: "threads", Type: jsontree.Literal.From("1", "4")},
	jsontree.Member{Name: "iterations", Type: jsontree.Literal},
	jsontree.Member{Name: "real_time", Type: counter.Needed()},
	jsontree.Member{Name: "cpu_time", Type: counter.Needed()},
	jsontree.Member{Name: "time_unit", Type: jsontree.Text},
	jsontree.Member{Name: "aggregate_name", Type: jsontree.Text.From("null")},
	jsontree.Member{Name: "aggregate_unit", Type: jsontree.Text},
	jsontree.Member{Name: "label", Type: jsontree.Text},
	jsontree.Member{Name: "error_occurred", Type: jsontree.Bool.From("false")},
	jsontree.Member{Name: "error_message", Type: jsontree.Text},
	jsontree.Member{Name: "skipped", Type: jsontree.Bool.From("false")},
	jsontree.Member{Name: "skip_message", Type: jsontree.Text},
).With(counter, "allocs_per_iter", "max_bytes_used", "total_allocated_bytes", "net_heap_growth").
	With(jsontree.Any, "family_index", "per_family_instance_index", "repetitions")

// A counter is a number. A later version may add members of other kinds, which are none.
var counter = &jsontree.Type{Kinds: jsontree.Numbers | jsontree.Lenient}

// memory are the members that a manager of memory adds, with their units.
var memory = []struct{ name, unit string }{
	{"allocs_per_iter", ""}, {"max_bytes_used", "B"}, {"total_allocated_bytes", "B"}, {"net_heap_growth", "B"},
}

// records makes the records of a row.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "name") {
		return
	}
	full, stat := v.Get("run_name").Text(), v.Get("aggregate_name").Text()
	isAggregate := v.Get("run_type").Text() == "aggregate" || stat != ""
	if full == "" {
		full = v.Get("name").Text()
		if run, suffix := splitOld(full); stat == "" && v.Get("run_type").Text() != "iteration" && suffix != "" {
			full, stat, isAggregate = run, suffix, true
		}
	}

	switch {
	case v.Get("error_occurred").IsTrue():
		m.Faultf(v, "%s failed: %s", v.Get("name").Text(), v.Get("error_message").Text())
		return
	case v.Get("skipped").IsTrue():
		m.Warn(v, fmt.Sprintf("%s was skipped: %s", v.Get("name").Text(), v.Get("skip_message").Text()))
		return
	case !isAggregate:
		m.Saw(full)
	case v.Get("aggregate_name").Has() && stat == "":
		m.Faultf(v.Get("aggregate_name"), "%s: want the name of an aggregate", v.Get("name").Text())
		return
	case stat == "":
		m.Warn(v, v.Get("name").Text()+" is left out: an aggregate without aggregate_name")
		return
	case stat == "BigO" || stat == "RMS", m.HasSeen(full) && !m.Summaries:
		m.Skip()
		return
	}

	addName(m, full, v.Get("iterations").Has())
	if !v.Get("real_time").Has() && !v.Get("cpu_time").Has() {
		return // other numbers would be guesses
	}
	if t := v.Get("threads"); t.Number() > 1 && !strings.Contains(full, "/threads:") {
		m.Param("threads", t.Text())
	}
	m.Attrs(v, "iterations", "label")

	x := rows.Measure{Stat: stat}
	if i := v.Get("repetition_index"); i.Has() && stat == "" {
		x.Repetition = int(min(max(i.Number(), -1), math.MaxInt32)) + 1
	}

	percentage := v.Get("aggregate_unit").Text() == "percentage"
	value := func(metric, unit string, better format.Direction, v jsontree.Value) {
		if x.Metric, x.Unit, x.Better = metric, unit, better; percentage {
			x.Unit, x.Better = "1", format.Unknown
		}
		m.Value(x, v)
	}
	unit := v.Get("time_unit").Text()
	value("real_time", unit, format.Lower, v.Get("real_time"))
	value("cpu_time", unit, format.Lower, v.Get("cpu_time"))
	for _, r := range memory {
		value(r.name, r.unit, format.Lower, v.Get(r.name))
	}

	for metric, c := range v.Others() {
		switch metric {
		case "bytes_per_second", "items_per_second":
			value(metric, "", format.Higher, c)
		default:
			value(metric, "", format.Unknown, c)
		}
	}
}

// splitOld splits the name of a row of a version that has no run_name.
func splitOld(name string) (run, stat string) {
	i := strings.LastIndexByte(name, '_')
	switch stat := name[i+1:]; stat {
	case "mean", "median", "stddev", "cv", "BigO", "RMS":
		if i >= 0 {
			return name[:i], stat
		}
	}
	return name, ""
}

// The parts of a name that say how the benchmark was run.
var (
	settings = []string{"iterations", "repeats", "min_time", "min_warmup_time"}
	clocks   = []string{"real_time", "manual_time", "process_time"}
)

// addName adds the name of a benchmark and its parts. Counted says that the row has its iterations.
func addName(m *rows.Maker, full string, counted bool) {
	m.Param("name", withoutParts(full))
	_, rest, _ := strings.Cut(full, "/")
	for part := range strings.SplitSeq(rest, "/") {
		switch key, value, _ := strings.Cut(part, ":"); {
		case !isPart(part), key == "iterations" && counted: // the member has the same number
		case value == "":
			m.Attr(part, "true")
		case slices.Contains(settings, key):
			m.Attr(key, value)
		default:
			m.Param(key, value)
		}
	}
}

// isPart reports whether a part of a name, after the first, is a parameter or a setting.
func isPart(part string) bool {
	i := strings.IndexByte(part, ':')
	return i > 0 && i+1 < len(part) && part[i+1] != ':' || slices.Contains(clocks, part)
}

// withoutParts returns a name without its parts. Usually they are at its end, so that the name
// needs no memory.
func withoutParts(full string) string {
	name, joined := 0, "" // the length of the beginning without parts, and what needs memory
	for begin, part := 0, ""; begin <= len(full); begin += len(part) + 1 {
		part, _, _ = strings.Cut(full[begin:], "/")
		switch {
		case begin > 0 && isPart(part):
		case joined != "":
			joined += "/" + part
		case name == 0 || name+1 == begin:
			name = begin + len(part)
		default:
			joined = full[:name] + "/" + part
		}
	}
	if joined != "" {
		return joined
	}
	return full[:name]
}
