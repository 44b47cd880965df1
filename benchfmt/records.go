package benchfmt

import (
	"slices"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// An output is the memory of the records and results that a Reader yields.
type output struct {
	record     format.Record
	attrs      [1]traceid.Param // the iterations
	merged     traceid.Params   // attrs with a unit's metadata
	otherParam traceid.Params   // params of a record whose unit is not in the param unit
	otherIDs   delta.Layout     // of otherParam
	result     Result
}

// yieldRecords yields the records of a result. It returns false if yield does.
func (out *output) yieldRecords(res *result, yield func(*format.Record, error) bool) bool {
	rec, name := &out.record, res.name.pattern
	unit := &name.params[name.unitAt].Value
	out.attrs[0] = traceid.Param{Key: attrIterations, Value: res.iterText}
	rec.Params, rec.Attrs, rec.Source = name.params, out.attrs[:], name.ids.Source(name.params)
	rec.Commit = ""
	if name.commitAt >= 0 {
		rec.Commit = name.params[name.commitAt].Value
	}

	values := res.values
	for i := range values {
		v := &values[i]
		rec.Value, rec.Offset, rec.Unit = v.number*v.unit.factor, v.offset, v.unit.param
		if !v.unit.usual {
			out.setUnusual(name, v.unit)
			if !yield(rec, nil) {
				return false
			}
			rec.Params, rec.Attrs, rec.Source = name.params, out.attrs[:], name.ids.Source(name.params)
			rec.Better = format.Unknown
			continue
		}

		*unit = v.unit.param
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// setUnusual sets the record's params and attrs for a unit with metadata.
func (out *output) setUnusual(name *pattern, u *unit) {
	name.params[name.unitAt].Value = u.param
	out.record.Better = u.better
	if len(u.attrs) > 0 {
		out.merged = traceid.AppendMerge(out.merged[:0], u.attrs, out.attrs[:])
		out.record.Attrs = out.merged
	}
	if u.key == goname.Unit {
		return
	}

	// The unit is in another param, or in none.
	params := append(out.otherParam[:0], name.params[:name.unitAt]...)
	params = append(params, name.params[name.unitAt+1:]...)
	if u.key == "" {
		out.record.Unit = "" // text that means none: see valueUnit
	} else {
		i, found := params.Find(u.key)
		if !found {
			params = slices.Insert(params, i, traceid.Param{Key: u.key})
		}
		params[i].Value = u.param
	}
	out.otherParam, out.record.Params, out.record.Source = params, params, out.otherIDs.Source(params)
}
