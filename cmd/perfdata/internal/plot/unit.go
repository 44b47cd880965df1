package plot

import (
	"math"
	"strconv"
)

// A unit is a multiple of another one.
type unit struct {
	size float64
	name string
}

// Each list begins with the largest unit.
func thousands() []unit { return []unit{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} }

func byteUnits() []unit {
	return []unit{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}}
}

func timeUnits() []unit { return []unit{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}} }

// spelled returns a unit as people write it.
func spelled(name string) string {
	if name == "us" {
		return "µs"
	}
	return name
}

// familyOf returns the units to which a unit belongs, and its size among them.
func familyOf(name string) (family []unit, size float64) {
	for _, family := range [][]unit{byteUnits(), timeUnits()} {
		for _, u := range family {
			if u.name == spelled(name) {
				return family, u.size
			}
		}
	}
	return nil, 1
}

// setUnit chooses the unit of the labels for an axis up to the largest value: one in which the
// numbers are short. The largest value is 0 if the unit has to stay.
func (a *axis) setUnit(largest float64) {
	a.scale, a.suffix = 1, ""
	name := spelled(a.unit)
	if family, size := familyOf(a.unit); family != nil && largest != 0 && (largest >= 1000 || largest < 0.1) {
		for _, u := range family {
			a.scale, name = u.size/size, u.name
			if largest >= a.scale {
				break
			}
		}
	}

	if scaled := largest / a.scale; scaled >= 1e4 && scaled < 1e15 {
		for _, u := range thousands() {
			if scaled >= u.size {
				a.scale, a.suffix = a.scale*u.size, " "+u.name
				break
			}
		}
	}
	a.label = a.name
	if name != "" {
		a.label += " (" + name + ")"
	}
}

// number returns v with three digits, or four if it is short then.
func number(v float64) string {
	digits := 3
	if math.Abs(v) < 1e4 {
		digits = 4
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)

	suffix := ""
	if size := math.Abs(v); size >= 1e4 && size < 1e15 {
		for _, u := range thousands() {
			if size >= u.size {
				v, suffix = v/u.size, " "+u.name
				break
			}
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64) + suffix
}
