package benchfmt

import (
	"slices"

	"perfdata/format"
	"perfdata/traceid"
)

// A Result is one result line.
type Result struct {
	Name       string // the full name, without the prefix "Benchmark"
	Iterations int
	Values     []Value // in the order of the line
	Config     []traceid.Param

	format.Position // of the line; Writers ignore it
}

// Clone returns a copy of res that the Reader won't overwrite.
func (res *Result) Clone() *Result {
	c := *res
	c.Values, c.Config = slices.Clone(res.Values), slices.Clone(res.Config)
	return &c
}

// A Value is a number with its unit.
type Value struct {
	Value float64
	Unit  string
}
