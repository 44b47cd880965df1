package perun

import (
	"cmp"
	"slices"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// This is what the grammars of all regions share, and the grammar of one resource: an object in a
// list of resources, or an entry of the resource type map.

// A headerFault is a recoverable error about a member of the header.
type headerFault struct {
	err       *format.Error
	misplaced bool // it is about misplaced resources, and does not apply to models
}

// An output takes what is read of a document: records, or resources, or models. Validation takes
// resources and models. What it does not take is skipped. The functions return false to stop.
type output struct {
	records   func(*format.Record, error) bool // gets no errors, as the next two
	resources func(*Resource, error) bool
	models    func(*Model, error) bool
	fault     func(error) bool

	// violation takes errors that a Reader of resources does not have. It is nil in a Reader.
	violation func(*format.Error)
}

// takesResources reports whether the output takes resources, as such or as records.
func (out *output) takesResources() bool { return out.records != nil || out.resources != nil }

// stopUnless ends the reading if more is false, because the loop has stopped: the grammars end as after
// an error.
func (d *document) stopUnless(more bool) {
	if !more {
		d.stopped = true
		d.scan.Fail(new(format.Error))
	}
}

// recoverable yields a recoverable error.
func (d *document) recoverable(e *format.Error) {
	e.Severity = format.Recoverable
	if !d.stopped {
		d.stopUnless(d.out.fault(e))
	}
}

// wrongValue yields the recoverable error about the value ahead, which has another type than
// expected, and reads it. If no value is ahead, the Scanner gets the error.
func (d *document) wrongValue(expected string) {
	if d.scan.Kind() != jsonscan.None {
		d.recoverable(d.scan.SkipTypeError(expected))
	}
}

// readList reads the array ahead, of resources or models, each with the function.
func (d *document) readList(read func()) {
	for d.scan.EnterArray(); d.scan.Element(); {
		read()
	}
}

// A resource is what an object says about a resource or a resource type.
type resource struct {
	forRecord bool          // the amount must be a finite number
	fault     *format.Error // the resource must be left out
	fields    Fields
	amount    float64
	hasAmount bool
}

// parse reads the resource ahead of s, or the entry of a type, without what it inherits.
func (d *document) parse(res *resource, s *jsonscan.Scanner) {
	res.fault, res.hasAmount, res.fields = nil, false, res.fields[:0]
	if s.Kind() != jsonscan.Object {
		res.faulty(s.SkipTypeError("object"))
		return
	}
	for name, kind := range s.Members() {
		if len(res.fields) >= d.limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(d.limits.MaxParams), "fields of one resource")
			break
		}
		key := d.strings.String(name)
		if !s.Charge(fieldCost) {
			break
		}

		// Values are bound, so that a form can be learned: see shape.go. One with an error is null.
		var v Value
		tag := forms.Tag{Index: len(res.fields)}
		switch from := s.Offset(); {
		case key == "trace" && kind != jsonscan.Array && kind != jsonscan.Null:
			res.faulty(s.SkipTypeError("array"))
		case key == "amount" && res.forRecord:
			var fault *format.Error
			if res.amount, fault = readAmount(s); fault != nil {
				res.faulty(fault)
			}
			if res.hasAmount = kind == jsonscan.Number; res.hasAmount {
				s.Bind(tag, 0)
			}

		case kind >= jsonscan.Array:
			v = readValue(s, d.strings.String)
			s.BindWhole(forms.Nested, tag, from)
		default:
			v = readValue(s, d.strings.String)
			if kind == jsonscan.Number || kind == jsonscan.String {
				s.Bind(tag, 0)
			}
		}
		res.fields = append(res.fields, Field{key, v})
	}
}

// readAmount reads the value ahead, which must be a finite number for a record.
func readAmount(s *jsonscan.Scanner) (f float64, fault *format.Error) {
	if s.Kind() != jsonscan.Number {
		return 0, s.SkipTypeError("number")
	}
	if f, _ = s.Number(); s.Err() == nil && !isFinite(f) {
		return f, s.TokenError(finiteMessage)
	}
	return f, nil
}

func (res *resource) faulty(e *format.Error) {
	e.Severity = format.Recoverable
	res.fault = cmp.Or(res.fault, e)
}

const (
	noAmountMessage = "missing number: amount is required"
	finiteMessage   = "the amount is not a finite number"
)

// flatText returns the flattened text of a value that s has read, and charges it. It fails s if
// the text is too large.
func (d *document) flatText(s *jsonscan.Scanner, v Value) string {
	text, ok := v.flatWithin(d.limits.MaxStringBytes)
	switch {
	case s.Err() != nil:
	case !ok:
		s.Fail(d.flatError(s))
	case v.kind >= jsonscan.Array:
		s.Charge(len(text))
	}
	return text
}

// flatError returns the error about the array or object that was just left, whose flattened form is
// too large.
func (d *document) flatError(s *jsonscan.Scanner) *format.Error {
	e := s.LeftError(message.Limit("MaxStringBytes", int64(d.limits.MaxStringBytes), errTooLarge.Error()))
	e.Err = errTooLarge
	return e
}

// flatten appends the flattened fields of the resource that s has read. It returns an error if they
// are too large, or with the others too many.
func (d *document) flatten(dst Fields, res *resource, s *jsonscan.Scanner, others int) (Fields, *format.Error) {
	dst, ok := d.flattener.fields(dst, res.fields, d.limits.MaxStringBytes)
	if !ok {
		return dst, d.flatError(s)
	}
	if max := d.limits.MaxParams; len(dst)+others > max {
		e := s.LeftError(message.Limit("MaxParams", int64(max), "flattened fields of one resource"))
		e.Err = format.ErrLimit
		return dst, e
	}
	return dst, nil
}

// checkFlat reports, in validation, that the flattened fields of the object that s has read exceed a
// limit, as a Reader of records does.
func (d *document) checkFlat(s *jsonscan.Scanner) {
	if d.out.violation == nil || d.last.fault != nil || s.Err() != nil {
		return
	}
	amount, has := d.last.fields.Get("amount")
	if f, ok := amount.Float(); has && !(ok && isFinite(f)) {
		return
	}
	if _, e := d.flatten(nil, &d.last, s, len(d.inherited.fields)); e != nil {
		d.out.violation(e)
	}
}

// extras are fields that a resource inherits from its snapshot, or from the columns of its type.
// A resource's own field with the same key overrides them.
type extras struct {
	fields Fields
	texts  []string // the flattened fields
}

func (x *extras) reset() {
	x.fields, x.texts = x.fields[:0], x.texts[:0]
}

// add adds a field. The text is the flattened form of its value.
func (x *extras) add(key string, v Value, text string) {
	x.fields, x.texts = append(x.fields, Field{key, v}), append(x.texts, text)
}

// isCollectable reports whether a field is collected for each resource, and is not a property
// that many resources share.
func isCollectable(key string) bool { return slices.Contains(collectable[:], key) }

// collectable are the fields that are collected for each resource.
var collectable = [...]string{
	"amount", "structure-unit-size", "call-order", "order", "address", "timestamp", "exclusive",
}
