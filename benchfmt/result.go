package benchfmt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/number"
	"perfdata/traceid"
)

// This file is the hot loop: it reads a result line and yields its records. Most lines have the
// name of the line before, perhaps with a few other values, and the same units in the same columns.
// So a line is first compared with the line before, and only the differences are parsed.
// This pays for the params that records need and x/perf's results do not have. If each name is on
// ten consecutive lines, reading takes 36% of the instructions of x/perf's Reader, and if all names
// differ, half.
//
// The slow path of each step has the step's name without "Plain" or "match": readPlainValues gives
// up on any value that readValues might read differently, and parsedName.match on any name that
// parsedName.set might.

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

// prefix begins every result line.
const prefix = "Benchmark"

// A result is a result line as a Reader holds it.
type result struct {
	at         place
	stream     *stream
	iterations int
	iterText   string
	values     []value // beyond its length are values of an earlier line that had more
}

type value struct {
	number float64
	unit   *unit
	offset int64 // in the input: of the number, or of the event that has the line
}

// readResult reads a result line into r.result. It returns false if the line has only a name: "go
// test -v" prints the name of a benchmark when the benchmark begins.
func (r *Reader) readResult(s *stream, line []byte) (*format.Error, bool) {
	if r.tooLong(line) {
		return r.failTooLong(), true
	}
	if s != r.names.current {
		r.enter(s)
	}

	i, err := r.readName(s, line)
	if err != nil {
		return err, true
	}
	if i == len(line) {
		return nil, false
	}
	if i, err = r.readIterations(line, skipBlanks(line, i)); err != nil {
		return err, true
	}
	if err := r.readValues(line, i); err != nil {
		return err, true
	}

	r.result.at, r.result.stream = r.at, s
	return nil, true
}

// readName reads the name at the beginning of line into s.name and returns its end.
func (r *Reader) readName(s *stream, line []byte) (end int, err *format.Error) {
	name, text := s.name, line[len(prefix):]
	if n := len(name.text); name.valid() && n < len(text) && isBlank(text[n]) && string(text[:n]) == name.text {
		return len(prefix) + n, nil
	}

	place, parts, after := &name.other, &r.names.parts, (*nameText)(r.piece(line[:cap(line)])[len(prefix):])
	f, free, ok := name.read(parts, after, after.common(name.text))
	if ok && parts.end < len(text) && len(s.config.sorted) <= fewParams {
		if f != nil {
			name.take(f, parts, r.strings.New(text[:parts.end]), s.config.sorted)
			return len(prefix) + parts.end, nil
		}
		place = free
	}

	parts.count = 0
	end = fieldEnd(line, len(prefix))
	switch {
	case end == len(line):
	case !utf8.Valid(line[:end]):
		return 0, r.failUTF8(line[:end])
	case !name.set(place, r.strings.New(line[len(prefix):end]), s.config.sorted, r.limits.MaxParams):
		return 0, r.failLimit("MaxParams", r.limits.MaxParams, "parts of one name")
	}
	return end, nil
}

// readIterations reads the number of iterations at byte start and returns its end.
func (r *Reader) readIterations(line []byte, start int) (end int, err *format.Error) {
	i := fieldEnd(line, start)
	if i == start {
		return 0, r.fail(i, "missing iteration count after "+quote(line[:i]))
	}
	n, fault := strconv.Atoi(string(line[start:i]))
	if fault != nil {
		return 0, r.failNumber(line, start, i, "iteration count", "whole number", fault)
	}

	if res := &r.result; n != res.iterations || res.iterText == "" {
		res.iterations = n
		if line[start]-'1' > 8 {
			res.iterText = strconv.Itoa(n)
		} else {
			res.iterText = r.strings.New(line[start:i])
		}
	}
	return i, nil
}

