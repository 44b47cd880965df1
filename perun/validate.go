package perun

import (
	"cmp"
	"errors"
	"fmt"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// validate is Validate of [Format].
func (r *Reader) validate(yield func(*format.Error) bool) {
	defer r.Close()
	v := &validator{document: &r.doc, unitless: map[[2]string]bool{}}
	v.run(r)
	for _, e := range v.found.Take() {
		if e.Severity == format.Recoverable {
			e.Severity = format.Fatal
		}
		if !yield(e) {
			return
		}
	}
}

// A validator takes the resources and models, and what the grammar reports only to it.
type validator struct {
	*document
	found   jsondoc.Validation
	limited bool // a limit was exceeded that only a Reader of records checks

	checked  string             // path of the last resource that was checked for its fields
	unitless map[[2]string]bool // types and subtypes for which there was a warning
}

// violation adds an error that a Reader of resources does not have. Only a Reader of records checks
// some limits, and ends with the first of these errors.
func (v *validator) violation(e *format.Error) {
	switch {
	case !errors.Is(e, format.ErrLimit):
		e.Err = format.ErrSchema
		v.found.Add(e)
	case !v.limited:
		v.limited = true
		v.found.Add(e)
	}
}

// violationAt adds a violation by the resource or model at a position.
func (v *validator) violationAt(at jsonscan.Position, message string) {
	v.violation(v.scan.ErrorAt(at, v.path, message))
}

func (v *validator) run(r *Reader) {
	d := v.document
	d.out = output{resources: v.resource, models: v.model, fault: v.fault, violation: v.violation}
	s := r.newScanner()
	first := s.LookAhead()

	// The sections are checked when they are skipped, and then read.
	all := layout
	all.Optional = all.Sections
	r.open(&all, false)
	if d.err != nil {
		v.findFaults(s, first, d.err)
		return
	}

	ofHeader := v.found.Take() // missing members of the document come first
	root := func(message string) { d.violate(s, documentStart, "(root)", message) }
	for i, name := range layout.Names[:4] {
		if i > 0 && !d.Has(1<<i) {
			root(name + " is required")
		}
	}
	if !d.Has(regionsData) {
		root("resources, snapshots or global is required")
	}

	for _, e := range ofHeader {
		v.found.Add(e)
	}

	d.read()
	if t := &d.types; d.scan.Err() == nil && t.used < len(t.places) {
		message := fmt.Sprintf("%d of %d resource types have no resources", len(t.places)-t.used, len(t.places))
		v.found.AddWarning(d.scan.ErrorAt(t.position, "resource_type_map", message))
	}
}

// findFaults adds each duplicate member of a document, and what ends the JSON. If there is neither,
// it adds the error of the header.
func (v *validator) findFaults(s *jsonscan.Scanner, first jsonscan.Bookmark, ofHeader error) {
	v.found.Take()
	repeated := false
	if s.Return(first) {
		s.ReportRepeated(func(name []byte) {
			if repeated = true; v.found.Listing() {
				v.found.Add(s.RepeatedError(name))
			}
		})
		s.Skip()
		s.End()
	}
	if e, ok := unnested(s.Err()).(*format.Error); ok {
		v.found.Add(e)
	} else if !repeated {
		v.found.Add(ofHeader.(*format.Error))
	}
}

func (v *validator) fault(err error) bool {
	if e, ok := unnested(err).(*format.Error); ok {
		v.found.Add(e)
	}
	return v.found.Listing()
}

// resource checks a resource. Resources of the same type are consecutive; fields that their type
// lacks are reported once.
func (v *validator) resource(res *Resource, _ error) bool {
	amount, has := res.Fields.Get("amount")
	if f, ok := amount.Float(); !ok && !has {
		v.violationAt(res.Position, noAmountMessage)
	} else if !ok {
		v.violationAt(res.Position, "Invalid type. Expected: number, given: "+cmp.Or(amount.kind, jsonscan.Null).String())
	} else if !isFinite(f) {
		v.violationAt(res.Position, finiteMessage)
	}
	if v.path == v.checked && v.path != "" {
		return v.found.Listing()
	}
	v.checked = v.path

	for _, key := range []string{"uid", "type"} {
		if _, ok := res.Fields.Get(key); !ok {
			v.violationAt(res.Position, key+" is required")
		}
	}

	h := &v.header
	typ, subtype := cmp.Or(res.Fields.FlatText("type"), h.Type), res.Fields.FlatText("subtype")
	kind := [2]string{typ, subtype}
	// Only one warning is given about each type and subtype without a unit, for up to 1,000 of them, if
	// their texts together have up to 1 KiB.
	if len(v.unitless) < 1000 && !v.unitless[kind] && h.Unit(typ, subtype) == "" {
		if len(typ)+len(subtype) <= 1<<10 {
			v.unitless[kind] = true
		}
		e := v.scan.ErrorAt(res.Position, v.path, fmt.Sprintf("header.units has no unit of type %s and subtype %s",
			message.Quote(typ), message.Quote(subtype)))
		v.found.AddWarning(e)
	}
	return v.found.Listing()
}

func (v *validator) model(m *Model, _ error) bool {
	for _, key := range []string{"uid", "model"} {
		if _, ok := m.Fields.Get(key); !ok {
			v.violationAt(m.Position, key+" is required")
		}
	}
	return v.found.Listing()
}
