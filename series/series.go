package series

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// values are the series of an answer, and their values.
type values struct {
	all     []*Series // in the order of their first points
	byTrace map[string]*Series
	last    *Series
	chunks  [][]value
	len     int
}

const (
	defaultMaxValues = 12_000_000
	valueChunk       = 4096
)

// A value is an element of the list of a series' values.
type value struct {
	value  float64
	column uint32
	next   uint32 // the index of the next value, plus 1
}

// A Series has the values that belong together, and the properties that they share. It belongs to
// an [Answer].
type Series struct {
	Trace    string         // the trace ID of Identity
	Identity traceid.Params // verbatim, of the first point

	Unit   string           // of the first point
	Better format.Direction // of the first point that says it, or else what Unit implies
	ByUnit bool             // Better is what Unit implies

	// Exact says that a value can be measured exactly: the attr assume, which unit metadata of Go
	// benchmarks sets, is "exact".
	Exact bool

	// Machine is an attr that names a machine, such as host, and Machines says that its value is
	// not the same for all points.
	Machine  traceid.Param
	Machines bool

	of          *Answer
	first, last uint32 // indices of values, plus 1
	len         int
}

// add adds the value of a point to its series, in a column.
func (a *Answer) add(at *Point, column int) {
	v := &a.values
	s := v.last
	if s == nil || s.Trace != string(at.Trace) {
		if s = v.byTrace[string(at.Trace)]; s == nil {
			s = &Series{Trace: string(at.Trace), Identity: slices.Clone(at.Identity), Unit: at.Record.Unit, of: a}
			s.Better, s.ByUnit = at.Better()
			v.byTrace[s.Trace] = s
			v.all = append(v.all, s)
		}
		v.last = s
	}
	s.learn(at)

	if v.len/valueChunk == len(v.chunks) {
		v.chunks = append(v.chunks, make([]value, 0, valueChunk))
	}
	chunk := &v.chunks[v.len/valueChunk]
	*chunk = append(*chunk, value{value: at.Record.Value, column: uint32(column)})
	v.len++
	if s.last == 0 {
		s.first = uint32(v.len)
	} else {
		v.at(s.last).next = uint32(v.len)
	}
	s.last = uint32(v.len)
	s.len++
}

// at returns a value by its index plus 1.
func (v *values) at(i uint32) *value { return &v.chunks[(i-1)/valueChunk][(i-1)%valueChunk] }

// learn notes what a point says about its series.
func (s *Series) learn(at *Point) {
	if better := at.Record.Better; better != format.Unknown && (s.Better == format.Unknown || s.ByUnit) {
		s.Better, s.ByUnit = better, false
	}
	for i := range at.Record.Attrs {
		attr := &at.Record.Attrs[i]
		switch attr.Key {
		case "assume":
			s.Exact = s.Exact || attr.Value == "exact"
		case "host", "hostname", "host_name", "machine", "machine_name", "node":
			switch {
			case s.Machine.Key == "":
				s.Machine = *attr
			case s.Machine.Key == attr.Key && s.Machine.Value != attr.Value:
				s.Machines = true
			}
		}
	}
}

// Series returns the series in the order of their first points. The slice belongs to the caller.
func (a *Answer) Series() []*Series { return slices.Clone(a.values.all) }

// Len returns the number of series.
func (a *Answer) Len() int { return len(a.values.all) }

// Of returns the answer that s belongs to.
func (s *Series) Of() *Answer { return s.of }

// Len returns the number of values.
func (s *Series) Len() int { return s.len }

// placed iterates over the columns and values of s, in the order in which they were added.
func (s *Series) placed() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i := s.first; i != 0; {
			v := s.of.values.at(i)
			if !yield(int(v.column), v.value) {
				return
			}
			i = v.next
		}
	}
}

// AppendSide appends the values of a side to dst, in the order in which they were added.
func (s *Series) AppendSide(dst []float64, side int) []float64 {
	for column, v := range s.placed() {
		if s.of.columns.all[column].side == side {
			dst = append(dst, v)
		}
	}
	return dst
}

// Has reports whether s has a value of a side.
func (s *Series) Has(side int) bool {
	for column := range s.placed() {
		if s.of.columns.all[column].side == side {
			return true
		}
	}
	return false
}

