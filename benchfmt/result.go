package benchfmt

import (
	"strconv"

	"perfdata/format"
	"perfdata/internal/number"
	"perfdata/traceid"
)

// This is the hot loop: reading a result line, and yielding its records. A line mostly has the name of the line before, or
// one that differs in some values, and the same units in the same places. So the text is compared with that of the
// line before first, and only what differs is looked at. Against x/perf's Reader that made up for all that
// records need besides.

// A Result is one result line.
type Result struct {
	Name       string // the full name, without "Benchmark" before it
	Iterations int
	Values     []Value // in the order of the line
	Config     []traceid.Param

	Offset int64 // where the line stands, in bytes from the input's beginning; writers ignore it
	Line   int   // the same, counted from 1
}

// A Value is a number with its unit.
type Value struct {
	Value float64
	Unit  string
}

// prefix is what a result line begins with.
const prefix = "Benchmark"

// A result is a result line as a Reader holds it.
type result struct {
	at         place
	stream     *stream
	iterations int
	iterText   string
	values     []value
}

type value struct {
	number float64
	unit   *unit
	at     int // in the line
}

// readResult reads a result line into r.result. It returns false if the line is one to pass over.
func (r *Reader) readResult(s *stream, line []byte) (*format.Error, bool) {
	if r.tooLong(line) {
		return r.fail(0, r.tooLongMessage()), true
	}
	res, l := &r.result, &s.layout
	start := len(prefix)
	i := start + len(l.name)
	if !l.valid || i >= len(line) || byteClass[line[i]] != isSpace || string(line[start:i]) != l.name {
		i = fieldEnd(line, start)
		if i == len(line) {
			return nil, false // go test -v prints the name when a benchmark begins
		}
		if err := r.setName(s, line[:i]); err != nil {
			return err, true
		}
	}
	i = skipSpace(line, i)

	start = i
	n := 0
	for i < len(line) && line[i]-'0' <= 9 && i < start+18 {
		n = n*10 + int(line[i]-'0')
		i++
	}
	if i == start || i < len(line) && byteClass[line[i]] != isSpace {
		i = fieldEnd(line, start)
		if i == start {
			return r.fail(i, "missing iteration count"), true
		}
		var err error
		if n, err = strconv.Atoi(string(line[start:i])); err != nil {
			return r.fail(start, "parsing iteration count: "+cause(err)), true
		}
	}
	if n != res.iterations || res.iterText == "" {
		res.iterations = n
		res.iterText = r.strings.String(strconv.AppendInt(r.scratch[:0], int64(n), 10))
	}
	before := res.values
	res.values = res.values[:0]
	for i = skipSpace(line, i); i < len(line); i = skipSpace(line, i) {
		v := value{at: i}
		var n int
		v.number, n = number.Parse(line[i:])
		i += n
		if n == 0 || i < len(line) && byteClass[line[i]] != isSpace || v.number-v.number != 0 {
			i = fieldEnd(line, v.at)
			var err error
			if v.number, err = strconv.ParseFloat(string(line[v.at:i]), 64); err != nil {
				return r.fail(v.at, "parsing measurement: "+cause(err)), true
			}
		}
		i = skipSpace(line, i)
		start = i
		if k := len(res.values); k < len(before) {
			v.unit = before[k].unit
			i += len(v.unit.text)
		}
		if v.unit == nil || i > len(line) || i < len(line) && byteClass[line[i]] != isSpace || string(line[start:i]) != v.unit.text {
			i = fieldEnd(line, start)
			if i == start {
				return r.fail(i, "missing units"), true
			}
			var err *format.Error
			if v.unit, err = r.unitOf(line[:i], start); err != nil {
				return err, true
			}
		}
		res.values = append(res.values, v)
	}
	if len(res.values) == 0 {
		return r.fail(i, "missing measurements"), true
	}
	res.at, res.stream = r.at, s
	return nil, true
}

// cause returns what is wrong with a number, without the number: the error has its column.
func cause(err error) string {
	if e, ok := err.(*strconv.NumError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// yieldRecords yields the records of r.result. It returns false if the iteration is to stop.
func (r *Reader) yieldRecords(yield func(*format.Record, error) bool) bool {
	res, rec := &r.result, &r.record
	l := &res.stream.layout
	for i := range res.values {
		v := &res.values[i]
		u := v.unit
		if u.key == paramUnit {
			l.params[l.unitAt].Value = u.param
			rec.Params = l.params
		} else {
			rec.Params = r.otherParams(l, u)
		}
		u.attrs[u.iterations].Value = res.iterText
		rec.Attrs = u.attrs
		rec.Value = v.number * u.factor
		rec.Offset = res.at.offset
		if res.at.pkg == "" {
			rec.Offset += int64(v.at)
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// otherParams returns the params of a record whose unit isn't in the param unit.
func (r *Reader) otherParams(l *layout, u *unit) traceid.Params {
	r.other = append(r.other[:0], l.params[:l.unitAt]...)
	r.other = append(r.other, l.params[l.unitAt+1:]...)
	if u.key == "" {
		return r.other
	}
	i, found := r.other.Find(u.key)
	if !found {
		r.other = append(r.other, traceid.Param{})
		copy(r.other[i+1:], r.other[i:])
		r.other[i].Key = u.key
	}
	r.other[i].Value = u.param
	return r.other
}

// publicResult returns r.result as users see it.
func (r *Reader) publicResult() *Result {
	from, res := &r.result, &r.public
	res.Name, res.Iterations = from.stream.layout.name, from.iterations
	res.Offset, res.Line = from.at.offset, from.at.line
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
