package report

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The values of the series are blocks of series, each deflated; in a page, they are text, in base64. In
// a block, a series is, with numbers of bytes as in package encoding/binary:
//
//	flags     a byte: see below
//	commits   uvarint: the index of the first; then, with flagGaps, a uvarint for each
//	          other one: the distance from the previous
//	special   with flagSpecial, a byte for each value: 0, or what is not a finite number
//	values    numbers
//	n         with flagRepeated, a uvarint for each
//	below     with flagRepeated, numbers: how far the least of the values is below the value
//	above     the same for the greatest
//
// Numbers are a byte for the width, and the scale. Width 8 has a float64 for each, the least
// significant bytes of all first, then the next. Smaller widths have integers in the same way. After
// the scale, an integer from 0 to 22 more than the decimal digits after the point, follows a uvarint
// for the least integer, as zigzag, which is to be added to each.
//
// So noise takes 2 to 3 bytes a value before base64, and all else less: the bytes of one significance
// compress together.
const (
	flagGaps     = 1
	flagSpecial  = 2
	flagRepeated = 4
)

// eachBlock calls do with each block of the series. The next block overwrites it.
func eachBlock(all []Line, do func(block []byte) error) error {
	const blockPoints = 1 << 17 // about: the page reads blocks one by one
	var block bytes.Buffer
	// Level 1 takes a fifth of the time of the default for noise, which is 1% smaller then.
	f, _ := flate.NewWriter(&block, flate.BestSpeed) // an error is for other levels only
	var p packer
	var text []byte

	points := 0 // in the block
	for i := range all {
		text = p.appendSeries(text[:0], all[i].Points)
		f.Write(text) // to memory, which gives no errors
		if points += len(all[i].Points); points < blockPoints && i+1 < len(all) {
			continue
		}
		f.Close()
		if err := do(block.Bytes()); err != nil {
			return err
		}
		block.Reset()
		f.Reset(&block)
		points = 0
	}
	return nil
}

// A packer has the memory for packing a series.
type packer struct {
	values     []float64
	ints       []int64
	magnitudes []float64
}

// appendSeries appends the points of a series.
func (w *packer) appendSeries(dst []byte, points []Point) []byte {
	flags := byte(0)
	for i, p := range points {
		if i > 0 && p.Commit != points[i-1].Commit+1 {
			flags |= flagGaps
		}
		if special(p.Value) != 0 {
			flags |= flagSpecial
		}
		if p.N > 1 {
			flags |= flagRepeated
		}
	}

	dst = append(dst, flags)
	if len(points) == 0 {
		return dst
	}

	dst = binary.AppendUvarint(dst, uint64(points[0].Commit))
	if flags&flagGaps != 0 {
		for i := range points[1:] {
			dst = binary.AppendUvarint(dst, uint64(points[i+1].Commit-points[i].Commit))
		}
	}
	if flags&flagSpecial != 0 {
		for _, p := range points {
			dst = append(dst, special(p.Value))
		}
	}

	// In place of points with fewer values, and of values that are not finite, is 0.
	column := func(least, digits int, of func(Point) float64) {
		w.values = w.values[:0]
		for _, p := range points {
			v := of(p)
			if p.N < least || special(v) != 0 {
				v = 0
			}
			w.values = append(w.values, v)
		}
		dst = w.appendNumbers(dst, w.values, digits)
	}
	column(1, valueDigits, func(p Point) float64 { return p.Value })
	if flags&flagRepeated != 0 {
		for _, p := range points {
			dst = binary.AppendUvarint(dst, uint64(p.N))
		}
		column(2, rangeDigits, func(p Point) float64 { return p.Value - p.Min })
		column(2, rangeDigits, func(p Point) float64 { return p.Max - p.Value })
	}
	return dst
}

// special returns what a value is that is not a finite number, as blocks have it, or 0.
func special(v float64) byte {
	switch {
	case math.IsNaN(v):
		return 1
	case math.IsInf(v, 1):
		return 2
	case math.IsInf(v, -1):
		return 3
	}
	return 0
}

// The scales of integers: the exponents of powers of ten that a float64 holds exactly.
const maxScale = 22

// maxInteger is the largest integer below which a float64 holds all integers.
const maxInteger = 1 << 53

// appendNumbers appends finite numbers. They are exact if all are integers of at most 53 bits, or
// differ in size too much; others are rounded to some digits of their median.
func (w *packer) appendNumbers(dst []byte, values []float64, digits int) []byte {
	scale, ok := w.setInts(values, digits)
	if !ok {
		dst = append(dst, 8, 0)
		for shift := 0; shift < 64; shift += 8 {
			for _, v := range values {
				dst = append(dst, byte(math.Float64bits(v)>>shift))
			}
		}
		return dst
	}

	least, most := slices.Min(w.ints), slices.Max(w.ints)
	width := (bits.Len64(uint64(most-least)) + 7) / 8
	dst = append(dst, byte(width), byte(scale+maxScale))
	dst = binary.AppendVarint(dst, least)
	for shift := 0; shift < 8*width; shift += 8 {
		for _, n := range w.ints {
			dst = append(dst, byte(uint64(n-least)>>shift))
		}
	}
	return dst
}

// setInts sets w.ints to the values with digits after the point shifted before it, and returns how
// many. It returns false if the values must be written as they are.
func (w *packer) setInts(values []float64, digits int) (scale int, ok bool) {
	isInexact := func(v float64) bool { return v != math.Trunc(v) || math.Abs(v) > maxInteger }
	if slices.ContainsFunc(values, isInexact) {
		if scale, ok = w.scaleOf(values, digits); !ok {
			return 0, false
		}
	}

	w.ints = w.ints[:0]
	power := math.Pow10(max(scale, -scale))
	for _, v := range values {
		if scale >= 0 {
			v *= power
		} else {
			v /= power
		}
		if v = math.RoundToEven(v); math.Abs(v) > maxInteger {
			return 0, false
		}
		w.ints = append(w.ints, int64(v))
	}

	// Values with few digits end in zeros.
	for scale > 0 && !slices.ContainsFunc(w.ints, func(n int64) bool { return n%10 != 0 }) {
		scale--
		for i := range w.ints {
			w.ints[i] /= 10
		}
	}
	return scale, true
}

// The numbers of digits that medians keep: for the values, and for the distances to the least and
// the greatest. The page shows four.
const (
	valueDigits = 7
	rangeDigits = 4
)

// scaleOf returns the number of digits after the point of the values, which may be negative.
func (w *packer) scaleOf(values []float64, digits int) (scale int, ok bool) {
	const most = 64 // enough to know how large the values are
	w.magnitudes = w.magnitudes[:0]
	for i := 0; i < len(values); i += 1 + len(values)/most {
		if v := math.Abs(values[i]); v > 0 {
			w.magnitudes = append(w.magnitudes, v)
		}
	}
	if len(w.magnitudes) == 0 {
		return 0, false
	}
	slices.Sort(w.magnitudes)
	scale = digits - 1 - int(math.Floor(math.Log10(w.magnitudes[len(w.magnitudes)/2])))
	return scale, scale >= -maxScale && scale <= maxScale
}
