package perun

import (
	"fmt"
	"math"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A column is one of the parallel arrays of a resource type, of which some values are in memory.
type column struct {
	key  string
	slot int // in the shape's attrs; negative: it isn't there

	cursor *jsonscan.Scanner // reads on, if more is false; made when it is first wanted
	more   bool              // there may be values behind those in memory

	n        int                 // values in memory
	total    int                 // values read
	numbers  []float64           // of the amounts of records; NaN: it is a fault
	offsets  []int64             // of those, in the input
	texts    texts               // of the other values of records
	ends     []uint32            // of those
	bytes    []byte              // scratch
	values   []Value             // of resources
	places   []jsonscan.Position // of those
	problems []problem           // of numbers, in order
}

// texts are the texts of a column's values, which mostly share a string.
type texts struct {
	shared string
	ends   []uint32 // of those in shared, one right after the other, after a 0

	first, step, length int // of those in shared instead, if step isn't 0, so many bytes apart

	own []string // instead, where a string would be too long to be kept for one of them
}

func (t *texts) at(i int) string {
	switch {
	case t.step > 0:
		i = t.first + i*t.step
		return t.shared[i : i+t.length]
	case t.own != nil:
		return t.own[i]
	}
	return t.shared[t.ends[i]:t.ends[i+1]]
}

// A problem is an amount that is no number.
type problem struct {
	index int
	at    jsonscan.Position
	given string // its kind; empty: a number out of range
}

// batch is how many values of each array are in memory. Those of one array share a string.
const batch = 128

// maxShared is how long a string is at most that values share.
const maxShared = 3 << 10

// maxKept is how many bytes the values of columns may take in the input for the columns' memory to be kept for the next
// resource type.
const maxKept = 256 << 10

// readColumns reads the object ahead: arrays, of each the first values. The fault is of one that is no array. It
// returns false after an error of the scanner's.
func (r *Reader) readColumns(out *output) (fault *format.Error, ok bool) {
	s := r.scan
	if r.large {
		r.columns, r.large = nil, false
	}
	var names jsonscan.Names
	used := int64(0)
	r.columns = r.columns[:0]
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		n := len(r.columns)
		repeated := n >= fewFields && !names.Add(s, name)
		for i := 0; i < n && n < fewFields; i++ {
			repeated = repeated || r.columns[i].key == string(name)
		}
		if n == fewFields-1 {
			for i := range r.columns {
				names.Add(s, []byte(r.columns[i].key))
			}
			names.Add(s, name)
		}
		if repeated {
			s.FailRepeated(name)
			break
		}
		if n >= r.Limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.Limits.MaxParams), "arrays of one resource type")
			break
		}
		if n < cap(r.columns) {
			r.columns = r.columns[:n+1]
		} else {
			r.columns = append(r.columns, column{})
		}
		c := &r.columns[n]
		c.key, c.total, c.n, c.more = r.text(name), 0, 0, false
		if kind != jsonscan.Array {
			if e := s.SkipTypeError("array"); fault == nil {
				fault = e
			}
			continue
		}
		s.EnterArray()
		used = r.fill(out, c, s, used)
		if c.more && s.Err() == nil {
			c.cursor = s.Cursor(c.cursor, s.LookAhead())
			s.SkimRest()
		}
	}
	r.large = used > maxKept
	return fault, s.Err() == nil
}

// fill reads up to a batch of values from s, which is in the column's array. It returns how much of the limit of bytes is
// used, of which so much was used before.
func (r *Reader) fill(out *output, c *column, s *jsonscan.Scanner, used int64) int64 {
	const max = batch
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, used)
	c.n, c.more = 0, true
	c.numbers, c.offsets, c.values, c.places, c.problems = c.numbers[:0], c.offsets[:0], c.values[:0], c.places[:0], c.problems[:0]
	c.bytes, c.ends = c.bytes[:0], append(c.ends[:0], 0)
	switch {
	case out.record == nil:
		for c.n < max && c.next(s) {
			c.places = append(c.places, s.Position())
			c.values = append(c.values, readValue(s, r.str))
		}
	case c.key == "amount":
		for {
			c.numbers, c.offsets = s.Floats(c.numbers, c.offsets, max-c.n)
			if c.n = len(c.numbers); c.n == max || !c.next(s) {
				break
			}
			c.readAmount(s)
		}
	default:
		if even, ok := s.EvenNumbers(max); ok {
			c.texts = texts{shared: string(even.Text), first: even.First, step: even.Step, length: even.Length}
			if c.n = even.Count; c.n < max {
				c.next(s) // the end
			}
			break
		}
		for {
			c.bytes, c.ends = s.NumberTexts(c.bytes, c.ends, max-c.n)
			if c.n = len(c.ends) - 1; c.n == max || !c.next(s) {
				break
			}
			c.bytes = r.appendText(c.bytes, s)
			c.ends = append(c.ends, uint32(len(c.bytes)))
		}
		r.makeTexts(c)
		if cap(c.bytes) > maxKept/4 {
			c.bytes = nil
		}
	}
	c.total += c.n
	return s.EndRegion()
}