// readValues reads the values and units from byte i on.
func (r *Reader) readValues(line []byte, i int) *format.Error {
	res := &r.result
	k := 0
	for i = skipBlanks(line, i); i < len(line); i = skipBlanks(line, i) {
		start := i
		f, n := number.Parse(line[i:])
		i += n
		if n == 0 || i < len(line) && !isBlank(line[i]) || f-f != 0 {
			i = fieldEnd(line, start)
			var err error
			if f, err = number.ParseFloat(string(line[start:i]), 64); err != nil {
				return r.failNumber(line, start, i, "value", "number", err)
			}
		}

		if k == cap(res.values) {
			res.values = append(res.values[:k], value{})
		}
		v := &res.values[:k+1][k]
		v.number, v.offset = f, r.at.offset
		if !r.at.event {
			v.offset += int64(start)
		}
		k++

		// The unit is probably that of the same column in the line before.
		from := start
		i = skipBlanks(line, i)
		start = i
		if u := v.unit; u != nil {
			i += len(u.text)
			if (i == len(line) || i < len(line) && isBlank(line[i])) && string(line[start:i]) == u.text {
				continue
			}
		}
		i = fieldEnd(line, start)
		if i == start {
			return r.fail(i, "missing unit after value "+quote(line[from:i]))
		}

		var err *format.Error
		if v.unit, err = r.unitOf(line[:i], start); err != nil {
			return err
		}
	}

	if k == 0 {
		return r.fail(i, "missing value and unit after "+quote(line[:i]))
	}
	res.values = res.values[:k]
	return nil
}

// failNumber returns an error about a number from byte start to byte end, which strconv refuses.
func (r *Reader) failNumber(line []byte, start, end int, what, want string, err error) *format.Error {
	if errors.Is(err, strconv.ErrRange) {
		return r.fail(start, fmt.Sprintf("%s %s is out of range", what, quote(line[start:end])))
	}
	return r.fail(start, fmt.Sprintf("%s %s is not a %s", what, quote(line[start:end]), want))
}

// quote quotes a part of a line without the blanks around it, or the beginning of a long part.
func quote(b []byte) string {
	b = bytes.TrimSpace(b)
	return message.Quote(string(b[:min(len(b), maxShown+utf8.UTFMax)]))
}

// yieldRecords yields the records of r.result. It returns false if yield does.
func (r *Reader) yieldRecords(yield func(*format.Record, error) bool) bool {
	res, out, rec := &r.result, &r.out, &r.out.record
	name := res.stream.name.form
	unit := &name.params[name.unitAt].Value
	out.attrs[0] = traceid.Param{Key: attrIterations, Value: res.iterText}
	rec.Params, rec.Attrs, out.form = name.params, out.attrs[:], name

	values := res.values
	for i := range values {
		v := &values[i]
		out.unit = v.unit
		rec.Value, rec.Offset = v.number*v.unit.factor, v.offset
		if !v.unit.usual {
			out.setUnusual(name, v.unit)
			if !yield(rec, nil) {
				return false
			}
			rec.Params, rec.Attrs, out.form = name.params, out.attrs[:], name
			continue
		}

		*unit = v.unit.param
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// setUnusual sets the record's params and attrs for a unit with metadata.
func (out *output) setUnusual(name *form, u *unit) {
	name.params[name.unitAt].Value = u.param
	if len(u.attrs) > 0 {
		out.merged = traceid.AppendMerge(out.merged[:0], u.attrs, out.attrs[:])
		out.record.Attrs = out.merged
	}
	if u.key == paramUnit {
		return
	}

	// The unit is in another param, or in none.
	params := append(out.otherParam[:0], name.params[:name.unitAt]...)
	params = append(params, name.params[name.unitAt+1:]...)
	if u.key != "" {
		i, found := params.Find(u.key)
		if !found {
			params = append(params, traceid.Param{})
			copy(params[i+1:], params[i:])
			params[i].Key = u.key
		}
		params[i].Value = u.param
	}
	out.otherParam, out.record.Params, out.form = params, params, nil
}

// exportedResult returns r.result as a Result.
func (r *Reader) exportedResult() *Result {
	from, res := &r.result, &r.out.result
	res.Name, res.Iterations = from.stream.name.text, from.iterations
	res.Position = format.Position{Offset: from.at.offset, Line: from.at.line, Column: 1}
	res.Config = from.stream.config.ordered
	if res.Config == nil {
		res.Config = []traceid.Param{}
	}
	res.Values = res.Values[:0]
	for _, v := range from.values {
		res.Values = append(res.Values, Value{v.number * v.unit.factor, v.unit.param})
	}
	return res
}
