package perun

import (
	"iter"

	"perfdata/internal/jsonscan"
)

// A Model is one that a postprocessor made of the resources with one uid: a function that tells the amount, or the
// statistics of one. A Model belongs to the caller.
type Model struct {
	Fields Fields

	// Where it stands in the (decompressed) input: in bytes from 0, and in lines and columns from 1.
	Offset       int64
	Line, Column int
}

// Models iterates over the models, in the order of the file: those of the region models, and where the layout is as
// specified, those of the region global and of the snapshots. It can be called as often as Resources, but not with InOrder.
func (r *Reader) Models() iter.Seq2[*Model, error] {
	return func(yield func(*Model, error) bool) {
		if r.InOrder {
			e := jsonscan.New(r.in, r.Name, r.Limits.WithDefaults()).ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "", "models can't be read in order")
			yield(nil, e)
			return
		}
		r.read(output{model: yield}, r.used)
	}
}

func (r *Reader) readModels(out *output) bool {
	s := r.scan
	if s.Kind() != jsonscan.Array {
		return out.recoverable(s.SkipTypeError("array"))
	}
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.Object {
			if !out.recoverable(s.SkipTypeError("object")) {
				return false
			}
			continue
		}
		at := s.Position()
		m := &Model{Offset: at.Offset, Line: at.Line, Column: at.Column}
		if r.wantPaths {
			r.path = s.Path()
		}
		s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
		m.Fields = readFields(s, nil, r.str)
		s.EndRegion()
		if s.Err() != nil {
			return true
		}
		if !out.model(m, nil) {
			return false
		}
	}
	return true
}

// Kind returns the kind of the model, such as linear.
func (m *Model) Kind() string { return m.text("model") }

// UID returns the flattened uid of the resources that the model is of.
func (m *Model) UID() string { return m.text("uid") }

func (m *Model) text(key string) string {
	v, ok := m.Fields.Get(key)
	if !ok || v.kind == KindNull {
		return ""
	}
	return v.FlatText()
}

// RSquare returns the coefficient of determination, which tells how well the model fits, and whether the model has one.
func (m *Model) RSquare() (float64, bool) {
	v, _ := m.Fields.Get("r_square")
	return v.Float()
}
