package perun

import (
	"iter"
	"slices"

	"perfdata/format"
)

// The queries take resources or models as a Reader yields them, and stop at the first error. KeepGoing makes them pass
// over recoverable ones.

// An Item is what queries are about: a resource or a model.
type Item interface {
	*Resource | *Model
	fields() Fields
}

func (r *Resource) fields() Fields { return r.Fields }
func (m *Model) fields() Fields    { return m.Fields }

// KeepGoing returns the items without the recoverable errors among them, which are passed to report.
func KeepGoing[I Item](items iter.Seq2[I, error], report func(*format.Error)) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		for item, err := range items {
			if e, ok := err.(*format.Error); ok && e.Recoverable {
				report(e)
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// FieldNames returns the keys of all flattened fields that any of the items has, sorted.
func FieldNames[I Item](items iter.Seq2[I, error]) ([]string, error) {
	all, _, err := fieldNames(items)
	return all, err
}

// NumericalFields returns the keys of the flattened fields that are numbers in all the items that have them, sorted.
func NumericalFields[I Item](items iter.Seq2[I, error]) ([]string, error) {
	_, numerical, err := fieldNames(items)
	return numerical, err
}

func fieldNames[I Item](items iter.Seq2[I, error]) (all, numerical []string, err error) {
	isNumber := map[string]bool{}
	flattened := lastFlat{}
	for item, err := range items {
		if err != nil {
			return nil, nil, err
		}
		flat, err := flattened.of(item.fields())
		if err != nil {
			return nil, nil, err
		}
		for _, f := range flat {
			before, known := isNumber[f.Key]
			if is := f.Value.kind == KindNumber; !known || before && !is {
				isNumber[f.Key] = is
			}
		}
	}
	for key, is := range isNumber {
		all = append(all, key)
		if is {
			numerical = append(numerical, key)
		}
	}
	slices.Sort(all)
	slices.Sort(numerical)
	return all, numerical, nil
}

// lastFlat flattens fields of which many come after each other that differ only in numbers and strings.
type lastFlat struct {
	fl  flattener
	out Fields
}

// of returns the flattened fields, which are overwritten by the next call.
func (l *lastFlat) of(f Fields) (Fields, error) {
	l.fl.budget = maxFlat
	var err error
	l.out, err = l.fl.fields(l.out[:0], f)
	return l.out, err
}

// UniqueValues returns the different values that a path leads to in the items, such as uid:line or trace::function, in the
// order in which they first come. See [Fields.Values] for paths. Values are the same if they are [Value.Equal].
func UniqueValues[I Item](items iter.Seq2[I, error], path string) ([]Value, error) {
	var unique []Value
	known := map[string]bool{}
	var key []byte
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		for v := range item.fields().Values(path) {
			key = v.appendKey(key[:0])
			if !known[string(key)] {
				known[string(key)] = true
				unique = append(unique, v)
			}
		}
	}
	return unique, nil
}