// next reports whether there is another value, and counts it.
func (c *column) next(s *jsonscan.Scanner) bool {
	if !s.Element() {
		c.more = false
		return false
	}
	c.n++
	return true
}

func (c *column) readAmount(s *jsonscan.Scanner) {
	f := math.NaN()
	offset := s.Offset()
	switch kind := s.Kind(); kind {
	case jsonscan.Number:
		f, _ = s.Number()
		if s.Err() == nil && !isFinite(f) {
			c.problems = append(c.problems, problem{index: c.n - 1, at: s.TokenPosition()})
			f = math.NaN()
		}
	default:
		c.problems = append(c.problems, problem{c.n - 1, s.Position(), kind.String()})
		s.Skip()
	}
	c.numbers = append(c.numbers, f)
	c.offsets = append(c.offsets, offset)
}

// appendText reads a value and appends the text that it has in a flattened resource.
func (r *Reader) appendText(dst []byte, s *jsonscan.Scanner) []byte {
	switch s.Kind() {
	case jsonscan.Number:
		if _, ok := s.Number(); ok {
			text := s.Token()
			if integer, plain := looksPython(text); integer && plain {
				return append(dst, text...)
			}
			return append(dst, pythonNumber(string(text))...)
		}
		return dst
	case jsonscan.String:
		text, _ := s.Text()
		return append(dst, text...)
	}
	return append(dst, r.flatText(s, readValue(s, r.str))...)
}

// makeTexts makes strings of what was read.
func (r *Reader) makeTexts(c *column) {
	if len(c.bytes) <= maxShared {
		c.texts = texts{shared: string(c.bytes), ends: c.ends}
		return
	}
	own := make([]string, 0, c.n)
	for i := range c.n {
		own = append(own, r.text(c.bytes[c.ends[i]:c.ends[i+1]]))
	}
	c.texts = texts{own: own}
}

// An attr is an attr of records that a column has the values of.
type attr struct {
	value *string
	texts texts
}

// amount returns the column of that name.
func (r *Reader) amount() *column {
	for i := range r.columns {
		if r.columns[i].key == "amount" {
			return &r.columns[i]
		}
	}
	return nil
}

// yieldRows yields the resources of the columns' values, as far as all have some.
func (r *Reader) yieldRows(out *output, sh *shape) bool {
	for {
		n := math.MaxInt
		more := true
		for i := range r.columns {
			n = min(n, r.columns[i].n)
			more = more && r.columns[i].more
		}
		var ok bool
		if out.record != nil {
			ok = r.yieldRecords(out, sh, n)
		} else {
			ok = r.yieldResources(out, sh, n)
		}
		if !ok || !more {
			return ok
		}
		used := int64(0)
		for i := range r.columns {
			c := &r.columns[i]
			used = r.fill(out, c, c.cursor, used)
			c.cursor.Shrink()
			if e, failed := c.cursor.Err().(*format.Error); failed {
				r.scan.Fail(e)
				return true
			}
		}
		r.large = r.large || used > maxKept
	}
}

