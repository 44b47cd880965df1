package perun

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/chars"
	"perfdata/internal/jsonscan"
	"perfdata/internal/number"
)

// A Value is a JSON value of a profile. A number keeps its text, and an object the order of its
// members. Values are immutable and may be kept. The zero Value is null.
type Value struct {
	kind   jsonscan.Kind // None if it is null
	text   string        // the contents of a string, or the JSON of a number or boolean
	nested *nested       // of a list or object
}

// nested has the elements or members of a Value. Few values have any: a pointer keeps others
// small.
type nested struct {
	list   []Value
	fields Fields
}

// ValueOf returns a string, a number, a boolean, a list or an object. The numbers NaN and infinity,
// which JSON does not have, become null. The keys of an object must differ.
func ValueOf[T string | int | float64 | bool | []Value | Fields](v T) Value {
	switch v := any(v).(type) {
	case string:
		return stringOf(v)
	case int:
		return Value{kind: jsonscan.Number, text: strconv.Itoa(v)}
	case float64:
		return numberOf(v)
	case bool:
		return boolOf(v)
	case []Value:
		return Value{kind: jsonscan.Array, nested: &nested{list: slices.Clone(v)}}
	case Fields:
		return object(slices.Clone(v))
	}
	return Value{}
}

func stringOf(s string) Value { return Value{kind: jsonscan.String, text: s} }

func numberOf(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: jsonscan.Number, text: string(number.AppendShortest(nil, f))}
}

func boolOf(b bool) Value { return Value{kind: jsonscan.Bool, text: strconv.FormatBool(b)} }

// IsNull reports whether v is null, as the zero Value is.
func (v Value) IsNull() bool { return v.kind == jsonscan.None }

// Float returns the number, and whether v is a number. A number out of float64's range is an
// infinity.
func (v Value) Float() (float64, bool) {
	if v.kind != jsonscan.Number {
		return 0, false
	}
	f, _ := number.ParseFloat(v.text, 64)
	return f, true
}

// isFinite reports whether f is a number that a record can have.
func isFinite(f float64) bool { return !math.IsInf(f, 0) && f == f }

// Text returns the string, and whether v is a string.
func (v Value) Text() (string, bool) {
	if v.kind != jsonscan.String {
		return "", false
	}
	return v.text, true
}

// List returns the elements of a list, which must not be changed, or nil if v is not a list.
func (v Value) List() []Value {
	if v.kind != jsonscan.Array {
		return nil
	}
	return v.nested.list
}

// Fields returns the members of an object, which must not be changed, or nil if v is not an
// object.
func (v Value) Fields() Fields {
	if v.kind != jsonscan.Object {
		return nil
	}
	return v.nested.fields
}

// String returns the text of v as Python writes it, and as flattened values have it: a string
// without quotes; a number with a point or an exponent with the fewest digits that identify it;
// and None, True or False. For a list or object it returns the JSON.
func (v Value) String() string {
	switch v.kind {
	case jsonscan.None:
		return "None"
	case jsonscan.Bool:
		if v.text == "true" {
			return "True"
		}
		return "False"
	case jsonscan.Number:
		return pythonNumber(v.text)
	case jsonscan.String:
		return v.text
	}
	return string(v.appendJSON(nil, false))
}

// appendJSON appends v as JSON, without white space. If strict is set, NaN and infinities become
// null; otherwise they are written as Python writes them.
func (v Value) appendJSON(dst []byte, strict bool) []byte {
	switch v.kind {
	case jsonscan.None:
		return append(dst, "null"...)
	case jsonscan.Number:
		if last := v.text[len(v.text)-1]; strict && (last < '0' || last > '9') {
			return append(dst, "null"...)
		}
	case jsonscan.String:
		return chars.AppendJSON(dst, v.text)
	case jsonscan.Array:
		dst = append(dst, '[')
		for i, item := range v.nested.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst, strict)
		}
		return append(dst, ']')
	case jsonscan.Object:
		return v.nested.fields.appendJSON(dst, strict)
	}
	return append(dst, v.text...)
}

// MarshalJSON returns v as JSON. NaN and infinities, which Python writes and JSON doesn't have,
// become null.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil, true), nil }

// Equal reports whether v and w are the same value: numbers are compared by value, objects in any
// order of their members.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind {
		return false
	}
	return v.nested == nil && v.text == w.text || string(v.AppendKey(nil)) == string(w.AppendKey(nil))
}

