package report

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
)

// ResourceTable iterates over the rows of a table of the resources, for encoding/csv: first the
// names of the columns, then the flattened fields of each resource. A field that a resource does not
// have is empty. The next step overwrites the row.
//
// Without columns, they are all fields that any resource has, and snapshots, the number of the
// resource's snapshot, sorted. Then the profile is read twice: the Reader must not be InOrder. A
// field that has no column is an error.
func ResourceTable(r *perun.Reader, columns ...string) iter.Seq2[[]string, error] {
	return table(r.Resources, columns)
}

// ModelTable is ResourceTable for the models, without the column snapshots.
func ModelTable(r *perun.Reader, columns ...string) iter.Seq2[[]string, error] {
	return table(r.Models, columns)
}

func table[I resourceOrModel](items func() iter.Seq2[I, error], names []string) iter.Seq2[[]string, error] {
	const number = "snapshots"
	_, numbered := any(*new(I)).(*perun.Resource)
	return func(yield func([]string, error) bool) {
		if len(names) == 0 {
			var err error
			if names, err = FieldNames(format.Tolerant(items(), nil)); err != nil {
				yield(nil, err)
				return
			}

			if numbered && !slices.Contains(names, number) {
				names = append(names, number)
				slices.Sort(names)
			}
		}
		columns := map[string]int{}
		for i, name := range names {
			columns[name] = i
		}
		if !yield(slices.Clone(names), nil) {
			return
		}

		row := make([]string, len(names))
		for item, err := range items() {
			var flat perun.Fields
			if err == nil {
				flat, err = fieldsOf(item).Flatten()
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			clear(row)
			for _, f := range flat {
				i, ok := columns[f.Key]
				if !ok {
					yield(nil, fmt.Errorf("the profile changed while it was read: field %s is new", message.Quote(f.Key)))
					return
				}
				if !f.Value.IsNull() {
					row[i] = f.Value.String()
				}
			}

			if i, ok := columns[number]; ok && numbered {
				row[i] = strconv.Itoa(any(item).(*perun.Resource).Snapshot)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

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
