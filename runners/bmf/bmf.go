package bmf

import (
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:    "bmf",
		Title:   "Bencher Metric Format",
		Holds:   "measures of benchmarks, for Bencher",
		Aliases: []string{"bencher"},
		Detect:  func(prefix []byte) format.Match { return format.Match{Yes: detect(prefix)} },
	},
	Shape:   rows.ByName,
	Row:     jsontree.ObjectOf(measure).Needed(),
	Records: records,
}

var measure = jsontree.Object().
	With(jsontree.Number.Needed(), "value").
	With(jsontree.Literal, "lower_value", "upper_value")

// detect reports whether a document has measures, and all of them have a value.
func detect(prefix []byte) bool {
	s := jsonscan.OfBytes(prefix)
	if s.Kind() != jsonscan.Object {
		return false
	}
	found := false
	for _, kind := range s.Glance() {
		if kind != jsonscan.Object {
			return false
		}
		for _, kind := range s.Glance() {
			has := kind == jsonscan.Object && hasValue(s)
			if !has && s.Err() == nil {
				return false
			}
			found = found || has
		}
	}
	return found
}

// hasValue reads the object ahead, and reports whether it has a value and no members of other formats: an
// output of Terraform has a value, too.
func hasValue(s *jsonscan.Scanner) bool {
	has, other := false, false
	for name, kind := range s.Glance() {
		switch string(name) {
		case "value":
			has = kind == jsonscan.Number || kind == jsonscan.Null
		case "lower_value", "upper_value":
		default:
			other = true
		}
	}
	return has && !other
}

// records makes the records of a benchmark.
func records(m *rows.Maker, v jsontree.Value) {
	for metric, one := range v.AllOthers() {
		m.Next()
		m.Param("name", m.Group)
		m.Attrs(one, "lower_value", "upper_value")
		switch number := one.Get("value"); {
		case one.Faulty() || number.Faulty():
		case number.Has():
			m.Value(rows.Measure{Metric: metric, Unit: unitOf(metric)}, number)
		default:
			m.Fault(one, m.Name()+metric+" has no value")
		}
	}
}

// units are the units of Bencher's own measures.
var units = map[string]string{"latency": "ns", "throughput": "ops/s", "build-time": "s", "file-size": "B"}

// unitOf returns the unit of a measure, or nothing.
func unitOf(metric string) string {
	return units[strings.ToLower(strings.ReplaceAll(metric, " ", "-"))]
}
