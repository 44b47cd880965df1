package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

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

	format.Position // of the line
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

// prefix is what a result line begins with.
const prefix = "Benchmark"

// A result is a result line as a Reader holds it.
type result struct {
	at         place
	stream     *stream
	iterations int
	iterText   string
	values     []value // and behind them those of a line before that had more
}

type value struct {
	number float64
	unit   *unit
	at     int // in the line
}

// readResult reads a result line into r.result. It returns false if the line is one to pass over.
func (r *Reader) readResult(s *stream, line []byte) (*format.Error, bool) {
	if r.tooLong(line) {
		return r.failLong(), true
	}
	if s != r.current {
		r.enter(s)
	}
	res, l := &r.result, s.layout
	start := len(prefix)
	i := -1
	if l.valid {
		i = l.match(line[start:], &r.strings)
	}
	if i >= 0 {
		i += start
	} else if i = fieldEnd(line, start); i == len(line) {
		return nil, false // go test -v prints the name when a benchmark begins
	} else if !utf8.Valid(line[:i]) {
		return r.failUTF8(line[:i]), true
	} else if max := r.limits.MaxParams; !l.set(r.strings.New(line[start:i]), s.config.sorted, max) {
		return r.failLimit("MaxParams", max, "parts of one name"), true
	}

	i = skipBlanks(line, i)
	start = i
	n := 0
	for i < len(line) && line[i]-'0' <= 9 && i < start+18 {
		n = n*10 + int(line[i]-'0')
		i++
	}
	if i == start || i < len(line) && !isBlank(line[i]) {
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
		if line[start]-'1' > 8 {
			res.iterText = strconv.Itoa(n)
		} else {
			res.iterText = r.strings.New(line[start:i])
		}
	}

	k, i := r.readPlainValues(line, i)
	for i = skipBlanks(line, i); i < len(line); i = skipBlanks(line, i) {
		start = i
		f, n := number.Parse(line[i:])
		i += n
		if n == 0 || i < len(line) && !isBlank(line[i]) || f-f != 0 {
			i = fieldEnd(line, start)
			var err error
			if f, err = strconv.ParseFloat(string(line[start:i]), 64); err != nil {
				return r.fail(start, "parsing measurement: "+cause(err)), true
			}
		}
		if k == cap(res.values) {
			res.values = append(res.values[:k], value{})
		}
		v := &res.values[:k+1][k]
		v.number, v.at = f, start
		k++

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
			return r.fail(i, "missing units"), true
		}
		var err *format.Error
		if v.unit, err = r.unitOf(line[:i], start); err != nil {
			return err, true
		}
	}
	if k == 0 {
		return r.fail(i, "missing measurements"), true
	}
	res.values = res.values[:k]
	res.at, res.stream = r.at, s
	return nil, true
}

// readPlainValues reads values as the testing package writes them, with the units of the line before, beginning at the
// white space at i. It returns how many there are, and the end of the last: what follows, if anything does, has to be
// looked at more closely.
func (r *Reader) readPlainValues(line []byte, i int) (k, end int) {
	values := r.result.values[:cap(r.result.values)]
	for k < len(values) && i < len(line) {
		v := &values[k]
		u := v.unit
		if u == nil {
			break
		}
		j := i + 1
		for j+8 <= len(line) {
			x := binary.LittleEndian.Uint64(line[j:]) ^ spaces
			j += bits.TrailingZeros64(x) / 8
			if x != 0 {
				break
			}
		}
		start := j
		digits := uint64(0)
		for _, c := range line[j:] {
			if c-'0' > 9 {
				break
			}
			digits = digits*10 + uint64(c-'0')
			j++
		}
		n := j - start
		f := float64(digits)
		if j < len(line) && line[j] == '.' {
			j++
			point := j
			for _, c := range line[j:] {
				if c-'0' > 9 {
					break
				}
				digits = digits*10 + uint64(c-'0')
				j++
			}
			n += j - point
			if n > maxPlainDigits {
				break
			}
			f = float64(digits) / number.Pow10(j-point)
		}
		if n == 0 || n > maxPlainDigits || j >= len(line) || line[j] != ' ' {
			break
		}
		j++
		end := j + len(u.text)
		if end > len(line) || end < len(line) && !isBlank(line[end]) {
			break
		}
		if u.mask != 0 && j+8 <= len(line) {
			if (binary.LittleEndian.Uint64(line[j:])^u.word)&u.mask != 0 {
				break
			}
		} else if string(line[j:end]) != u.text {
			break
		}
		v.number, v.at = f, start
		i = end
		k++
	}
	return k, i
}

// maxPlainDigits is how many digits an integer has at most that float64 surely holds.
const maxPlainDigits = 15

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
	l := res.stream.layout
	unit := &l.params[l.unitAt].Value
	r.attrs[0] = traceid.Param{Key: attrIterations, Value: res.iterText}
	rec.Params, rec.Attrs = l.params, r.attrs[:]
	for i := range res.values {
		v := &res.values[i]
		if u := v.unit; u.usual {
			*unit = u.param
		} else {
			r.setOther(l, u)
		}
		rec.Value = v.number * v.unit.factor
		rec.Offset = res.at.offset
		if !res.at.event {
			rec.Offset += int64(v.at)
		}
		if !yield(rec, nil) {
			return false
		}
		if !v.unit.usual {
			rec.Params, rec.Attrs = l.params, r.attrs[:]
		}
	}
	return true
}

// setOther gives the record what values of a unit have that is not as usual.
func (r *Reader) setOther(l *layout, u *unit) {
	l.params[l.unitAt].Value = u.param
	if len(u.attrs) > 0 {
		r.merged = traceid.AppendMerge(r.merged[:0], u.attrs, r.attrs[:])
		r.record.Attrs = r.merged
	}
	if u.key != paramUnit {
		r.record.Params = r.otherParams(l, u)
	}
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
	res.Name, res.Iterations = from.stream.layout.nameString(&r.strings), from.iterations
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
