package perun

import (
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// A Resource is one resource with all that the profile says about it.
//
// A Resource that a Reader yields belongs to the Reader, with the slice Fields: they are for reading only, and the next
// step of the iteration overwrites them. Its strings and Values may be kept. Clone keeps everything.
type Resource struct {
	// Snapshot is the number of the snapshot that the resource was captured in, from 0; 0 if there are no snapshots.
	Snapshot int

	// Fields are the resource's own, and time and snapshot of the snapshot that it stands in. In today's layout,
	// those that are collected for each resource come first, then those of its resource type.
	Fields Fields

	// Offset is where the resource, or the first of its values, stands in the (decompressed) input, in bytes from its
	// beginning; Line and Column are the same from 1.
	Offset       int64
	Line, Column int
}

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Resource) Clone() *Resource {
	c := *r
	c.Fields = slices.Clone(r.Fields)
	return &c
}

// stand notes where the resource stands.
func (r *Resource) stand(at jsonscan.Position) {
	r.Offset, r.Line, r.Column = at.Offset, at.Line, at.Column
}

// Resources iterates over the resources, in the order of the file. Unlike Records, it can be called as often as wanted,
// unless InOrder; whoever calls it has to call Close.
func (r *Reader) Resources() iter.Seq2[*Resource, error] {
	return func(yield func(*Resource, error) bool) {
		r.read(output{resource: yield}, r.used)
	}
}

// isCollectable reports whether a field is one that is collected for each resource, and not a property that many
// share.
func isCollectable(key string) bool {
	switch key {
	case "amount", "structure-unit-size", "call-order", "order", "address", "timestamp", "exclusive":
		return true
	}
	return false
}

// readList reads an array of resources.
func (r *Reader) readList(out *output) bool {
	s := r.scan
	for s.EnterArray(); s.Element(); {
		if !r.readResource(out) {
			return false
		}
	}
	return true
}

// readResource reads the resource ahead.
func (r *Reader) readResource(out *output) bool {
	s := r.scan
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	offset := s.Offset()
	if out.record == nil {
		r.res.stand(s.Position())
		if r.wantPaths {
			r.path = s.Path()
		}
	}
	var sh *shape
	if out.record != nil {
		sh = r.readShape(s, &r.extras, true)
	} else {
		sh = &r.shapes.plain
		r.readFields(sh, s)
	}
	s.EndRegion()
	switch {
	case s.Err() != nil:
		return true
	case sh.fault != nil:
		return out.recoverable(sh.fault)
	case out.record == nil:
		r.res.Fields = append(r.res.Fields[:0], sh.fields...)
		r.res.Fields = r.extras.appendTo(r.res.Fields)
		r.res.Snapshot = snapshotOf(r.res.Fields)
		return out.resource(&r.res, nil)
	case !sh.hasAmount:
		return out.recoverable(s.LeftError(noAmountMessage))
	}
	r.extras.set(sh)
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, offset
	return out.record(rec, nil)
}

const noAmountMessage = "there is no number: amount is required"

// snapshotOf returns the number of the snapshot that the fields name.
func snapshotOf(f Fields) int {
	if v, ok := f.Get("snapshot"); ok {
		if n, ok := v.Float(); ok && n > 0 && n < 1<<53 && int(n) >= 0 {
			return int(n)
		}
	}
	return 0
}

// extras are fields that a resource has besides those of its object: from its snapshot or from parallel arrays. If its
// object has a field of the same key, that one counts.
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

// add adds a field. The text is what the value becomes flattened.
func (x *extras) add(key string, v Value, text string) {
	x.keys = append(x.keys, key)
	x.values = append(x.values, v)
	x.texts = append(x.texts, text)
	x.version++
}

// FlatText returns the text of v in flattened fields: of a list or object, that of the entry which joins all others; three
// points if it exceeds 1 MiB.
func (v Value) FlatText() string {
	text, _ := v.flatWithin(maxFlatText)
	return text
}

// maxFlatText is how many bytes a flattened value may make, where no limit says otherwise.
const maxFlatText = 1 << 20

// flatWithin is FlatText for a value that may make so many bytes. It returns false if it makes more.
func (v Value) flatWithin(budget int) (string, bool) {
	if v.kind != KindList && v.kind != KindObject {
		return v.String(), true
	}
	fl := flattener{budget: budget}
	flat := fl.value(nil, "", false, v)
	if fl.budget < 0 {
		return "...", false
	}
	return flat[len(flat)-1].Value.String(), true
}

// flatText returns the text of a value that was read just now from s, which fails if it is too large, and charges it.
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

// failFlat fails s because the flattened form of the array or object that was left just now is too large.
func (r *Reader) failFlat(s *jsonscan.Scanner) {
	e := s.LeftError(message.Limit("MaxStringBytes", int64(r.Limits.MaxStringBytes), ErrTooLarge.Error()))
	e.Err = ErrTooLarge
	s.Fail(e)
}

func (x *extras) appendTo(f Fields) Fields {
	for i, key := range x.keys {
		if _, ok := f.Get(key); !ok {
			f = append(f, Field{key, x.values[i]})
		}
	}
	return f
}

// set gives the shape's attrs the extras' values.
func (x *extras) set(sh *shape) {
	if sh.extrasVersion == x.version {
		return
	}
	sh.extrasVersion = x.version
	for i, slot := range sh.slots {
		if slot >= 0 {
			sh.attrs[slot].Value = x.texts[i]
		}
	}
}

// readFields reads the object ahead, whatever it is like, into the shape's fields. Where the resource is to be left
// out, it has a fault then.
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
			s.Fail(s.NameError(message.Limit("MaxParams", int64(r.Limits.MaxParams), "fields of one resource")))
			break
		}
		f := Field{Key: r.text(name)}
		if !s.Charge(fieldCost) {
			break
		}
		switch {
		case f.Key == "trace" && kind != jsonscan.Array && kind != jsonscan.Null:
			sh.faulty(s.SkipTypeError("array"))
		case f.Key == "amount" && sh.records:
			r.readAmount(sh, s, kind)
		case kind >= jsonscan.Array:
			from := s.Offset()
			f.Value = readValue(s, r.str)
			s.BindNested(forms.Tag{Index: len(sh.fields)}, from)
		default:
			f.Value = readValue(s, r.str)
			if kind == jsonscan.Number || kind == jsonscan.String {
				s.Bind(forms.Tag{Index: len(sh.fields)}, 0)
			}
		}
		sh.fields = append(sh.fields, f)
		sh.members = append(sh.members, member{})
	}
	if len(sh.fields) > fewFields {
		r.shapes.names.Reset()
	}
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

const finiteMessage = "the amount is no finite number"

func (sh *shape) faulty(e *format.Error) {
	e.Recoverable = true
	if sh.fault == nil {
		sh.fault = e
	}
}
