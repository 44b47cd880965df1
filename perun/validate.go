package perun

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// Validate reads a profile to its end and yields every error and warning, in the order of the
// file. If an object has a duplicate member, or the JSON has an error, it yields only these.
// Otherwise it yields
//
//   - the errors of a Reader;
//   - missing members that the specification requires and Perun needs: the regions header, with
//     type, cmd and workload, collector_info, with name, and postprocessors; a type that is time,
//     memory or mixed; of each resource uid and type; of each model uid and model;
//   - warnings about a resource type without resources, and about a resource without a unit, once
//     for each type and subtype.
//
// A profile is valid if Validate yields only warnings. Like a [Reader], it looks ahead: it reads
// the profile four times. It yields at most 10,000 errors, and fewer if they are long. The name
// of the file is for errors.
func Validate(in io.Reader, name string, limits format.Limits) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		r := NewReader(in)
		r.Name, r.Limits = name, limits.WithDefaults()
		defer r.Close()
		v := &validator{r: r, s: jsonscan.New(in, name, r.Limits)}
		v.s.AllowNaN()
		v.run()
		slices.SortStableFunc(v.found, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
		for _, e := range v.found {
			e.Recoverable = false
			if !yield(e) {
				return
			}
		}
	}
}

type validator struct {
	r     *Reader
	s     *jsonscan.Scanner
	found []*format.Error
	bytes int  // of found
	full  bool // no more errors are added

	remembered int // names of the members of all open objects
}

// The limits on errors that are held, and on their size in bytes.
const (
	maxFound      = 10_000
	maxFoundBytes = 8 << 20
	errorCost     = 256 // of an error, without its path and message
)

// add adds an error. It returns false if there are too many.
func (v *validator) add(e *format.Error) bool {
	if v.full {
		return false
	}
	v.bytes += errorCost + len(e.Path) + len(e.Message)
	if n := len(v.found); n == maxFound-1 || v.bytes > maxFoundBytes {
		e.Message = fmt.Sprintf("more than %d errors: the rest are not listed", n)
		v.full = true
	}
	if e.Path == "" {
		e.Path = "(root)"
	}
	v.found = append(v.found, e)
	return true
}

// violation adds a violation of the specification.
func (v *validator) violation(e *format.Error) bool {
	e.Err = format.ErrSchema
	return v.add(e)
}

func (v *validator) run() {
	s, r := v.s, v.r
	start := s.LookAhead()
	v.findRepeated(make([]jsonscan.Names, 0, 8))
	if !v.full {
		s.End()
	}

	if len(v.found) > 0 || s.Err() != nil {
		if e, ok := unnested(s.Err()).(*format.Error); ok {
			v.add(e)
		}
		s.Close()
		return
	}

	if !s.Return(start) {
		v.add(unnested(s.Err()).(*format.Error))
		return
	}

	r.scan = s
	r.begin(false)
	if err := r.doc.err; err != nil {
		v.add(err.(*format.Error))
		return
	}

	v.header()
	v.resources()
	v.records()
	v.models()
	v.unused()
}

// findRepeated reads the value ahead and adds an error for each duplicate member of an object.
func (v *validator) findRepeated(names []jsonscan.Names) {
	s := v.s
	switch s.Kind() {
	case jsonscan.Array:
		for s.EnterArray(); !v.full && s.Element(); {
			v.findRepeated(names)
		}
	case jsonscan.Object:
		if len(names) == cap(names) {
			names = append(names, jsonscan.Names{})
		} else {
			names = names[:len(names)+1]
		}

		own := &names[len(names)-1]
		own.Reset()
		count := 0
		for s.EnterObject(); !v.full; count++ {
			name, _, ok := s.Member()
			if !ok {
				break
			}
			if !own.Add(s, name) && s.Err() == nil {
				v.add(s.RepeatedError(name))
			}

			if max := v.r.Limits.MaxMembers; v.remembered >= max {
				s.FailLimit(s.NameError, "MaxMembers", int64(max),
					"members of an object and the objects around it")
				break
			}
			v.remembered++
			v.findRepeated(names)
		}

		v.remembered -= count
	default:
		s.Skip()
	}
}