// yieldRecords yields the next n records.
func (r *Reader) yieldRecords(out *output, sh *shape, n int) bool {
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value = sh.params, sh.attrs, sh.amount
	var amount *column
	attrs := r.attrs[:0]
	for i := range r.columns {
		c := &r.columns[i]
		c.slot = sh.slots[i]
		if c.key == "amount" && !sh.hasAmount {
			amount = c
		}
		if c.slot >= 0 {
			attrs = append(attrs, attr{&sh.attrs[c.slot].Value, c.texts})
		}
	}
	r.attrs = attrs
	var problems []problem
	offsets := []int64(nil)
	if amount != nil {
		problems = amount.problems
	}
	if a := r.amount(); a != nil {
		offsets = a.offsets
	}
	if amount != nil && len(problems) == 0 && len(attrs) > 0 {
		if r.makeEven(attrs) {
			return yieldEven(out.record, rec, amount.numbers[:n], offsets[:n], r.even)
		}
		return yieldPlain(out.record, rec, amount.numbers[:n], offsets[:n], attrs)
	}
	for row := range n {
		if offsets != nil {
			rec.Offset = offsets[row]
		}
		if amount != nil {
			rec.Value = amount.numbers[row]
			if rec.Value != rec.Value {
				if !out.recoverable(r.problemError(&problems[0], amount.total-amount.n+row)) {
					return false
				}
				problems = problems[1:]
				continue
			}
		}
		for i := range attrs {
			*attrs[i].value = attrs[i].texts.at(row)
		}
		if !out.record(rec, nil) {
			return false
		}
	}
	return true
}

// An evenAttr is an attr whose texts stand in a string so many bytes apart.
type evenAttr struct {
	value            *string
	text             string
	at, step, length int
}

// makeEven makes r.even of the attrs. It returns false if they aren't all even.
func (r *Reader) makeEven(attrs []attr) bool {
	r.even = r.even[:0]
	for i := range attrs {
		t := &attrs[i].texts
		if t.step == 0 {
			return false
		}
		r.even = append(r.even, evenAttr{attrs[i].value, t.shared, t.first, t.step, t.length})
	}
	return true
}

// yieldEven is yieldPlain for attrs that all are even, in four fifths of the instructions. It is the loop that most records
// go through.
func yieldEven(yield func(*format.Record, error) bool, rec *format.Record, values []float64, offsets []int64, attrs []evenAttr) bool {
	for row, value := range values {
		rec.Value, rec.Offset = value, offsets[row]
		for i := range attrs {
			a := &attrs[i]
			*a.value = a.text[a.at : a.at+a.length]
			a.at += a.step
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// yieldPlain yields records that have nothing unusual.
func yieldPlain(yield func(*format.Record, error) bool, rec *format.Record, values []float64, offsets []int64, attrs []attr) bool {
	for row, value := range values {
		rec.Value, rec.Offset = value, offsets[row]
		for i := range attrs {
			*attrs[i].value = attrs[i].texts.at(row)
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// problemError returns the error about an amount.
func (r *Reader) problemError(p *problem, row int) *format.Error {
	message := finiteMessage
	if p.given != "" {
		message = "Invalid type. Expected: number, given: " + p.given
	}
	return r.scan.ErrorAt(p.at, fmt.Sprintf("%s.amount.%d", typePath(r.typeName), row), message)
}

// yieldResources yields the next n resources.
func (r *Reader) yieldResources(out *output, sh *shape, n int) bool {
	res := &r.res
	own := 0
	res.Fields = res.Fields[:0]
	for i := range r.columns {
		c := &r.columns[i]
		c.slot = -1
		if _, overridden := sh.fields.Get(c.key); !overridden {
			c.slot = own
			own++
			res.Fields = append(res.Fields, Field{Key: c.key})
		}
	}
	res.Fields = append(res.Fields, sh.fields...)
	for row := range n {
		for i := range r.columns {
			if c := &r.columns[i]; c.slot >= 0 {
				res.Fields[c.slot].Value = c.values[row]
			}
		}
		res.Snapshot = snapshotOf(res.Fields)
		res.stand(r.columns[0].places[row])
		if !out.resource(res, nil) {
			return false
		}
	}
	return true
}

// evenColumns reports whether all arrays were read to their ends and are of one length.
func (r *Reader) evenColumns() bool {
	for i := range r.columns {
		if c := &r.columns[i]; c.more || c.total != r.columns[0].total {
			return false
		}
	}
	return true
}

// countRest reads all arrays to their ends, without using what they have. It returns false after an error.
func (r *Reader) countRest() bool {
	for i := range r.columns {
		c := &r.columns[i]
		if !c.more {
			continue
		}
		for c.cursor.Element() {
			c.total++
			c.cursor.Skip()
		}
		c.more = false
		if e, failed := c.cursor.Err().(*format.Error); failed {
			r.scan.Fail(e)
			return false
		}
	}
	return true
}
