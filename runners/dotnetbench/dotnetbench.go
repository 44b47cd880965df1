package dotnetbench

import (
	"slices"
	"strings"
	"unicode"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "dotnetbench",
		Title:   "BenchmarkDotNet JSON",
		Holds:   "results of .NET benchmarks, with the machine",
		Aliases: []string{"benchmarkdotnet"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("Method", "Statistics") || len(f.Row) == 0 && f.Top.Has("HostEnvironmentInfo", "Benchmarks")
	},
	Sections: []string{"Benchmarks"},
	Head:     jsontree.Object().With(rows.Flat, "HostEnvironmentInfo").With(jsontree.Text, "Title").Members,
	Row:      row,
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		h.Attr("Title", get("Title").Text())
		h.Flatten("", get("HostEnvironmentInfo"))
	},
	RealFiles: "benchmarkdotnet/*.json",
	NaN:       true,
	Records:   records,
})

var row = jsontree.Object().
	With(jsontree.Text, "DisplayInfo", "Namespace", "Type").
	With(jsontree.Text.Unique().Needed(), "Method").
	With(jsontree.Text, "MethodTitle").
	With(jsontree.Text.From(`""`, `"n=5"`).Of("&$=1"), "Parameters").
	With(jsontree.Text.Unique(), "FullName").
	With(jsontree.Text, "HardwareIntrinsics").
	With(jsontree.ObjectOf(jsontree.Any), "Properties").
	With(statistics.Needed(), "Statistics").
	With(memory, "Memory").
	With(jsontree.ArrayOf(measurement), "Measurements").
	With(jsontree.ArrayOf(metric), "Metrics")

var statistics = jsontree.Object().
	With(jsontree.ArrayOf(number), "OriginalValues").
	With(number, "Min").
	With(number.Needed(), "Mean").
	With(number, "Median", "Max", "StandardDeviation").
	With(jsontree.ObjectOf(number), "Percentiles")

var memory = jsontree.Object().
	With(jsontree.Number.From("1"), "Gen0Collections", "Gen1Collections").
	With(jsontree.Number.From("0"), "Gen2Collections").
	With(jsontree.Number.From("1024"), "TotalOperations").
	With(number, "BytesAllocatedPerOperation")

var measurement = jsontree.Object().
	With(jsontree.Text.From(`"Workload"`, `"Overhead"`).Needed(), "IterationMode").
	With(jsontree.Text.From(`"Result"`, `"Warmup"`).Needed(), "IterationStage").
	With(jsontree.Number.From("4").Needed(), "Operations").
	With(jsontree.Number.Needed(), "Nanoseconds")

var metric = jsontree.Object().
	With(number, "Value").
	With(jsontree.Object().
		With(jsontree.Text.Unique().Needed(), "Id").
		With(jsontree.Text, "Unit").
		With(jsontree.Bool, "TheGreaterTheBetter").Needed(), "Descriptor")

// stats are the members of Statistics that become records, with their stat.
var stats = []struct{ member, stat string }{
	{"Min", "min"}, {"Mean", "mean"}, {"Median", "median"}, {"Max", "max"}, {"StandardDeviation", "stddev"},
}

// A number is an empty string if it is NaN or infinite.
var number = jsontree.Number.Or(jsontree.Strings)

// records makes the records of a benchmark.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "Method") {
		return
	}
	added := map[string]string{} // a text may say again what another one says
	add := func(key, value string) {
		if have, ok := added[key]; !ok || have != value {
			added[key] = value
			m.Param(key, value)
		}
	}
	addName(m, v, add)
	addJob(m, v, add)
	m.Attr("HardwareIntrinsics", v.Get("HardwareIntrinsics").Text())
	if text := v.Get("MethodTitle").Text(); text != v.Get("Method").Text() {
		m.Attr("MethodTitle", text)
	}

	if addTimes(m, v) {
		addMetrics(m, v)
	} else if !v.Get("Statistics").Faulty() {
		m.Fault(v, m.Name()+"the benchmark failed: it has no statistics")
	}
}

// addName adds the name and the parameters.
func addName(m *rows.Maker, v jsontree.Value, add func(key, value string)) {
	full, params := v.Get("FullName").Text(), v.Get("Parameters").Text()
	if full != "" && strings.Contains(params, "(...)") {
		m.Param("name", full)
		return
	}

	called := "." + v.Get("Method").Text()
	switch before, _, ok := strings.Cut(full, called+"("); {
	case ok && params != "":
		m.Param("name", before+called)
	case full != "" && params == "":
		m.Param("name", full)
	default:
		// A type outside any namespace has null as its Namespace.
		parts := []string{v.Get("Namespace").Text(), v.Get("Type").Text(), v.Get("Method").Text()}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		m.Param("name", strings.Join(parts, "."))
	}
	addPairs(params, "&", add)
}

