package ghbench

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
	"perfdata/unit"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:       "ghbench",
		Title:      "github-action-benchmark JSON",
		Holds:      "results of many commits of a project, in their order, or of one run",
		Aliases:    []string{"github-action-benchmark"},
		Extensions: []string{".js", ".json"},
		IsHistory:  true,
	},
	Fits: func(f rows.Facts) bool {
		if f.Array {
			return f.Row.Has("name", "unit", "value")
		}
		return f.Row.Has("commit", "benches") ||
			f.Top["entries"] == jsonscan.Object && f.Top.Has("lastUpdate", "repoUrl")
	},
	Sections:  []string{"entries"},
	Variable:  "window.BENCHMARK_DATA", // which data.js assigns to
	Row:       entry,
	Shape:     rows.InGroups,
	RealFiles: "github-action-benchmark/*.data.js",
	Records:   records,
	Other: &rows.Spec{Row: bench, Records: func(m *rows.Maker, b jsontree.Value) {
		newRun(m, "", jsontree.None()).bench(m, b)
	}},
})

var entry = jsontree.Object(
	jsontree.Member{Name: "commit", Type: jsontree.Object().With(jsontree.Text, "id", "timestamp", "url").Needed()},
	jsontree.Member{Name: "date", Type: jsontree.Number.Or(jsontree.Strings).From("0", "1732000000000")},
	jsontree.Member{Name: "tool", Type: jsontree.Text.From(
		`"go"`, `"cargo"`, `"pytest"`, `"googlecpp"`, `"julia"`, `"customSmallerIsBetter"`,
	)},
	jsontree.Member{Name: "benches", Type: jsontree.ArrayOf(bench).Needed()},
)

var bench = jsontree.Object(
	jsontree.Member{Name: "name", Type: literal.Unique().Needed()},
	jsontree.Member{Name: "value", Type: jsontree.Number.Or(jsontree.Strings).Needed()},
	jsontree.Member{Name: "unit", Type: literal.From(`"ns/op"`, `"iter/sec"`, `"ops"`, `"x"`).Needed().Of("\t 1 $")},
	jsontree.Member{Name: "range", Type: literal},
	jsontree.Member{Name: "extra", Type: literal.Of("$: v\n")},
)

// A literal is a string. Versions before 1.20 write what a program gave them, such as a number.
var literal = jsontree.Text.Or(jsontree.Numbers | jsontree.Written)

// A run is what all benches of an entry have in common. The next entry takes over its memory.
type run struct {
	suite, tool, date string
	commit            jsontree.Value
	keys              map[string]bool // of the lines of a bench

	better map[string]format.Direction // by unit

	series goSeries // of the tool go
}

// records makes the records of an entry.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "benches") {
		return
	}
	r := newRun(m, v.Get("tool").Text(), v.Get("commit"))
	if d := v.Get("date"); d.Has() {
		const maxDate = 253402300799999 // the end of the year 9999, the last that RFC 3339 has
		if ms := d.Number(); d.Text() != "" {
			r.date = d.Text()
		} else if ms >= 0 && ms <= maxDate {
			r.date = time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z07:00")
		} else {
			m.Fault(d, "want a time in milliseconds since 1970")
		}
	}

	if r.tool == "go" {
		for b := range v.Get("benches").Elements() {
			first, _, _ := strings.Cut(b.Get("unit").Text(), "\t")
			r.series.add(b.Get("name").Text(), first)
		}
	}

	m.Commit(r.commit.Get("id").Text())
	for b := range v.Get("benches").Elements() {
		r.bench(m, b)
	}
}

// newRun returns the run of an entry, or of a bench outside of one.
func newRun(m *rows.Maker, tool string, commit jsontree.Value) *run {
	r, ok := m.Scratch.(*run)
	if !ok {
		r = &run{keys: map[string]bool{}, better: map[string]format.Direction{}}
		m.Scratch = r
	}
	r.suite, r.tool, r.commit, r.date = m.Group, tool, commit, ""
	clear(r.better)
	clear(r.series.first)
	clear(r.series.own)
	return r
}

// bench makes the records of a bench.
func (r *run) bench(m *rows.Maker, b jsontree.Value) {
	first, rest, _ := strings.Cut(b.Get("unit").Text(), "\t")
	full := b.Get("name").Text()
	var own []string
	if r.tool == "go" {
		var repeats bool
		if full, own, repeats = r.series.find(full, first); repeats {
			m.Skip()
			return
		}
	}

	if full == "" {
		if m.Has(b, "name") {
			m.Fault(b, "name is empty")
		}
		return
	}

	m.Next()
	r.identify(m, b, full)
	if !r.hasValue(m, b, full) {
		return
	}
	x := rows.Measure{Unit: first, Better: r.betterOf(first)}
	if r.tool == "googlecpp" && strings.HasSuffix(full, "_cv") {
		x.Unit, x.Better = "1", format.Unknown
	}
	m.Value(x, b.Get("value"))
	if r.tool == "go" && rest != "" {
		r.others(m, b.Get("unit"), rest, own)
	}
}

