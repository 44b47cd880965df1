package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"perfdata/perun"
)

// Parametric reports whether the model is a function with coefficients that Curve knows.
func Parametric(m *perun.Model) bool {
	kinds := []string{"constant", "linear", "logarithmic", "quadratic", "power", "exponential"}
	return slices.Contains(kinds, m.Kind())
}

// Nonparametric reports whether the model has statistics only.
func Nonparametric(m *perun.Model) bool {
	return slices.Contains([]string{"regressogram", "moving_average", "kernel_regression"}, m.Kind())
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
// stops at the first error. Where it compares r_square, another value than a number or null is one.
func FilterModels(models iter.Seq2[*perun.Model, error], strategy string) ([]*perun.Model, error) {
	choose, of, _ := strings.Cut(strategy, "-")
	best := choose == "best"
	suits := map[string]func(*perun.Model) bool{
		"param": Parametric, "nonparam": Nonparametric, "model": func(*perun.Model) bool { return best },
	}[of]
	if suits == nil || !best && (choose != "all" || of == "model") {
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

		key := [2]string{m.UID(), m.Kind()}
		fit, ok := m.RSquare()
		if best {
			key[1] = ""
			if v, has := m.Fields.Get("r_square"); has && !ok && !v.IsNull() {
				return nil, fmt.Errorf("the model %s of %s has no number as r_square", m.Kind(), m.UID())
			}
			if !(fit > 0) {
				continue
			}
		}

		i, known := index[key]
		if !known {
			index[key] = len(chosen)
			chosen = append(chosen, m)
		} else if before, _ := chosen[i].RSquare(); !best || fit > before {
			chosen[i] = m
		}
	}
	return chosen, nil
}

// nearZero takes the place of an x nearer to zero, for which not all models have a value.
const nearZero = 1e-6

// Curve returns x and y of n points of the curve of a parametric model, evenly spaced from x_start to x_end;
// n is at least 2, and 51 in the reference. It is an error if the model lacks one of these fields, and
// if [Function] or what that returns has one. A point at x zero is a little to the right of it.
func Curve(m *perun.Model, n int) (xs, ys []float64, err error) {
	const maxPoints = 1_000_000
	f, err := Function(m)
	switch {
	case err != nil:
		return nil, nil, err
	case n < 2:
		return nil, nil, fmt.Errorf("a curve of %d points: want 2 or more", n)
	case n > maxPoints:
		return nil, nil, fmt.Errorf("a curve of %d points: want %d or fewer", n, maxPoints)
	}

	x0, _ := m.Fields.Get("x_start")
	x1, _ := m.Fields.Get("x_end")
	start, hasStart := x0.Float()
	end, hasEnd := x1.Float()
	if !hasStart || !hasEnd {
		return nil, nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", m.Kind(), m.UID())
	}

	step := (end - start) / float64(n-1)
	for i := range n {
		x := float64(i)*step + start
		if i == n-1 {
			x = end
		}
		if math.Abs(x) < nearZero {
			x = nearZero
		}
		y, err := f(x)
		if err != nil {
			return nil, nil, err
		}
		xs, ys = append(xs, x), append(ys, y)
	}
	return xs, ys, nil
}

// Function returns the function that a parametric model is. It is an error if the model is not
// parametric, or lacks a coefficient, and an error of the function if it has no value at x. At zero, it
// has the value of a little to the right.
func Function(m *perun.Model) (func(x float64) (float64, error), error) {
	kind := m.Kind()
	if !Parametric(m) {
		return nil, fmt.Errorf("a model %q has no curve", kind)
	}
	var b [3]float64
	for i := range b {
		var ok bool
		if b[i], ok = coefficient(m, fmt.Sprintf("b%d", i)); !ok && (i < 2 || kind == "quadratic") {
			return nil, fmt.Errorf("the model %s of %s has no coefficient b%d", kind, m.UID(), i)
		}
	}

	return func(x float64) (float64, error) {
		if math.Abs(x) < nearZero {
			x = nearZero
		}
		y := b[0] + b[1]*x
		switch kind {
		case "logarithmic":
			y = b[0] + b[1]*math.Log(x)
		case "quadratic":
			y += b[2] * x * x
		case "power":
			y = b[0] * pow(x, b[1])
		case "exponential":
			y = b[0] * pow(b[1], x)
		}
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return 0, fmt.Errorf("the model %s of %s has no value at %v", kind, m.UID(), x)
		}
		return y, nil
	}, nil
}

// pow is math.Pow. For a base below the smallest normal number, which some processors treat as that
// number, it computes the power of a larger base.
func pow(x, y float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Pow(x*0x1p60, y) * math.Exp2(-60*y)
	}
	return math.Pow(x, y)
}

// coefficient returns the coefficient with that name, such as b0, and whether the model has it:
// in an object, or in a list of objects with name and value. The last one with the name is used.
func coefficient(m *perun.Model, name string) (float64, bool) {
	coeffs, _ := m.Fields.Get("coeffs")
	v, _ := coeffs.Fields().Get(name)
	for _, c := range coeffs.List() {
		of, _ := c.Fields().Get("name")
		if text, ok := of.Text(); ok && text == name {
			v, _ = c.Fields().Get("value")
		}
	}
	return v.Float()
}
