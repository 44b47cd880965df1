package perun

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// validateFile is Validate of [Format].
func validateFile(in io.Reader, o format.Options) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		r, err := open(nil, in, o)
		if err != nil {
			yield(err)
			return
		}
		defer r.Close()
		v := newValidator(&r.doc)
		v.run(r)
		slices.SortStableFunc(v.found, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
		for _, e := range v.found {
			if e.Severity == format.Recoverable {
				e.Severity = format.Fatal
			}
			if !yield(e) {
				return
			}
		}
	}
}

// A validator is a sink for resources and models, and takes what the grammar reports only to it.
type validator struct {
	resourceSink
	models modelSink
	path   string // of the object that is read; of a resource in columns, that of its type

	found   []*format.Error
	bytes   int  // of found
	full    bool // no more errors are added
	limited bool // a limit was exceeded that only a Reader of records checks

	checked  string             // path of the last resource that was checked for its fields
	unitless map[[2]string]bool // types and subtypes for which there was a warning
}

func newValidator(d *document) *validator {
	v := &validator{unitless: map[[2]string]bool{}}
	v.resourceSink = resourceSink{grammar: &d.grammar, yield: v.resource}
	v.models = modelSink{grammar: &d.grammar, yield: v.model}
	d.violation = v.violation
	return v
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

// violation adds an error that a Reader of resources does not have. Only a Reader of records checks
// some limits, and ends with the first of these errors.
func (v *validator) violation(e *format.Error) {
	switch {
	case !errors.Is(e, format.ErrLimit):
		e.Err = format.ErrSchema
		v.add(e)
	case !v.limited:
		v.limited = true
		v.add(e)
	}
}

// report adds a violation by the resource or model at a position.
func (v *validator) report(at jsonscan.Position, message string) {
	v.violation(v.scan.ErrorAt(at, v.path, message))
}

func (v *validator) run(r *Reader) {
	d := &r.doc
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

	ofHeader := v.found
	v.found = nil // what is missing from the document comes first
	root := func(message string) { d.violate(s, documentStart, "(root)", message) }
	for i, name := range layout.Names[:4] {
		if i > 0 && !d.Has(1<<i) {
			root(name + " is required")
		}
	}
	if !d.Has(regionsData) {
		root("resources, snapshots or global is required")
	}

	v.found = append(v.found, ofHeader...)

	d.read(v)
	if e := d.types.unused(); e != nil {
		v.add(e)
	}
}

// findFaults adds each duplicate member of a document, and what ends the JSON. If there is neither,
// it adds the error of the header.
func (v *validator) findFaults(s *jsonscan.Scanner, first jsonscan.Bookmark, ofHeader error) {
	v.found, v.bytes, v.full = nil, 0, false
	if s.Return(first) {
		s.SkipRepeated(func(name []byte) {
			if !v.full {
				v.add(s.RepeatedError(name))
			}
		})
		s.End()
	}
	if e, ok := unnested(s.Err()).(*format.Error); ok {
		v.add(e)
	} else if len(v.found) == 0 {
		v.add(ofHeader.(*format.Error))
	}
}

func (v *validator) wants() objects { return resourceObjects | modelObjects }

func (v *validator) fault(err error) bool {
	e, ok := unnested(err).(*format.Error)
	return !ok || v.add(e)
}

func (v *validator) object(of objects) {
	v.path = v.scan.Path()
	if of == modelObjects {
		v.models.object(of)
		return
	}
	v.resourceSink.object(of)
	v.checkFlat(v.scan)
}

func (v *validator) entry(c *jsonscan.Scanner) *resource {
	entry := v.resourceSink.entry(c)
	v.checkFlat(c)
	return entry
}

func (v *validator) rows(cs *columns, n int, at jsonscan.Position) {
	v.path = cs.path()
	v.resourceSink.rows(cs, n, at)
}

// checkFlat checks the limits on the flattened fields of the object that s has read, as a Reader of
// records does.
func (v *validator) checkFlat(s *jsonscan.Scanner) {
	amount, has := v.last.fields.Get("amount")
	if f, ok := amount.Float(); has && !(ok && isFinite(f)) || v.last.fault != nil || s.Err() != nil {
		return
	}
	if _, e := v.flatten(nil, &v.last, s, len(v.inherited.fields)); e != nil {
		v.violation(e)
	}
}

// resource checks a resource. Resources of the same type are consecutive; fields that their type
// lacks are reported once.
func (v *validator) resource(res *Resource, err error) bool {
	if err != nil {
		return v.fault(err)
	}
	amount, has := res.Fields.Get("amount")
	if f, ok := amount.Float(); !ok && !has {
		v.report(res.Position, noAmountMessage)
	} else if !ok {
		v.report(res.Position, "Invalid type. Expected: number, given: "+amount.kind.String())
	} else if !isFinite(f) {
		v.report(res.Position, finiteMessage)
	}
	if v.path == v.checked && v.path != "" {
		return !v.full
	}
	v.checked = v.path

	for _, key := range []string{"uid", "type"} {
		if _, ok := res.Fields.Get(key); !ok {
			v.report(res.Position, key+" is required")
		}
	}
	h := &v.header
	typ, subtype := cmp.Or(res.Fields.FlatText("type"), h.Type), res.Fields.FlatText("subtype")
	kind := [2]string{typ, subtype}
	if len(v.unitless) < maxWarnings && !v.unitless[kind] && h.Unit(typ, subtype) == "" {
		if len(typ)+len(subtype) <= maxKnown {
			v.unitless[kind] = true
		}
		e := v.scan.ErrorAt(res.Position, v.path, fmt.Sprintf("header.units has no unit of type %s and subtype %s",
			message.Quote(typ), message.Quote(subtype)))
		e.Severity, e.Err = format.Warning, nil
		v.add(e)
	}
	return !v.full
}

// Only one warning is given about each type and subtype without a unit, for up to maxWarnings of
// them, if their texts together have up to maxKnown bytes.
const (
	maxWarnings = 1000
	maxKnown    = 1 << 10
)

func (v *validator) model(m *Model, err error) bool {
	if err != nil {
		return v.fault(err)
	}
	for _, key := range []string{"uid", "model"} {
		if _, ok := m.Fields.Get(key); !ok {
			v.report(m.Position, key+" is required")
		}
	}
	return !v.full
}