// Quantity returns what the values are of: the unit, or without one what tells quantities apart in
// such formats, such as the key of a keyval. It may be empty.
func (s *Series) Quantity() string {
	if s.Unit != "" {
		return s.Unit
	}
	for _, key := range [...]string{"key", "sub_result", "metric", "resource"} {
		if value, ok := s.Identity.Get(key); ok {
			return value
		}
	}
	return ""
}

// Selects reports whether a query selects a series with the params and the unit, which is a param
// for queries even where the format has it elsewhere. Both are compared as the charset writes
// them. The error is that of [traceid.Query.Match].
func Selects(charset *traceid.Charset, query *traceid.Query, params traceid.Params, unit string) (bool, error) {
	if _, ok := params.Get("unit"); !ok && unit != "" {
		params = traceid.Merge(params, traceid.Of("unit", unit))
	}
	return charset.Query(query).Match(charset.Canonical(params))
}

// ParseCharset returns the set of the characters that trace IDs keep, given a regular expression
// for the characters that they replace by _, such as
//
//	[^a-zA-Z0-9._/-]
//
// It is the invalid_param_char_regex in the configuration of an instance of Skia Perf. As there,
// the expression must match the separators "," and "=". An expression matches each character by
// itself: Skia replaces several at once, if an expression matches several. If the expression is
// empty, ParseCharset returns nil, the default.
func ParseCharset(expression string) (*traceid.Charset, error) {
	if expression == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("characters that trace IDs replace: %w", err)
	}
	for _, separator := range []string{",", "="} {
		if !re.MatchString(separator) {
			return nil, fmt.Errorf("characters that trace IDs replace: %q does not match %q: want such as [^a-zA-Z0-9._-]",
				expression, separator)
		}
	}

	return traceid.NewCharset(func(c rune) bool {
		var text [utf8.UTFMax]byte
		return !re.Match(utf8.AppendRune(text[:0], c))
	}), nil
}

// paramStat is the param that names the statistic of several values.
const paramStat = "stat"

// Judged returns the series that are judged, and one series of each benchmark that has none, both in the order of
// all.
//
// Series whose identities differ only in the param stat are statistics of one benchmark: a minimum
// and a standard deviation that change are not two findings. One of them is judged: the one without
// stat, else median, else mean, else the only one. If there are several and none of these, none is
// judged. A series for which complete returns false is judged only if it returns false for all
// statistics of the benchmark: a program that compares two sets prefers a statistic that is in
// both. If complete is nil, all are complete.
func Judged(all []*Series, complete func(*Series) bool) (judged, undecided []*Series) {
	hasStat := func(s *Series) bool { _, ok := s.Identity.Get(paramStat); return ok }
	if !slices.ContainsFunc(all, hasStat) {
		return all, nil
	}

	best := make(map[string]choice)
	keys := make([]string, len(all))
	for i, s := range all {
		rest := slices.DeleteFunc(slices.Clone(s.Identity), func(p traceid.Param) bool { return p.Key == paramStat })
		keys[i] = rest.ID()
		rank := 0 // the least is judged
		if stat, has := s.Identity.Get(paramStat); has {
			rank = 3 - map[string]int{"mean": 1, "median": 2}[stat]
		}
		if complete != nil && !complete(s) {
			rank += incomplete
		}
		switch old, ok := best[keys[i]]; {
		case !ok || rank < old.rank:
			best[keys[i]] = choice{rank, s}
		case rank == old.rank:
			best[keys[i]] = choice{rank, nil} // none is better than the other
		}
	}

	for i, s := range all {
		switch c := best[keys[i]]; {
		case c.series == s:
			judged = append(judged, s)
		case c.series == nil && c.rank != named:
			undecided = append(undecided, s)
			best[keys[i]] = choice{rank: named}
		}
	}
	return judged, undecided
}

// A choice is the best series of a benchmark, or nil if several are the best.
type choice struct {
	rank   int
	series *Series
}

// incomplete is more than the rank of any statistic, and named is the rank of a benchmark of which one of the
// undecided series was returned.
const (
	incomplete = 10
	named      = -1
)
