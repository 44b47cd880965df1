package skiav1

import (
	"fmt"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/skiadoc"
)

// validate is Validate of [Format].
func (r *Reader) validate(yield func(*format.Error) bool) {
	v := skiadoc.NewValidation("result", r.Limits)
	r.grammar.Validation = v
	r.frame.Validate(&v.Validation, (*document)(r), yield)
}

func (d *document) CheckMembers(has func(jsondoc.Set) bool, at func(message string) *format.Error) {
	for _, m := range [...]jsondoc.Set{memberVersion, memberGitHash, skiadoc.Results} {
		if !has(m) {
			d.grammar.Validation.Add(at(docFormat.Name(m) + " is required"))
		}
	}
}

func (d *document) ReadSection(s *jsonscan.Scanner, _ jsondoc.Set, flush func() bool) bool {
	r := (*Reader)(d)
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", d.Limits.MaxResultBytes, 0)
		s.KeepRegion()
		r.checkTraces(s, r.readResult(s))
		s.EndRegion()
		if !flush() {
			return false
		}
	}
	return true
}

// reportItem reports what is missing from the measurement that was just left, in an array.
func (g *grammar) reportItem(s *jsonscan.Scanner, m *measurement, seen members) {
	g.require(s, seen, itemMembers, itemParam)
	if !seen.has(itemMeasurement) && !g.readsAsZero(s, m, "measurement") {
		g.require(s, seen, itemMembers, itemMeasurement)
	}
}

// reportResult reports faults in the members of the result that was just left.
func (g *grammar) reportResult(s *jsonscan.Scanner, res *result, seen members) {
	g.require(s, seen, resultMembers, resultKey)
	switch one, many := seen.has(resultMeasurement), seen.has(resultMeasurements); {
	case one && many:
		g.Validation.Report(s.LeftError, "both measurement and measurements are present: measurement is ignored")
		res.single.has = false
	case !one && !many && !g.readsAsZero(s, &res.single, "measurement or measurements"):
		g.Validation.Report(s.LeftError, "missing measurement or measurements")
	}
}

// require reports that the object that was just left lacks a member, unless it was seen.
func (g *grammar) require(s *jsonscan.Scanner, seen members, names []string, member int) {
	if v := g.Validation; !seen.has(member) && v.Listing() {
		v.Add(s.LeftError(names[member] + " is required"))
	}
}

// readsAsZero reports whether 0 is read in place of what is missing from the object that was just
// left, and then warns about it.
func (g *grammar) readsAsZero(s *jsonscan.Scanner, m *measurement, missing string) bool {
	if v := g.Validation; g.missingAsZero && v.Listing() {
		v.AddWarning(s.LeftError("missing " + missing + " is read as 0"))
	}
	m.has = g.missingAsZero
	return m.has
}

// checkTraces reports the measurements of the result that was just left whose traces were measured
// before.
func (r *Reader) checkTraces(s *jsonscan.Scanner, k *cachedResult) {
	if s.Err() != nil || len(k.result.groups) == 0 && !k.single.has {
		return
	}
	v, i := r.grammar.Validation, 0 // i is the item
	r.records.yield(&k.result, &k.layout, func(rec *format.Record, _ error) bool {
		at := s.PositionAt(rec.Offset)
		switch {
		case len(k.result.groups) > 0:
			v.Trace(rec.Params, at.Line, func(message string) *format.Error {
				path := fmt.Sprintf("%s%s.%d", s.LeftError("").Path, k.groupPath(i), r.grammar.indices[i])
				return s.ErrorAt(at, path, message)
			})
		case len(rec.Params) == 0:
			v.Report(s.LeftError, noParams)
		default:
			v.Trace(rec.Params, at.Line, s.LeftError)
		}
		i++
		return true
	})
}

// groupPath returns the path, in the result, to the array that has the i-th item.
func (res *result) groupPath(i int) string {
	g := 0
	for ; i >= res.groups[g].items; g++ {
		i -= res.groups[g].items
	}
	return ".measurements." + message.Shorten(res.groups[g].name)
}
