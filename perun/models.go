package perun

import (
	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Model describes the amounts of the resources with one uid, as a function or by statistics. A
// postprocessor makes it. A Model belongs to the caller.
type Model struct {
	Fields Fields

	format.Position
}

// Kind returns the kind of the model, such as linear.
func (m *Model) Kind() string { return m.text("model") }

// UID returns the flattened uid of the resources that the model describes.
func (m *Model) UID() string { return m.text("uid") }

func (m *Model) text(key string) string {
	v, ok := m.Fields.Get(key)
	if !ok || v.kind == KindNull {
		return ""
	}
	return v.FlatText()
}

// RSquare returns the coefficient of determination, which tells how well the model fits, and
// whether the model has one.
func (m *Model) RSquare() (float64, bool) {
	v, _ := m.Fields.Get("r_square")
	return v.Float()
}

// A modelSink is a sink for models.
type modelSink struct {
	yield     func(*Model, error) bool
	wantsPath bool
	path      string // of the model, if wantsPath
}

func (k *modelSink) wantsModels() bool    { return true }
func (k *modelSink) fault(err error) bool { return k.yield(nil, err) }

func (k *modelSink) object(r *Reader) bool {
	s := r.scan
	if s.Kind() != jsonscan.Object {
		return r.yieldWrongType(k, "object")
	}
	at := s.Position()
	m := &Model{Position: at}
	if k.wantsPath {
		k.path = s.Path()
	}
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	m.Fields = readFields(s, nil, r.text)
	s.EndRegion()
	return s.Err() != nil || k.yield(m, nil)
}
