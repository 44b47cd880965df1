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
// names of the columns, then the flattened fields of each resource. The columns, sorted, are all
// fields that any resource has, and snapshots, the number of the resource's snapshot. A field
// that a resource does not have is empty. The profile is read twice: the Reader must not be
// InOrder. The next step overwrites the row.
func ResourceTable(r *perun.Reader) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		names, err := FieldNames(format.Tolerant(r.Resources(), nil))
		if err != nil {
			yield(nil, err)
			return
		}
		if !slices.Contains(names, snapshotColumn) {
			names = append(names, snapshotColumn)
			slices.Sort(names)
		}
		column := slices.Index(names, snapshotColumn)
		rows(names, r.Resources(), yield, func(res *perun.Resource, row []string) {
			row[column] = strconv.Itoa(res.Snapshot)
		})
	}
}

// ModelTable is ResourceTable for the models, without the column snapshots.
func ModelTable(r *perun.Reader) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		names, err := FieldNames(format.Tolerant(r.Models(), nil))
		if err != nil {
			yield(nil, err)
			return
		}
		rows(names, r.Models(), yield, func(*perun.Model, []string) {})
	}
}

// rows yields the names and then a row for each item. The function complete may change a row.
func rows[I resourceOrModel](
	names []string, items iter.Seq2[I, error], yield func([]string, error) bool, complete func(I, []string),
) {
	if !yield(slices.Clone(names), nil) {
		return
	}
	columns := map[string]int{}
	for i, name := range names {
		columns[name] = i
	}

	row := make([]string, len(names))
	for item, err := range items {
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

		complete(item, row)
		if !yield(row, nil) {
			return
		}
	}
}
