package perfdata

import (
	"cmp"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// commitParam is the param, or the promoted attr, that names a record's commit.
const commitParam = "commit"

// amended iterates over records as Options.Commit and Options.Promote change them. The Reader's own
// records stay as they are.
func amended(records iter.Seq2[*format.Record, error], o *format.Options) iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		a := amender{options: o}
		for rec, err := range records {
			if err == nil {
				rec = a.amend(rec)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// An amender makes a record of a Reader's record. The next call overwrites it.
type amender struct {
	options       *format.Options
	record        format.Record
	params, attrs traceid.Params
	ids           delta.Layout // of params
}

func (a *amender) amend(rec *format.Record) *format.Record {
	out := &a.record
	*out = *rec
	for i, attr := range rec.Attrs {
		if a.promotes(rec, &attr) {
			a.promote(rec, i)
			break
		}
	}
	if out.Commit == "" {
		param, _ := out.Params.Get(commitParam)
		out.Commit = cmp.Or(param, a.options.Commit)
	}
	return out
}

// promotes reports whether an attr of the record becomes a param.
func (a *amender) promotes(rec *format.Record, attr *traceid.Param) bool {
	if !slices.Contains(a.options.Promote, attr.Key) {
		return false
	}
	_, ok := rec.Params.Get(attr.Key)
	return !ok
}

// promote makes attrs params, from the one with the index first on.
func (a *amender) promote(rec *format.Record, first int) {
	a.params = append(a.params[:0], rec.Params...)
	a.attrs = append(a.attrs[:0], rec.Attrs[:first]...)
	for _, attr := range rec.Attrs[first:] {
		if !a.promotes(rec, &attr) {
			a.attrs = append(a.attrs, attr)
			continue
		}
		at, _ := a.params.Find(attr.Key)
		a.params = slices.Insert(a.params, at, attr)
		if attr.Key == commitParam {
			a.record.Commit = attr.Value
		}
	}
	a.record.Params, a.record.Attrs = a.params, a.attrs
	a.record.Source = a.ids.Source(a.params).WithPlace(rec.Source.Place(rec.Params))
}
