package unit

import (
	"bytes"
	"math"
	"strconv"
)

// A factor is 10^ten * 2^two * 60^sixty.
type factor struct{ ten, two, sixty int8 }

// over returns f / g.
func (f factor) over(g factor) factor {
	return factor{f.ten - g.ten, f.two - g.two, f.sixty - g.sixty}
}

// Factor returns the number by which values are multiplied that are converted to the base unit of
// the Quantity: 1e-9 for "ns/op".
func (u Unit) Factor() float64 { return u.factor.times(1) }

// Convert converts a value in the unit u to another unit. It returns false if the units have
// different quantities, or if either is unknown.
//
// If the factor is made of powers of ten and two, which is the case without minutes and hours,
// the result is the number that a file in the other unit would have: the decimal point of the
// value's shortest text moves. 0.05 ns is 5e-8 ms, although 0.05 / 1e6 is 5.0000000000000004e-08.
// A factor of 60 is rounded like any multiplication or division.
func (u Unit) Convert(value float64, to Unit) (converted float64, ok bool) {
	if u.Quantity != to.Quantity || u.Quantity.Of == "" {
		return 0, false
	}
	return u.factor.over(to.factor).times(value), true
}

// times returns value * f. The powers of ten only change the exponent of the decimal digits. Multiplication
// or division gives another number for a quarter of the values with two decimal places. Equal measurements
// would differ.
func (f factor) times(value float64) float64 {
	if f.ten != 0 && value-value == 0 { // NaN and infinities are not changed
		var memory [32]byte
		text := strconv.AppendFloat(memory[:0], value, 'e', -1, 64)
		exponent := bytes.IndexByte(text, 'e') + 1
		n, _ := strconv.Atoi(string(text[exponent:]))
		text = strconv.AppendInt(text[:exponent], int64(n+int(f.ten)), 10)
		value, _ = strconv.ParseFloat(string(text), 64) // infinite, with an error, if it is too large
	}

	value = math.Ldexp(value, int(f.two))
	for n := f.sixty; n > 0; n-- {
		value *= 60
	}
	for n := f.sixty; n < 0; n++ {
		value /= 60
	}
	return value
}
