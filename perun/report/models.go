package report

import (
	"fmt"
	"iter"
	"math"

	"perfdata/perun"
)

// Parametric reports whether the model is a function with coefficients that Curve knows.
func Parametric(m *perun.Model) bool {
	switch m.Kind() {
	case "constant", "linear", "logarithmic", "quadratic", "power", "exponential":
		return true
	}
	return false
}

// Nonparametric reports whether the model has statistics only.
func Nonparametric(m *perun.Model) bool {
	switch m.Kind() {
	case "regressogram", "moving_average", "kernel_regression":
		return true
	}
	return false
}

// FilterModels returns the models that a strategy of the reference's change detection uses:
//
//	all-param       for each uid and kind, the last parametric model
//	all-nonparam    for each uid and kind, the last nonparametric model
//	best-param      for each uid, the first parametric model with the greatest r_square above 0
//	best-nonparam   for each uid, the same of the nonparametric models
//	best-model      for each uid, the same of all models
//
// The models are in the order in which their uids, or uids and kinds, first occur. FilterModels
// stops at the first error.
func FilterModels(models iter.Seq2[*perun.Model, error], strategy string) ([]*perun.Model, error) {
	var suits func(*perun.Model) bool
	best := true

	switch strategy {
	case "all-param", "best-param":
		suits, best = Parametric, strategy == "best-param"
	case "all-nonparam", "best-nonparam":
		suits, best = Nonparametric, strategy == "best-nonparam"
	case "best-model":
		suits = func(*perun.Model) bool { return true }
	default:
		return nil, fmt.Errorf("unknown strategy %q: "+
			"want all-param, all-nonparam, best-param, best-nonparam or best-model", strategy)
	}

	var chosen []*perun.Model
	index := map[[2]string]int{} // in chosen, by uid and kind
	for m, err := range models {
		if err != nil {
			return nil, err
		}

		if !suits(m) {
			continue
		}
		key := [2]string{m.UID()}
		if !best {
			key[1] = m.Kind()
		}

		i, known := index[key]
		fit, _ := m.RSquare()

		switch {
		case best && !(fit > 0):
		case !known:
			index[key] = len(chosen)
			chosen = append(chosen, m)
		case !best:
			chosen[i] = m
		default:
			if before, _ := chosen[i].RSquare(); fit > before {
				chosen[i] = m
			}
		}
	}
	return chosen, nil
}

// A Point is a point of a curve.
type Point struct{ X, Y float64 }

// nearZero takes the place of an x nearer to zero, for which not all models have a value.
const nearZero = 1e-6

// Curve returns n points of the curve of a parametric model, evenly spaced from x_start to x_end;
// n is at least 2, and 51 in the reference. A point at x zero is a little to the right of it. It
// is an error if the model is not parametric, lacks a field or a coefficient, or has no value at
// one of the points.
func Curve(m *perun.Model, n int) ([]Point, error) {
	kind := m.Kind()
	if !Parametric(m) {
		return nil, fmt.Errorf("a model %q has no curve", kind)
	}

	switch {
	case n < 2:
		return nil, fmt.Errorf("a curve of %d points: want 2 or more", n)
	case n > maxPoints:
		return nil, fmt.Errorf("a curve of %d points: want %d or fewer", n, maxPoints)
	}
	var b [3]float64

	for i := range b {
		var ok bool
		if b[i], ok = coefficient(m, fmt.Sprintf("b%d", i)); !ok && (i < 2 || kind == "quadratic") {
			return nil, fmt.Errorf("the model %s of %s has no coefficient b%d", kind, m.UID(), i)
		}
	}

	start, hasStart := number(m, "x_start")
	end, hasEnd := number(m, "x_end")
	if !hasStart || !hasEnd {
		return nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", kind, m.UID())
	}

	points := make([]Point, n)
	step := (end - start) / float64(n-1)
	for i := range points {
		x := float64(i)*step + start
		if i == n-1 {
			x = end
		}

		if math.Abs(x) < nearZero {
			x = nearZero
		}
		y := valueAt(kind, b, x)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return nil, fmt.Errorf("the model %s of %s has no value at %v", kind, m.UID(), x)
		}

		points[i] = Point{x, y}
	}
	return points, nil
}

// maxPoints is the largest number of points of a curve.
const maxPoints = 1_000_000

// valueAt returns the value at x of a model of the kind, with the coefficients b0, b1 and b2.
func valueAt(kind string, b [3]float64, x float64) float64 {
	switch kind {
	case "logarithmic":
		return b[0] + b[1]*math.Log(x)
	case "quadratic":
		return b[0] + b[1]*x + b[2]*x*x
	case "power":
		return b[0] * math.Pow(x, b[1])
	case "exponential":
		return b[0] * math.Pow(b[1], x)
	}
	return b[0] + b[1]*x
}

func number(m *perun.Model, key string) (float64, bool) {
	v, _ := m.Fields.Get(key)
	return v.Float()
}

// coefficient returns the coefficient with that name, such as b0, and whether the model has it:
// in an object, or in a list of objects with name and value.
func coefficient(m *perun.Model, name string) (float64, bool) {
	coeffs, _ := m.Fields.Get("coeffs")
	if coeffs.Kind() == perun.KindObject {
		v, _ := coeffs.Fields().Get(name)
		return v.Float()
	}
	for _, c := range coeffs.List() {
		v, _ := c.Fields().Get("name")
		if text, ok := v.Text(); ok && text == name {
			v, _ = c.Fields().Get("value")
			return v.Float()
		}
	}
	return 0, false
}
