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
func (m *Model) Kind() string { return m.Fields.FlatText("model") }

// UID returns the flattened uid of the resources that the model describes.
func (m *Model) UID() string { return m.Fields.FlatText("uid") }

// RSquare returns the coefficient of determination, which tells how well the model fits, and
// whether the model has one.
func (m *Model) RSquare() (float64, bool) {
	v, _ := m.Fields.Get("r_square")
	return v.Float()
}

// A modelSink is a sink for models.
type modelSink struct {
	*grammar
	yield func(*Model, error) bool
}

func (k *modelSink) wants() objects       { return modelObjects }
func (k *modelSink) fault(err error) bool { return k.yield(nil, err) }

func (k *modelSink) object(objects) {
	s := k.scan
	if s.Kind() != jsonscan.Object {
		k.wrongValue(k, "object")
		return
	}
	m := &Model{Position: s.Position()}
	s.BeginRegion("MaxResultBytes", k.limits.MaxResultBytes, 0)
	m.Fields = readFields(s, k.strings.String)
	s.EndRegion()
	if s.Err() == nil && !k.yield(m, nil) {
		k.stop()
	}
}
