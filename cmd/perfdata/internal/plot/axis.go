package plot

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"perfdata/internal/svg"
)

// A span is an interval; the zero value is empty.
type span struct {
	lo, hi float64
	some   bool
}

func (s *span) add(v float64) {
	if !s.some {
		*s = span{v, v, true}
		return
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

func (s span) length() float64 { return s.hi - s.lo }

// addWithin adds the part of o that is not farther from s than the length of s. Anything farther
// away must not squeeze the rest.
func (s span) addWithin(o span) span {
	if !s.some || !o.some {
		return span{s.lo + o.lo, s.hi + o.hi, s.some || o.some} // an empty span has zeros
	}
	reach := s.length()
	if reach == 0 {
		reach = cmp.Or(math.Abs(s.lo)/2, 1)
	}
	return span{max(min(s.lo, o.lo), s.lo-reach), min(max(s.hi, o.hi), s.hi+reach), true}
}

// logarithm returns the span of the decimal logarithms of a span of positive values.
func (s span) logarithm() span {
	if !s.some {
		return s
	}
	return span{math.Log10(s.lo), math.Log10(s.hi), true}
}

// widened returns s with some length. A single value is shown with its distance from zero.
func (s span) widened() span {
	size := max(math.Abs(s.lo), math.Abs(s.hi))
	switch {
	case size < smallest:
		return span{0, 1, true}
	case s.length() > size*1e-12:
		return s
	}
	return span{min(s.lo, 0), max(s.hi, 0), true}
}

// An axis is one of a chart's two axes.
type axis struct {
	name     string // the field that it shows
	unit     string // of the field's values, or empty
	log      bool
	integers bool    // all values are whole numbers
	most     float64 // the number of ticks for which there is room

	lo, hi float64
	ticks  []tick
	scale  float64 // the labels are values divided by this
	suffix string  // of the labels, such as " M"
	label  string  // name and unit, for the picture
}

// A tick is a mark of an axis. Some have no label.
type tick struct {
	value float64
	label string
}

// Limits of the number of ticks.
const (
	minTicks  = 2
	maxTicks  = 12
	longLabel = 8 // characters: with labels longer than that, half the ticks
)

// padding is the part of an axis that stays empty at an end, so that no point touches the frame.
const padding = 0.04

// smallest is the smallest positive value that a logarithmic axis shows.
const smallest = 1 / maxCoordinate

// within returns the points' span with the part of the curves' span that isn't too far away.
func (a *axis) within(points, curves span) span {
	if !a.log {
		// Zero is a better end than a curve's value just below.
		s := points.addWithin(curves)
		if points.some && points.lo >= 0 && s.lo < 0 && s.lo > -padding*s.length() {
			s.lo = 0
		}
		return s
	}
	s := points.logarithm().addWithin(curves.logarithm())
	if !s.some {
		return s
	}
	return span{max(math.Pow(10, s.lo), smallest), min(math.Pow(10, s.hi), maxCoordinate), true}
}

// fit makes the axis show the data, with some room at both ends, from tick to tick.
func (a *axis) fit(data span) {
	if a.log {
		a.fitLog(data)
		return
	}

	// Zero is a better end than a value near it. An axis of positive values ends there.
	s := data.widened()
	pad := s.length() * padding
	if max(math.Abs(data.lo), math.Abs(data.hi)) < smallest {
		pad = 0
	}
	s.hi += pad
	if s.lo >= 0 && s.lo <= s.hi/2 {
		s.lo = 0
	} else if s.lo != 0 {
		s.lo -= pad
	}
	a.setUnit(max(math.Abs(s.lo), math.Abs(s.hi)))

	for _, n := range []float64{a.most, a.most / 2} {
		step := stepOf(s.length()/a.scale, n) * a.scale
		if a.integers {
			step = max(step, 1)
		}
		first, last := math.Floor(s.lo/step), math.Ceil(s.hi/step)
		a.lo, a.hi, a.ticks = first*step, last*step, nil
		longest := 0
		for i := first; i <= last; i++ {
			text := label(i*step/a.scale, step/a.scale, max(math.Abs(a.lo), math.Abs(a.hi))/a.scale)
			if text != "0" {
				text += a.suffix
			}
			a.ticks = append(a.ticks, tick{i * step, text})
			longest = max(longest, len(text))
		}
		if longest <= longLabel {
			break
		}
	}
}

// stepOf returns 1, 2 or 5 times a power of ten, so that the length has at most n steps.
func stepOf(length, n float64) float64 {
	step := math.Pow10(int(math.Floor(math.Log10(length / n))))
	for _, by := range []float64{1, 2, 5} {
		if length <= step*by*n {
			return step * by
		}
	}
	return step * 10
}

// fitLog is fit for a logarithmic axis, whose data are positive.
func (a *axis) fitLog(data span) {
	if !data.some {
		data = span{1, 10, true}
	}
	const pad = 1.05
	lo, hi := max(data.lo/pad, smallest), data.hi*pad
	a.setUnit(0)

	// Of many decades, only powers of ten get labels, and the ends should have one.
	all, step := decimals(lo, hi, 1, 2, 5), 1
	end := len(all) - 1
	isLong := all[end].value/all[0].value > fewDecades
	if isLong {
		all = decimals(lo, hi, 1)
		end = len(all) - 1
		step = int(math.Ceil(float64(end) / a.most))
		if step == 1 {
			all = decimals(all[0].value, all[end].value, 1, 2, 5)
			end = len(all) - 1
		}
	}

	a.lo, a.hi, a.ticks = all[0].value, all[end].value, nil
	for _, d := range all {
		switch {
		case !isLong, d.digit == 1 && d.power%step == 0:
			a.ticks = append(a.ticks, tick{d.value, number(d.value)})
		case step == 1:
			a.ticks = append(a.ticks, tick{value: d.value})
		}
	}
}

// fewDecades is the ratio up to which the ticks between powers of ten have labels.
const fewDecades = 2e3

// A decimal is a digit times ten to the power.
type decimal struct {
	digit, power int
	value        float64
}

// decimals returns the digits times powers of ten, from the last that is not above lo to the first that
// is not below hi.
func decimals(lo, hi float64, digits ...int) (all []decimal) {
	for power := -maxPower; ; power++ {
		for _, digit := range digits {
			v, _ := strconv.ParseFloat(strconv.Itoa(digit)+"e"+strconv.Itoa(power), 64) // rounds once
			if v <= lo {
				all = all[:0]
			}
			if all = append(all, decimal{digit, power, v}); v >= hi {
				return all
			}
		}
	}
}

// label returns v with the digits that tell it from its neighbors, step away, on an axis up to
// the largest.
func label(v, step, largest float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)*(1+1e-12)+1e-9)))
	if largest < 1e9 && decimals <= 4 {
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}

	// As many digits as the step needs, without zeros at the end.
	digits := int(math.Floor(math.Log10(math.Abs(v)))-math.Floor(math.Log10(step)*(1+1e-12)+1e-9)) + 1
	text := strconv.FormatFloat(v, 'e', min(max(digits-1, 0), 15), 64)
	f, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// norm returns where v is on the axis: from 0 to 1 between its ends. Nothing is below a logarithmic
