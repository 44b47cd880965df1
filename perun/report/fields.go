package report

import (
	"iter"
	"slices"

	"perfdata/perun"
)

type resourceOrModel interface{ *perun.Resource | *perun.Model }

func fieldsOf[I resourceOrModel](item I) perun.Fields {
	if model, ok := any(item).(*perun.Model); ok {
		return model.Fields
	}
	return any(item).(*perun.Resource).Fields
}

// FieldNames returns the keys of all flattened fields that any of the items has, sorted.
func FieldNames[I resourceOrModel](items iter.Seq2[I, error]) ([]string, error) {
	all, _, err := fieldNames(items)
	return all, err
}

// NumericalFields returns the keys of the flattened fields that are numbers in all items that
// have them, sorted.
func NumericalFields[I resourceOrModel](items iter.Seq2[I, error]) ([]string, error) {
	_, numerical, err := fieldNames(items)
	return numerical, err
}

func fieldNames[I resourceOrModel](items iter.Seq2[I, error]) (all, numerical []string, err error) {
	isNumber := map[string]bool{}
	for item, err := range items {
		if err != nil {
			return nil, nil, err
		}
		flat, err := fieldsOf(item).Flatten()
		if err != nil {
			return nil, nil, err
		}

		for _, f := range flat {
			before, known := isNumber[f.Key]
			_, is := f.Value.Float()
			isNumber[f.Key] = is && (before || !known)
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

// UniqueValues returns the different values that a path, such as uid:line or trace::function,
// leads to in the items, in the order in which they first occur. [perun.Fields.Values] has the
// rules for paths, [perun.Value.Equal] those for values.
func UniqueValues[I resourceOrModel](items iter.Seq2[I, error], path string) ([]perun.Value, error) {
	var unique []perun.Value
	known := map[string]bool{}
	var key []byte
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		for v := range fieldsOf(item).Values(path) {
			key = v.AppendKey(key[:0])
			if !known[string(key)] {
				known[string(key)] = true
				unique = append(unique, v)
			}
		}
	}
	return unique, nil
}
