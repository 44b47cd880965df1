package benchfmt

import (
	"fmt"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// An assembler makes results of records. The params of a record are divided like this:
//
//   - name, sub1, sub2, ... and gomaxprocs make up the name, as a Reader gets them from it;
//   - unit, or else units, is the unit of the values;
//   - goos, goarch, pkg, cpu, commit and the keys of the header's Config are configuration;
//   - all others are key=value parts of the name.
//
// A param that a name cannot hold, for example because of a space, becomes configuration instead.
type assembler struct {
	config map[string]bool // keys of configuration, in addition to the known ones

	params delta.Tracker // of the last record
	result Result        // has no Values if no result is open
	size   int           // the approximate length of its line
	spare  Result        // memory for the next result
	name   nameEncoder

	// What the records of result have in common, in addition to their params.
	unitAt     int    // index of the unit in the params, or -1
	iterations string // the attr
	counted    bool   // the records have the attr

	strings buffer.Strings
}

// maxValues is the largest number of values of a result. Without a bound, the records of a
// careless caller could all become one line.
const maxValues = 100

func (a *assembler) init(h Header) {
	a.result.Config, a.spare.Config = []traceid.Param{}, []traceid.Param{} // nil would mean the header's Config
	a.config = map[string]bool{commitConfig: true}
	for _, key := range knownConfig {
		a.config[key] = true
	}
	for _, p := range h.Config {
		a.config[p.Key] = true
	}
}

// unitIndex returns the index of the unit's param, or -1.
func (a *assembler) unitIndex(p traceid.Params) int {
	if i := a.unitAt; i >= 0 && i < len(p) && p[i].Key == goname.Unit {
		return i
	}
	for _, key := range [...]string{goname.Unit, "units"} { // the latter is Skia Perf's
		if i, ok := p.Find(key); ok {
			return i
		}
	}
	return -1
}

// valueUnit returns a record's unit, or what is written for values without one.
func valueUnit(p traceid.Params, at int) string {
	if at < 0 {
		return "value"
	}
	return p[at].Value
}

// fits compares rec with the last record, and reports whether it can be another value of the open
// result, whose records differ only in their units.
func (a *assembler) fits(rec *format.Record) bool {
	a.params.Compare(rec.Params)
	values := a.result.Values
	if len(values) == 0 || len(values) >= maxValues {
		return false
	}
	if at, ok := a.params.Only(); (!ok || at != a.unitAt) && !a.params.Same() {
		return false
	}
	if n, ok := rec.Attrs.Get(attrIterations); ok != a.counted || n != a.iterations {
		return false
	}
	unit := valueUnit(rec.Params, a.unitAt)
	if a.size+valueSize(len(unit)) > maxLine {
		return false
	}
	for i := range values {
		if values[i].Unit == unit {
			return false
		}
	}
	return true
}

// add adds the value of rec, which fits the result.
func (a *assembler) add(rec *format.Record) {
	unit := valueUnit(rec.Params, a.unitAt)
	a.result.Values = append(a.result.Values, Value{rec.Value, unit})
	a.size += valueSize(len(unit))
	a.params.Accept(rec.Params)
}

// begin makes rec, which was compared by fits, the first value of a new result. Its unit is in the
// param with index at, which is negative if it has none. The previous result is then in a.spare. If
// begin returns an error, it has changed nothing.
func (a *assembler) begin(rec *format.Record, at int) error {
	next := &a.spare
	next.Iterations = 1
	iterations, counted := rec.Attrs.Get(attrIterations)
	if counted && a.counted && iterations == a.iterations {
		next.Iterations = a.result.Iterations
	} else if counted {
		n, err := strconv.Atoi(iterations)
		if err != nil || strconv.Itoa(n) != iterations {
			return fmt.Errorf("attr iterations is %q, want a whole number", iterations)
		}
		next.Iterations = n
	}

	if a.params.Rekeyed || !a.name.arrangeAgain(rec.Params, at, a.params.Changed) {
		if err := a.name.arrange(rec.Params, at, a.config); err != nil {
			return err
		}
	}
	unit := valueUnit(rec.Params, at)
	size := nameSize(len(a.name.text)) + valueSize(len(unit))
	if size > maxLine {
		a.name.valid = false // it may be that of this record
		return goname.ErrLong
	}
	a.size = size

	next.Name = a.strings.New(a.name.text)
	next.Config = append(next.Config[:0], a.name.config...)
	next.Values = append(next.Values[:0], Value{rec.Value, unit})
	a.params.Accept(rec.Params)
	a.unitAt, a.iterations, a.counted = at, iterations, counted
	a.result, a.spare = a.spare, a.result
	return nil
}

// nameSize returns the approximate length of a line without its values, and valueSize that of a
// value.
func nameSize(name int) int  { return len(prefix) + name + 25 }
func valueSize(unit int) int { return 50 + unit }
