package perun

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// errTooLarge is the error about fields whose flattened form is too large. It can double with
// every level of nesting.
var errTooLarge error = message.LimitError("the flattened form is too large")

// Flatten returns f on one level, for tables and trace IDs. If the value of a member is
//
//   - an object, Flatten makes an entry key:sub for every entry of the flattened object, and an
//     entry of the key itself, whose value joins the other values with colons, in the order of
//     their rank: first the binary, then files, modules, classes, functions, lines and
//     instructions, then the others;
//   - a list of objects with a name and a value each, such as coefficients, Flatten treats it as
//     an object from name to value;
//   - another list, Flatten makes one entry, which joins the elements with commas, and the
//     entries of an element with colons, in the order of the file.
//
// All other members stay unchanged. Flatten is the reference's all_items_of. The cause of
// its error is [format.ErrLimit]: the keys and joined values that it makes exceed 16 MiB.
func (f Fields) Flatten() (Fields, error) {
	flat, ok := new(flattener).fields(nil, f, 16<<20)
	if !ok {
		return nil, errTooLarge
	}
	return flat, nil
}

// FlatText returns the text of v in flattened fields. For a list or object, that is the text of
// the entry that joins all others, or three points if what Flatten makes of v exceeds 1 MiB.
func (v Value) FlatText() string {
	text, _ := v.flatWithin(1 << 20)
	return text
}

// flatWithin is FlatText with a budget of bytes. It returns false if the flattened form exceeds it.
func (v Value) flatWithin(budget int) (string, bool) {
	if v.kind != jsonscan.Array && v.kind != jsonscan.Object {
		return v.String(), true
	}
	fl := flattener{budget: budget}
	flat := fl.value(nil, "", v)
	if fl.budget < 0 {
		return "...", false
	}
	return flat[len(flat)-1].Value.String(), true
}

// FlatText returns the flattened text of the value of key. It is empty if f does not have the key, or
// if its value is null.
func (f Fields) FlatText(key string) string {
	if v, _ := f.Get(key); !v.IsNull() {
		return v.FlatText()
	}
	return ""
}

type flattener struct {
	budget int // bytes left
	text   []byte
	spare  Fields // memory for the entries of an element of a list
}

// fields appends the entries of all fields. It returns false if they exceed the budget.
func (fl *flattener) fields(dst, f Fields, budget int) (Fields, bool) {
	fl.budget = budget
	dst = fl.entries(dst, f)
	return dst, fl.budget >= 0
}

// value appends the entries of a value.
func (fl *flattener) value(dst Fields, key string, v Value) Fields {
	if fl.budget < 0 {
		return dst
	}
	if v.kind < jsonscan.Array {
		return append(dst, Field{key, v})
	}
	fields, isObject := membersOf(v)
	if !isObject {
		return append(dst, Field{key, stringOf(fl.list(v.nested.list))})
	}

	first := len(dst)
	if dst = fl.entries(dst, fields); fl.budget < 0 {
		return dst
	}
	joined := fl.join(dst[first:])
	for i := first; i < len(dst); i++ {
		dst[i].Key = key + ":" + dst[i].Key
		if fl.budget -= len(dst[i].Key); fl.budget < 0 {
			return dst
		}
	}
	return append(dst, Field{key, stringOf(joined)})
}

// entries appends the entries of all members of an object.
func (fl *flattener) entries(dst, fields Fields) Fields {
	for i := range fields {
		dst = fl.value(dst, fields[i].Key, fields[i].Value)
	}
	return dst
}

// join joins the entries of an object in the order of their rank.
func (fl *flattener) join(entries Fields) string {
	order := slices.Clone(entries)
	slices.SortStableFunc(order, func(a, b Field) int {
		x, y := rank(a.Key), rank(b.Key)
		return cmp.Or(len(x)-len(y), strings.Compare(x, y))
	})
	b := fl.text[:0]
	for i, f := range order {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, f.Value.String()...)

		if len(b) > fl.budget {
			fl.budget = -1
			break
		}
	}
	fl.text = b
	fl.budget -= len(b)
	return string(b)
}

func (fl *flattener) list(items []Value) string {
	var b []byte
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}

		fields, isObject := membersOf(item)
		switch {
		case isObject:
			entries := fl.spare
			fl.spare = nil // it may be needed for a list in this element
			entries = fl.entries(entries[:0], fields)
			for j := range entries {
				if j > 0 {
					b = append(b, ':')
				}
				b = append(b, entries[j].Value.String()...)
			}
			fl.spare = entries
		case item.kind == jsonscan.Array:
			b = append(b, fl.list(item.nested.list)...)
		default:
			b = append(b, item.String()...)
		}

		if len(b) > fl.budget {
			fl.budget = -1
			break
		}
	}
	fl.budget -= len(b)
	return string(b)
}

// membersOf returns the members of an object, or of the object that a list represents whose elements
// are objects with a name and a value each. If several have the same name, the last is used. It returns
// false for any other value.
func membersOf(v Value) (fields Fields, ok bool) {
	list := v.List()
	if len(list) == 0 {
		return v.Fields(), v.kind == jsonscan.Object
	}
	for _, item := range list {
		f := item.Fields()
		if len(f) != 2 || !(f[0].Key == "name" && f[1].Key == "value" || f[0].Key == "value" && f[1].Key == "name") {
			return nil, false
		}
	}

	at := make(map[string]int, len(list))
	for _, item := range list {
		name, _ := item.Fields().Get("name")
		value, _ := item.Fields().Get("value")
		key := name.String()
		i, known := at[key]
		if !known {
			i, at[key] = len(fields), len(fields)
			fields = append(fields, Field{Key: key})
		}
		fields[i].Value = value
	}
	return fields, true
}

// ranks has the keys whose values come first when the values of an object are joined.
var ranks = map[string]string{
	"bin": "0", "file": "1", "source": "1", "package": "1", "module": "2", "class": "3",
	"struct": "3", "structure": "3",
	"function": "4", "func": "4", "method": "4", "procedure": "4", "line": "5", "instruction": "6",
}

// rank returns a number, as text, by which an object's values are joined in order. For other keys than
// ranks, the reference makes a number of the decimal digits of each character's code plus 6, so shorter
// keys usually come first.
func rank(key string) string {
	if r, ok := ranks[key]; ok {
		return r
	}
	var b []byte
	for _, c := range key {
		b = strconv.AppendInt(b, int64(c)+6, 10)
	}
	return string(b)
}