// axis.
func (a *axis) norm(v float64) float64 {
	if a.log {
		return math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// thousand is the least value that is written in thousands.
const thousand = 1e4

// setUnit chooses the unit of the labels for an axis up to the largest value: one in which the
// numbers are short. The largest value is 0 if the unit has to stay.
func (a *axis) setUnit(largest float64) {
	a.scale, a.label = 1, spelled(a.unit)
	if largest >= 1000 || largest != 0 && largest < 0.1 {
		a.scale, a.label = svg.Unit(a.unit, largest)
	}
	size, suffix := svg.Thousands(largest/a.scale, thousand)
	if a.scale, a.suffix = a.scale*size, suffix; suffix != "" {
		a.suffix = " " + suffix
	}
	if a.label != "" {
		a.label = " (" + a.label + ")"
	}
	a.label = a.name + a.label
}

// spelled returns a unit as people write it.
func spelled(unit string) string {
	if unit == "us" {
		return "µs"
	}
	return unit
}

// number returns v with three digits, or four if it is short then.
func number(v float64) string {
	digits := 3
	if math.Abs(v) < thousand {
		digits = 4
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	size, suffix := svg.Thousands(v, thousand)
	return strings.TrimSpace(strconv.FormatFloat(v/size, 'g', -1, 64) + " " + suffix)
}
