package perun

import (
	"slices"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// This is the grammar of one resource: an object in a list of resources, or an entry of the
// resource type map.

// readFields reads the value ahead into the shape's fields. If the resource must be left out, it
// sets the shape's fault.
func (r *Reader) readFields(sh *shape, s *jsonscan.Scanner) {
	sh.fault, sh.hasAmount = nil, false
	sh.fields, sh.members = sh.fields[:0], sh.members[:0]
	if s.Kind() != jsonscan.Object {
		sh.faulty(s.SkipTypeError("object"))
		return
	}

	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok || !addName(s, &r.shapes.names, sh.fields, name) {
			break
		}
		if len(sh.fields) >= r.Limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.Limits.MaxParams), "fields of one resource")
			break
		}

		key := r.text(name)
		if !s.Charge(fieldCost) {
			break
		}
		sh.fields = append(sh.fields, Field{key, r.readField(sh, s, key, kind)})
		sh.members = append(sh.members, member{})
	}
	if len(sh.fields) > fewFields {
		r.shapes.names.Reset()
	}
}

// readField reads the value of a field. If the value has an error, readField sets the shape's
// fault and returns null.
func (r *Reader) readField(sh *shape, s *jsonscan.Scanner, key string, kind jsonscan.Kind) (v Value) {
	switch {
	case key == "trace" && kind != jsonscan.Array && kind != jsonscan.Null:
		sh.faulty(s.SkipTypeError("array"))
	case key == "amount" && sh.records:
		r.readAmount(sh, s, kind)
	case kind >= jsonscan.Array:
		from := s.Offset()
		v = readValue(s, r.text)
		s.BindNested(forms.Tag{Index: len(sh.fields)}, from)
	default:
		v = readValue(s, r.text)
		if kind == jsonscan.Number || kind == jsonscan.String {
			s.Bind(forms.Tag{Index: len(sh.fields)}, 0)
		}
	}
	return v
}

func (r *Reader) readAmount(sh *shape, s *jsonscan.Scanner, kind jsonscan.Kind) {
	if kind != jsonscan.Number {
		sh.faulty(s.SkipTypeError("number"))
		return
	}
	sh.amount, sh.hasAmount = s.Number()
	s.Bind(forms.Tag{Index: len(sh.fields)}, 0)
	if s.Err() == nil && !isFinite(sh.amount) {
		sh.faulty(s.TokenError(finiteMessage))
	}
}

func (sh *shape) faulty(e *format.Error) {
	e.Recoverable = true
	if sh.fault == nil {
		sh.fault = e
	}
}

// flatText returns the flattened text of a value that s has read, and charges it. It fails s if
// the text is too large.
func (r *Reader) flatText(s *jsonscan.Scanner, v Value) string {
	text, ok := v.flatWithin(r.Limits.MaxStringBytes)
	switch {
	case s.Err() != nil:
	case !ok:
		r.failFlat(s)
	case v.kind >= KindList:
		s.Charge(len(text))
	}
	return text
}

// failFlat fails s because the flattened form of the array or object that was just left is too
// large.
func (r *Reader) failFlat(s *jsonscan.Scanner) {
	e := s.LeftError(message.Limit("MaxStringBytes", int64(r.Limits.MaxStringBytes), ErrTooLarge.Error()))
	e.Err = ErrTooLarge
	s.Fail(e)
}

// extras are fields that a resource inherits from its snapshot, or from the columns of its type.
// A resource's own field with the same key overrides them.
type extras struct {
	keys    []string
	values  []Value
	texts   []string
	version int // grows with every change
}

func (x *extras) reset() {
	x.keys, x.values, x.texts = x.keys[:0], x.values[:0], x.texts[:0]
	x.version++
}

// add adds a field. The text is the flattened form of its value.
func (x *extras) add(key string, v Value, text string) {
	x.keys = append(x.keys, key)
	x.values = append(x.values, v)
	x.texts = append(x.texts, text)
	x.version++
}

func (x *extras) appendTo(f Fields) Fields {
	for i, key := range x.keys {
		if _, ok := f.Get(key); !ok {
			f = append(f, Field{key, x.values[i]})
		}
	}
	return f
}

// set sets the shape's attrs to the values of the extras.
func (x *extras) set(sh *shape) {
	if sh.extras.version == x.version {
		return
	}
	sh.extras.version = x.version
	for i, slot := range sh.extras.slots {
		if slot >= 0 {
			sh.attrs[slot].Value = x.texts[i]
		}
	}
}

// isCollectable reports whether a field is collected for each resource, and is not a property
// that many resources share.
func isCollectable(key string) bool { return collectableIndex(key) >= 0 }

// collectable are the fields that are collected for each resource.
var collectable = [...]string{
	"amount", "structure-unit-size", "call-order", "order", "address", "timestamp", "exclusive",
}

// collectableIndex returns the index of a key in collectable, or -1.
func collectableIndex(key string) int { return slices.Index(collectable[:], key) }
