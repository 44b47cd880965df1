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

// snapshotColumn is the column with the number of a resource's snapshot.
const snapshotColumn = "snapshots"

// ResourceTable iterates over the rows of a table of the resources, for encoding/csv: first the
// names of the columns, then the flattened fields of each resource. A field that a resource does not
// have is empty. The next step overwrites the row.
//
// Without columns, they are all fields that any resource has, and snapshots, the number of the
// resource's snapshot, sorted. Then the profile is read twice: the Reader must not be InOrder. A
// field that has no column is an error.
func ResourceTable(r *perun.Reader, columns ...string) iter.Seq2[[]string, error] {
	number := func(res *perun.Resource) string { return strconv.Itoa(res.Snapshot) }
	return table(r.Resources, columns, snapshotColumn, number)
}

// ModelTable is ResourceTable for the models, without the column snapshots.
func ModelTable(r *perun.Reader, columns ...string) iter.Seq2[[]string, error] {
	return table(r.Models, columns, "", nil)
}

// table iterates over the rows of a table of the items, with another column, unless its name is empty,
// whose values the function returns.
func table[I resourceOrModel](
	items func() iter.Seq2[I, error], names []string, other string, value func(I) string,
) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		if len(names) == 0 {
			var err error
			if names, err = FieldNames(format.Tolerant(items(), nil)); err != nil {
				yield(nil, err)
				return
			}

			if other != "" && !slices.Contains(names, other) {
				names = append(names, other)
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

			if other != "" {
				row[columns[other]] = value(item)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