// addJob adds what distinguishes the job from others.
func addJob(m *rows.Maker, v jsontree.Value, add func(key, value string)) {
	for key, value := range v.Get("Properties").Others() {
		switch text := value.Text(); text {
		case "Auto", "Default", "Host":
		default:
			add(key, text)
		}
	}

	_, job, _ := strings.Cut(v.Get("DisplayInfo").Text(), v.Get("MethodTitle").Text()+": ")
	if first, _, ok := strings.Cut(v.Get("Parameters").Text(), "="); ok {
		job, _, _ = strings.Cut(job, " ["+first+"=")
	}
	id, characteristics, _ := strings.Cut(job, "(")
	if id != "DefaultJob" && !strings.HasPrefix(id, "Job-") { // which is the hash of its characteristics
		m.Param("job", id)
	}
	addPairs(strings.TrimSuffix(characteristics, ")"), ", ", add)
}

// addPairs adds KEY=VALUE pairs. A part that is not one belongs to the value of the previous pair.
func addPairs(text, separator string, add func(key, value string)) {
	var all []string
	for part := range strings.SplitSeq(text, separator) {
		if n := len(all); n > 0 && !isPair(part) {
			all[n-1] += separator + part
		} else {
			all = append(all, part)
		}
	}
	for _, pair := range all {
		key, value, _ := strings.Cut(pair, "=")
		add(key, value)
	}
}

// isPair reports whether the text begins with a name and an equals sign.
func isPair(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsNumber(c)) {
			return false
		}
	}
	return ok && name != ""
}

// addTimes adds the single values, or else the statistics. It returns false if there are none.
func addTimes(m *rows.Maker, v jsontree.Value) bool {
	x := rows.Measure{Unit: "ns", Better: format.Lower}
	found := false
	for one := range v.Get("Measurements").Elements() {
		mode, stage := one.Get("IterationMode").Text(), one.Get("IterationStage").Text()
		if (mode != "Workload" || stage != "Result") && (mode != "Result" || stage != "") {
			continue // of the overhead, or of a warmup
		}

		found = true
		switch n := one.Get("Operations").Number(); {
		case !m.Has(one, "Nanoseconds") || !m.Has(one, "Operations"):
		case n >= 1:
			m.Number(x, one.Get("Nanoseconds").Number()/n, one.Get("Nanoseconds").Offset())
		default:
			m.Fault(one.Get("Operations"), m.Name()+"a measurement without operations")
		}
	}

	all := v.Get("Statistics")
	if !found {
		for value := range all.Get("OriginalValues").Elements() {
			found = true
			m.Value(x, value)
		}
	}
	if found && !m.Summaries {
		return true
	}

	for _, s := range stats {
		x.Stat = s.stat
		m.Value(x, all.Get(s.member))
		found = found || all.Get(s.member).Has()
	}
	for name, value := range all.Get("Percentiles").Others() {
		if name != "P0" && name != "P50" && name != "P100" {
			x.Stat = strings.ToLower(name)
			m.Value(x, value)
			found = true
		}
	}
	return found
}

// addMetrics adds what diagnosers have measured.
func addMetrics(m *rows.Maker, v jsontree.Value) {
	has := map[string]bool{}
	for metric := range v.Get("Metrics").Elements() {
		about := metric.Get("Descriptor")
		x := rows.Measure{Metric: about.Get("Id").Text(), Unit: about.Get("Unit").Text()}
		if x.Metric == "" {
			m.Fault(metric, m.Name()+"Descriptor.Id is required")
			continue
		}

		if has[x.Metric] = true; about.Get("TheGreaterTheBetter").Has() {
			x.Better = format.Lower
			if about.Get("TheGreaterTheBetter").IsTrue() {
				x.Better = format.Higher
			}
		}
		m.Value(x, metric.Get("Value"))
	}

	all := v.Get("Memory")
	n := all.Get("TotalOperations").Number()
	for _, gen := range [...]string{"Gen0Collect", "Gen1Collect", "Gen2Collect"} {
		metric := gen + "s"
		x := rows.Measure{Metric: metric, Unit: "Count", Better: format.Lower}
		switch count := all.Get(gen + "ions"); {
		case has[metric] || !count.Has() || n == 0:
		case n >= 1 && count.Number() < 1<<31: // .NET counts them in an int
			m.Number(x, count.Number()/n*1000, count.Offset())
		default:
			m.Fault(count, m.Name()+"a number of collections or operations that cannot be")
		}
	}

	if metric := "Allocated Memory"; !has[metric] {
		m.Value(rows.Measure{Metric: metric, Unit: "B", Better: format.Lower}, all.Get("BytesAllocatedPerOperation"))
	}
}