// identify adds the params, attrs and links of a bench.
func (r *run) identify(m *rows.Maker, b jsontree.Value, full string) {
	m.Param("suite", r.suite)
	m.Param("tool", r.tool)
	m.Param("name", full)
	m.Attr("commit-time", r.commit.Get("timestamp").Text())
	m.Attr("date", r.date)
	m.Attr("range", b.Get("range").Text())
	m.Link("commit", r.commit.Get("url").Text())

	var others []string
	clear(r.keys)
	for line, rest := "", b.Get("extra").Text(); rest != ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		key, value, ok := strings.Cut(line, ": ")
		if !ok && r.tool == "julia" {
			key, value, ok = strings.Cut(line, "=")
		}

		switch {
		case ok && key != "" && strings.HasPrefix(value, "undefined"): // as JavaScript prints an absent value
		case ok && key != "" && !r.keys[key]:
			r.keys[key] = true
			m.Attr(key, value)
		case line != "":
			others = append(others, line)
		}
	}
	if len(others) > 0 {
		m.Attr("extra", strings.Join(others, ", "))
	}
}

// hasValue reports whether a bench has a value. Otherwise it says why.
func (r *run) hasValue(m *rows.Maker, b jsontree.Value, full string) bool {
	v := b.Get("value")
	google := r.tool == "googlecpp"
	switch {
	case v.Faulty():
		return false
	case !v.Has() && google && (strings.HasSuffix(full, "_BigO") || strings.HasSuffix(full, "_RMS")):
		m.Skip()
		return false
	case !v.Has():
		m.Fault(b, m.Name()+"the benchmark has no value")
		return false
	case google && v.Kind() == jsonscan.Number && v.Number() == 0 &&
		strings.HasPrefix(b.Get("extra").Text(), "iterations: 0\n"):
		m.Fault(v, m.Name()+"the benchmark failed: it has no iterations")
		return false
	}
	return true
}

// others makes records of the values in the rest of a line of go test, after the first unit,
// without those whose units have benches of their own.
func (r *run) others(m *rows.Maker, v jsontree.Value, rest string, own []string) {
	fields := strings.Fields(rest)
	for ; len(fields) >= 2; fields = fields[2:] {
		name := fields[1]
		if slices.Contains(own, name) {
			continue
		}
		f, err := strconv.ParseFloat(fields[0], 64)
		if err != nil || f-f != 0 {
			m.Fault(v, m.Name()+strconv.Quote(fields[0])+" is not a number")
			continue
		}
		m.Number(rows.Measure{Unit: name, Better: r.betterOf(name)}, f, v.Offset())
	}
	if len(fields) > 0 {
		m.Fault(v, m.Name()+strconv.Quote(fields[0])+" has no unit")
	}
}

// betterOf is better for the tool of the run. Most benches have the unit of an earlier one: without
// the map, reading the history of a Go project takes 17% more time.
func (r *run) betterOf(name string) format.Direction {
	d, ok := r.better[name]
	if !ok {
		d = better(r.tool, name)
		r.better[name] = d
	}
	return d
}

// better returns whether lower or higher is better.
func better(tool, name string) format.Direction {
	u, ok := unit.Parse(name)
	isRate := strings.HasSuffix(name, "/s") || strings.HasSuffix(name, "/sec") || strings.HasSuffix(name, "/second")
	if name == "ops" || ok && u.Better == format.Higher || !ok && isRate {
		return format.Higher
	}
	switch tool {
	case "customBiggerIsBetter", "benchmarkjs", "pytest":
		return format.Higher
	case "customSmallerIsBetter", "cargo", "benchmarkluau", "googlecpp", "catch2", "julia", "benchmarkdotnet":
		return format.Lower
	}
	return format.Unknown
}

// goSeries are the benches that the action has made from the lines of go test, in one entry. From a
// line with several values, it makes a bench whose unit is the rest of the line, and benches called
// "NAME - UNIT", of one value each.
type goSeries struct {
	first map[string]string   // by the name of a bench: its unit, or that of the last of them
	own   map[string][]string // by NAME: the UNITs for which there are benches
}

// add adds the next bench, whose unit is first, before any is asked for.
func (s *goSeries) add(full, first string) {
	if s.first == nil {
		s.first, s.own = map[string]string{}, map[string][]string{}
	}
	s.first[full] = first
	if name, ok := cutUnit(full, first); ok && !slices.Contains(s.own[name], first) {
		s.own[name] = append(s.own[name], first)
	}
}

// find returns, for a bench, the name to use, and the units that have benches of their own. If the
// bench repeats a value of another one, repeats is set.
func (s *goSeries) find(full, first string) (name string, own []string, repeats bool) {
	if name, ok := cutUnit(full, first); ok {
		switch s.first[name] {
		case "": // no bench
		case first:
			return "", nil, true
		default:
			full = name
		}
	}
	return full, s.own[full], false
}

// cutUnit returns NAME if the name is "NAME - UNIT".
func cutUnit(full, unit string) (name string, ok bool) {
	if name, ok = strings.CutSuffix(full, unit); ok {
		name, ok = strings.CutSuffix(name, " - ")
	}
	return name, ok
}