// AppendKey appends a text that is the same for equal values and differs for others, for use as
// the key of a map.
func (v Value) AppendKey(dst []byte) []byte {
	switch v.kind {
	case jsonscan.Number:
		f, _ := number.ParseFloat(v.text, 64)
		if exact := math.Abs(f) < 1<<53; exact || strings.ContainsAny(v.text, ".eE") {
			return number.AppendShortest(dst, f+0) // no -0
		}
		return append(dst, v.text...)

	case jsonscan.Array:
		dst = append(dst, '[')
		for _, item := range v.nested.list {
			dst = append(item.AppendKey(dst), ',')
		}
		return append(dst, ']')

	case jsonscan.Object:
		fields := slices.Clone(v.nested.fields)
		slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
		dst = append(dst, '{')
		for _, f := range fields {
			dst = append(chars.AppendJSON(dst, f.Key), ':')
			dst = append(f.Value.AppendKey(dst), ',')
		}
		return append(dst, '}')
	}
	return v.appendJSON(dst, false)
}

// A Field is a member of an object.
type Field struct {
	Key   string
	Value Value
}

// Fields are the members of an object, in the order in which they are written. No key repeats.
type Fields []Field

// Get returns the value of key, and whether f has the key.
func (f Fields) Get(key string) (Value, bool) {
	for i := range f {
		if f[i].Key == key {
			return f[i].Value, true
		}
	}
	return Value{}, false
}

// object returns the object with the fields, which it does not copy.
func object(f Fields) Value { return Value{kind: jsonscan.Object, nested: &nested{fields: f}} }

// appendJSON appends f as a JSON object.
func (f Fields) appendJSON(dst []byte, strict bool) []byte {
	dst = append(dst, '{')
	for i := range f {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(chars.AppendJSON(dst, f[i].Key), ':')
		dst = f[i].Value.appendJSON(dst, strict)
	}
	return append(dst, '}')
}

// MarshalJSON returns f as a JSON object, like [Value.MarshalJSON].
func (f Fields) MarshalJSON() ([]byte, error) { return f.appendJSON(nil, true), nil }

// Values iterates over all values at a path, such as uid:line or trace::function. The parts of a
// path are separated by colons. Each part is a key; an empty part selects all elements of a list.
// It is the reference's all_key_values_of.
func (f Fields) Values(path string) iter.Seq[Value] {
	return func(yield func(Value) bool) { object(f).values(strings.Split(path, ":"), yield) }
}

func (v Value) values(path []string, yield func(Value) bool) bool {
	switch {
	case len(path) == 0:
		return yield(v)
	case path[0] == "" && v.kind == jsonscan.Array:
		for _, item := range v.nested.list {
			if !item.values(path[1:], yield) {
				return false
			}
		}
		return true
	}
	next, ok := v.Fields().Get(path[0])
	return !ok || next.values(path[1:], yield)
}

// The costs are charged against the limit of the region that is read: about the bytes of memory
// that values take. Lists grow by append, which reserves memory, so elements and members are
// charged one and a half times.
const (
	nestedCost = 48  // a list or object
	valueCost  = 48  // an element
	fieldCost  = 72  // a member, without its key's text
	stringCost = 32  // a string in a list of the header, without its text
	toolCost   = 160 // a Tool
)

// readValue reads the value ahead, of any type. It makes strings with str. It charges the cost of
// the value, without the Value itself. After an error of s, the result is not valid.
func readValue(s *jsonscan.Scanner, str func([]byte) string) Value {
	switch s.Kind() {
	case jsonscan.Bool:
		b, _ := s.Bool()
		return boolOf(b)
	case jsonscan.Number:
		if _, ok := s.Number(); ok {
			return Value{kind: jsonscan.Number, text: str(s.Token())}
		}
	case jsonscan.String:
		if text, ok := s.Text(); ok {
			return Value{kind: jsonscan.String, text: str(text)}
		}

	case jsonscan.Array:
		var list []Value
		s.Charge(nestedCost)
		for s.EnterArray(); s.Element() && s.Charge(valueCost); {
			list = append(list, readValue(s, str))
		}
		return Value{kind: jsonscan.Array, nested: &nested{list: list}}
	case jsonscan.Object:
		s.Charge(nestedCost)
		return object(readFields(s, str))

	default:
		s.Null()
	}
	return Value{}
}

// readFields reads the members of the object ahead, and charges their cost. A duplicate member
// fails s.
func readFields(s *jsonscan.Scanner, str func([]byte) string) (fields Fields) {
	for name := range s.Members() {
		if !s.Charge(fieldCost) {
			break
		}
		key := str(name)
		fields = append(fields, Field{key, readValue(s, str)})
	}
	return fields
}

// depth returns the largest number of arrays and objects that are nested in each other.
func (v Value) depth() (n int) {
	for _, item := range v.List() {
		n = max(n, item.depth())
	}
	for _, f := range v.Fields() {
		n = max(n, f.Value.depth())
	}
	if v.kind >= jsonscan.Array {
		n++
	}
	return n
}
