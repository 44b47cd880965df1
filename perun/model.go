package perun

import (
	"fmt"
	"iter"
	"math"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Model is one that a postprocessor made of the resources with one uid: a function that tells the amount, or the
// statistics of one. A Model belongs to the caller.
type Model struct {
	Fields Fields

	format.Position
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
		m := &Model{Position: at}
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

// Name returns the name of the kind of model, such as linear.
func (m *Model) Name() string { return m.text("model") }

// UID returns the flattened uid of the resources that the model is of.
func (m *Model) UID() string { return m.text("uid") }

func (m *Model) text(key string) string {
	v, ok := m.Fields.Get(key)
	if !ok || v.kind == KindNull {
		return ""
	}
	return v.flat()
}

// RSquare returns the coefficient of determination, which tells how well the model fits, and whether there is one.
func (m *Model) RSquare() (float64, bool) { return m.number("r_square") }

func (m *Model) number(key string) (float64, bool) {
	v, _ := m.Fields.Get(key)
	return v.Float()
}

// Coefficient returns the coefficient with that name, such as b0, and whether there is one.
func (m *Model) Coefficient(name string) (float64, bool) {
	coeffs, _ := m.Fields.Get("coeffs")
	if coeffs.kind == KindObject {
		v, _ := coeffs.Fields().Get(name)
		return v.Float()
	}
	for _, c := range coeffs.List() {
		if v, _ := c.Fields().Get("name"); v.kind == KindString && v.text == name {
			v, _ = c.Fields().Get("value")
			return v.Float()
		}
	}
	return 0, false
}

// Parametric reports whether the model is a function with coefficients, of those that Curve knows.
func (m *Model) Parametric() bool {
	switch m.Name() {
	case "constant", "linear", "logarithmic", "quadratic", "power", "exponential":
		return true
	}
	return false
}

// Nonparametric reports whether the model is one of those that only have statistics.
func (m *Model) Nonparametric() bool {
	switch m.Name() {
	case "regressogram", "moving_average", "kernel_regression":
		return true
	}
	return false
}

// FilterModels returns the models that a strategy of the reference's change detection wants:
//
//	all-param       for each uid and kind, the last parametric model
//	all-nonparam    for each uid and kind, the last nonparametric one
//	best-param      for each uid, the first parametric model with the greatest r_square above 0
//	best-nonparam   the same of the nonparametric ones
//	best-model      the same of all
//
// They are in the order in which their uids, or uids and kinds, first come. It stops at the first error.
func FilterModels(models iter.Seq2[*Model, error], strategy string) ([]*Model, error) {
	var group func(*Model) bool
	best := true
	switch strategy {
	case "all-param", "best-param":
		group, best = (*Model).Parametric, strategy == "best-param"
	case "all-nonparam", "best-nonparam":
		group, best = (*Model).Nonparametric, strategy == "best-nonparam"
	case "best-model":
		group = func(*Model) bool { return true }
	default:
		return nil, fmt.Errorf("unknown strategy %q: it is none of all-param, all-nonparam, best-param, best-nonparam, best-model", strategy)
	}
	var chosen []*Model
	at := map[[2]string]int{}
	for m, err := range models {
		if err != nil {
			return nil, err
		}
		if !group(m) {
			continue
		}
		key := [2]string{m.UID()}
		if !best {
			key[1] = m.Name()
		}
		i, known := at[key]
		fit, _ := m.RSquare()
		switch {
		case best && !(fit > 0):
		case !known:
			at[key] = len(chosen)
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

// A Point is one of a model's curve.
type Point struct{ X, Y float64 }

// CurvePoints is how many points of a curve the reference computes.
const CurvePoints = 51

// nearZero takes the place of an x nearer to zero, for which not all models have a value.
const nearZero = 1e-6

// Curve returns n points of the model's curve, evenly spaced from x_start to x_end, of which n is at least 2. Those of x at
// zero are a little above it. It is an error if the model isn't parametric, lacks what is needed, or has no value
// at one of the points.
func (m *Model) Curve(n int) ([]Point, error) {
	name := m.Name()
	if !m.Parametric() {
		return nil, fmt.Errorf("a model %q has no curve", name)
	}
	if n < 2 {
		return nil, fmt.Errorf("a curve of %d points", n)
	}
	var b [3]float64
	for i := range b {
		var ok bool
		if b[i], ok = m.Coefficient(fmt.Sprintf("b%d", i)); !ok && (i < 2 || name == "quadratic") {
			return nil, fmt.Errorf("the model %s of %s has no coefficient b%d", name, m.UID(), i)
		}
	}
	start, ok := m.number("x_start")
	end, ok2 := m.number("x_end")
	if !ok || !ok2 {
		return nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", name, m.UID())
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
		y := b[0] + b[1]*x
		switch name {
		case "logarithmic":
			y = b[0] + b[1]*math.Log(x)
		case "quadratic":
			y = b[0] + b[1]*x + b[2]*x*x
		case "power":
			y = b[0] * math.Pow(x, b[1])
		case "exponential":
			y = b[0] * math.Pow(b[1], x)
		}
		if !isFinite(y) {
			return nil, fmt.Errorf("the model %s of %s has no value at %v", name, m.UID(), x)
		}
		points[i] = Point{x, y}
	}
	return points, nil
}