func (v *validator) header() {
	r := v.r
	root := func(path, message string) {
		v.violation(r.scan.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message))
	}

	for _, m := range []struct {
		region jsondoc.Set
		name   string
	}{{regionHeader, "header"}, {regionCollector, "collector_info"}, {regionPostprocessors, "postprocessors"}} {
		if !r.doc.Has(m.region) {
			root("(root)", m.name+" is required")
		}
	}

	if !r.doc.Has(regionsData) {
		root("(root)", "resources, snapshots or global is required")
	}
	h := &r.header
	faulty := func(path string) bool {
		return slices.ContainsFunc(r.doc.faults, func(f headerFault) bool { return f.err.Path == path })
	}

	if r.doc.Has(regionHeader) && !faulty("header") {
		at := func(path, message string) { v.violation(r.scan.ErrorAt(r.doc.headerAt, path, message)) }
		if !isType(h.Type) && !faulty("header.type") {
			at("header.type", fmt.Sprintf("the type is %s, expected time, memory or mixed", message.Quote(h.Type)))
		}
		for _, key := range []string{"cmd", "workload", "units"} {
			if !slices.Contains(r.doc.headerSeen, key) {
				at("header", key+" is required")
			}
		}
	}

	if r.doc.Has(regionCollector) && h.Collector.Name == "" &&
		!faulty("collector_info") && !faulty("collector_info.name") {
		root("collector_info", "name is required")
	}
}

// resources checks the resources. Resources of the same type are consecutive; fields that their
// type lacks are reported once.
func (v *validator) resources() {
	r, out := v.r, &resourceSink{wantsPath: true}
	resources := func(yield func(*Resource, error) bool) {
		out.yield = yield
		r.read(out, false)
	}

	units := map[[2]string]bool{}
	last := ""
	report := func(res *Resource, message string) *format.Error {
		return &format.Error{
			Name: r.Name, Position: res.Position, Path: out.path, Message: message, Err: format.ErrSchema,
		}
	}

	for res, err := range resources {
		if v.full {
			return
		}
		if err != nil {
			if !v.add(err.(*format.Error)) {
				return
			}
			continue
		}

		amount, has := res.Fields.Get("amount")
		if f, ok := amount.Float(); !ok && !has {
			v.add(report(res, noAmountMessage))
		} else if !ok {
			v.add(report(res, "Invalid type. Expected: number, given: "+amount.Kind().String()))
		} else if !isFinite(f) {
			v.add(report(res, finiteMessage))
		}

		if out.path == last && last != "" {
			continue
		}
		last = out.path

		if _, ok := res.Fields.Get("uid"); !ok {
			v.violation(report(res, "uid is required"))
		}
		typ, ok := res.Fields.Get("type")
		if !ok {
			v.violation(report(res, "type is required"))
		}

		subtype, ok := res.Fields.Get("subtype")
		key := [2]string{r.header.Type}
		if typ.kind != KindNull {
			key[0] = cmp.Or(typ.FlatText(), key[0])
		}
		if ok && subtype.kind != KindNull {
			key[1] = subtype.FlatText()
		}

		if len(units) < maxWarnings && !units[key] && r.header.Unit(key[0], key[1]) == "" {
			if len(key[0])+len(key[1]) <= maxKnown {
				units[key] = true
			}
			e := report(res, fmt.Sprintf("header.units has no unit of type %s and subtype %s",
				message.Quote(key[0]), message.Quote(key[1])))
			e.Warning, e.Err = true, nil
			v.add(e)
		}
	}
}

// Only one warning is given about each type and subtype without a unit, for up to maxWarnings of
// them, if their texts together have up to maxKnown bytes.
const (
	maxWarnings = 1000
	maxKnown    = 1 << 10
)

// records adds the error that ends the reading of records but not that of resources, such as a
// flattened form that is too large.
func (v *validator) records() {
	records := func(yield func(*format.Record, error) bool) { v.r.read(&recordSink{yield: yield}, false) }
	for _, err := range records {
		if e, ok := err.(*format.Error); ok && !e.Recoverable && !v.isFound(e) {
			v.add(e)
		}
	}
}

// isFound reports whether the error was found when the profile was read before.
func (v *validator) isFound(e *format.Error) bool {
	return slices.ContainsFunc(v.found, func(f *format.Error) bool {
		return f.Offset == e.Offset && f.Message == e.Message
	})
}

func (v *validator) models() {
	r, out := v.r, &modelSink{wantsPath: true}
	models := func(yield func(*Model, error) bool) {
		out.yield = yield
		r.read(out, false)
	}

	for m, err := range models {
		if err != nil {
			e := unnested(err).(*format.Error)
			if !v.isFound(e) && !v.add(e) {
				return
			}
			continue
		}

		for _, key := range []string{"uid", "model"} {
			if _, ok := m.Fields.Get(key); !ok {
				v.violation(&format.Error{
					Name: r.Name, Position: m.Position, Path: out.path, Message: key + " is required",
					Err: format.ErrSchema,
				})
			}
		}
	}
}

// unused warns of resource types without resources.
func (v *validator) unused() {
	r := v.r
	if !r.types.found || r.scan.Err() != nil {
		return
	}
	if n := len(r.types.places) - r.types.used; n > 0 {
		e := r.scan.ErrorAt(r.types.position, "resource_type_map",
			fmt.Sprintf("%d of %d resource types have no resources", n, len(r.types.places)))
		e.Warning, e.Err = true, nil
		v.add(e)
	}
}
