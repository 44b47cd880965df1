package skiadoc

import (
	"perfdata/format"
	"perfdata/traceid"
)

// A Meaning is where params say what the value of their record means. The zero Meaning says nothing.
type Meaning struct {
	unit, better int // indices in the params, plus 1; 0 if none says it
}

// MeaningOf returns the Meaning of the params. It depends on their keys only.
func MeaningOf(p traceid.Params) (m Meaning) {
	for i := range p {
		switch p[i].Key {
		case paramUnit:
			m.unit = i + 1
		case paramUnits:
			if m.unit == 0 {
				m.unit = i + 1
			}
		case paramDirection:
			m.better = i + 1
		}
	}
	return m
}

// The params that say what a value means. Where unit and units are both present, unit says it.
const (
	paramUnit      = "unit"
	paramUnits     = "units"
	paramDirection = "improvement_direction"
)

// HasUnit reports whether a param is the unit.
func (m *Meaning) HasUnit() bool { return m.unit > 0 }

// Set sets the unit and the direction of a record with the params.
func (m *Meaning) Set(rec *format.Record, p traceid.Params) {
	rec.Unit, rec.Better = "", format.Unknown
	if i := m.unit - 1; uint(i) < uint(len(p)) {
		rec.Unit = p[i].Value
	}
	if i := m.better - 1; uint(i) < uint(len(p)) {
		rec.Better = direction(p[i].Value)
	}
}

func direction(text string) format.Direction {
	switch text {
	case "up":
		return format.Higher
	case "down":
		return format.Lower
	}
	return format.Unknown
}

// IsMeaning reports whether a param with the key says what a value means.
func IsMeaning(key string) bool {
	return key == paramUnit || key == paramUnits || key == paramDirection
}
