package columns

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/number"
	"perfdata/traceid"
)

// A measurement is what becomes of a row: a record for each of its values.
type measurement struct {
	record format.Record
	values []value
	metric int // index of the param that names the column of the value, or -1

	maps                    [3]pairs       // params, attrs and links
	otherParams, otherAttrs traceid.Params // from columns of their own
	params, attrs           traceid.Params // memory
	ids                     delta.Layout
	id                      []byte // memory
	place                   delta.Place
}

type value struct {
	number float64
	cell   int
}

// pairs are the pairs of a map, and its text: most rows repeat the text of the previous row.
type pairs struct {
	text  []byte
	pairs traceid.Params
	isSet bool // the row has the map
}

// A role is what a column is for.
type role int

const (
	asParam role = iota
	asAttr
	asValue
	asCommit
	asUnit
	asBetter
	asTime
	asNothing
	asTrace
	asN
	asParams
	asAttrs
	asLinks
	asCommitTime
)

var betters = map[string]format.Direction{"lower": format.Lower, "higher": format.Higher}

// tableRoles are the roles of the other columns of rows with params.
var tableRoles = map[string]role{
	"id": asNothing, "position": asNothing, "file": asNothing, "offset": asNothing, "trace": asTrace, "n": asN,
	"params": asParams, "attrs": asAttrs, "links": asLinks, "commit_time": asCommitTime,
}

// setRoles sets the roles that columns have in all rows.
func (r *Reader) setRoles() {
	r.roles = make(map[string]role)
	set := func(role role, usual string, names ...string) {
		if len(names) == 0 || names[0] == "" {
			names = []string{usual}
		}
		for _, name := range names {
			r.roles[name] = role
		}
	}
	set(asTime, "", r.Time)
	if delete(r.roles, ""); r.form != JSON {
		r.roles[""] = asNothing
	}
	set(asBetter, "better", r.Better)
	set(asUnit, "unit", r.Unit)
	set(asCommit, "commit", r.Commit)
	for _, name := range r.Attrs {
		r.roles[name] = asAttr
	}
	set(asValue, "value", r.Values...)
}

// build makes the record of the row. It returns false after a fault that is not about one of several
// values.
func (r *Reader) build() bool {
	if r.form == JSON {
		r.isTable = slices.ContainsFunc(r.cells, func(c cell) bool { return c.name == "params" && c.kind == jsonscan.Object })
	}
	m := &r.measurement
	m.record, m.place, m.values = format.Record{}, delta.Place{LeftOut: m.place.LeftOut[:0]}, m.values[:0]
	m.otherParams, m.otherAttrs = m.otherParams[:0], m.otherAttrs[:0]
	for i := range m.maps {
		m.maps[i].isSet = false
	}

	var trace []byte
	sound := true
	for i := range r.cells {
		if c := &r.cells[i]; c.kind != jsonscan.None {
			before := len(r.faults)
			role, ok := r.roles[c.name]
			if !ok && r.isTable {
				role = tableRoles[c.name]
			}
			if role == asTrace {
				trace = c.text
			}
			r.take(i, role)
			sound = sound && (len(r.faults) == before || role == asValue)
		}
	}

	for i := range m.maps {
		if p := &m.maps[i]; !p.isSet {
			p.text, p.pairs = p.text[:0], p.pairs[:0]
		}
	}
	if len(m.values) == 0 && len(r.faults) == 0 {
		r.fault(0, "", "the row has no value").Err = format.ErrSchema
	}
	return sound && len(m.values) > 0 && r.finish(trace)
}

// take takes what the i-th cell says.
func (r *Reader) take(i int, role role) {
	c, m := &r.cells[i], &r.measurement
	switch role {
	case asParams, asAttrs, asLinks:
		r.takeMap(c, &m.maps[role-asParams])
		return
	case asNothing:
		return
	}

	if c.kind == jsonscan.Object || c.kind == jsonscan.Array {
		want := "string"
		if role == asValue {
			want = "number"
		}
		r.cellFault(c, "Invalid type. Expected: "+want+", given: "+c.kind.String())
		return
	}

	switch role {
	case asParam:
		key := c.name
		switch {
		case r.isTable:
			key = strings.TrimPrefix(key, "param:")
		case key == "unit": // the unit is in another column, and becomes the param
			for key = "column_unit"; slices.ContainsFunc(r.cells, func(o cell) bool { return o.name == key }); {
				key += "_"
			}
		}
		m.otherParams = append(m.otherParams, traceid.Param{Key: key, Value: r.strings.String(c.text)})
	case asAttr:
		m.otherAttrs = append(m.otherAttrs, traceid.Param{Key: c.name, Value: r.strings.String(c.text)})
	case asValue:
		if f, ok := parseNumber(c.text); ok {
			m.values = append(m.values, value{f, i})
		} else {
			r.cellFault(c, message.Quote(string(c.text))+" is not a number")
		}
	case asCommit:
		m.record.Commit = r.strings.String(c.text)
	case asUnit:
		m.record.Unit = r.strings.String(c.text)
		if !r.isTable {
			m.otherParams = append(m.otherParams, traceid.Param{Key: "unit", Value: m.record.Unit})
		}
	case asBetter:
		var ok bool
		if m.record.Better, ok = betters[string(c.text)]; !ok {
			r.cellFault(c, message.Quote(string(c.text))+": want lower or higher")
		}
	case asTime, asCommitTime:
		r.takeTime(c, role)
	case asN:
		n, err := strconv.Atoi(string(c.text))
		if err != nil || n < 1 {
			r.cellFault(c, message.Quote(string(c.text))+": want the number of a repetition, from 1")
		}
		m.record.Repetition, m.place.N = n, n
	}
}

// takeTime takes the time of the commit. The time in a table need not be one of its attrs.
func (r *Reader) takeTime(c *cell, role role) {
	t, ok := parseTime(string(c.text))
	switch {
	case !ok:
		r.cellFault(c, message.Quote(string(c.text))+": want a time, such as 2026-07-31T18:00:00Z, or seconds since 1970")
	case role == asCommitTime:
		r.place.Time = t
	default:
		text := string(t.AppendFormat(nil, time.RFC3339))
		r.otherAttrs = append(r.otherAttrs, traceid.Param{Key: "commit-time", Value: text})
	}
}

// parseTime parses a time as people and programs write it. One without a zone is in UTC.
func parseTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 40); err == nil {
		return time.Unix(n, 0).UTC(), true
	}
	date := min(len(text), len("2026-07-31"))
	text = strings.NewReplacer(".", "-", "/", "-").Replace(text[:date]) + text[date:]
	for _, layout := range [...]string{
		time.RFC3339, "2006-1-2T15:04:05", "2006-1-2T15:04:05Z0700", "2006-1-2 15:04:05", "2006-1-2 15:04:05Z07:00",
		"2006-1-2 15:04:05 Z0700", "2006-1-2 15:04:05 Z07:00", "2006-1-2 15:04", "2006-1-2",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// parseNumber parses a number as programs write it in decimal, or NaN or an infinity.
func parseNumber(b []byte) (float64, bool) {
	b = bytes.TrimSpace(b)
	if len(b) > 0 {
		if f, n := number.Parse(b); n == len(b) {
			return f, !math.IsInf(f, 0)
		}
	}
	if bytes.ContainsAny(b, "xXpP_") {
		return 0, false
	}
	f, err := number.ParseFloat(string(b), 64)
	return f, err == nil
}

// takeMap takes the pairs of an object. Numbers and booleans are taken as they are spelled.
func (r *Reader) takeMap(c *cell, p *pairs) {
	p.isSet = true
	if bytes.Equal(p.text, c.text) && len(c.text) > 0 {
		return
	}
	at := -c.at // the text is not in the row as it is
	if r.form == JSON {
		at = c.at
	}
	p.text, p.pairs = append(p.text[:0], c.text...), p.pairs[:0]
	s := r.scanner(&r.inner, c.text, r.limit)
	before := len(r.faults)

	for name, kind := range s.Members() {
		pair := traceid.Param{Key: r.strings.String(name)}
		switch kind {
		case jsonscan.String:
			text, _ := s.Text()
			pair.Value = r.strings.String(text)
		case jsonscan.Number, jsonscan.Bool:
			start := int(s.Offset())
			s.Skip()
			pair.Value = string(bytes.TrimSpace(c.text[start:s.Offset()]))
		default:
			s.Fail(s.TypeError("string"))
		}

		if p.pairs = append(p.pairs, pair); len(p.pairs) > r.limit.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.limit.MaxParams), "params, attrs or links of one measurement")
		}
	}
	s.End()
	if r.scanFault(s, at, c.name); len(r.faults) > before {
		p.text = p.text[:0]
	}
	slices.SortFunc(p.pairs, byKey)
}

func byKey(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) }

// finish completes the record, with the params that the trace ID lacks as not part of the identity. It
// returns false after a fault.
func (r *Reader) finish(trace []byte) bool {
	m := &r.measurement
	key := "metric" // or column, or column_, if the row has such a param
	hasKey := func(p traceid.Param) bool { return p.Key == key }
	if m.metric = -1; len(r.Values) > 0 {
		for slices.ContainsFunc(m.otherParams, hasKey) || slices.ContainsFunc(m.maps[0].pairs, hasKey) {
			key = strings.Replace(key+"_", "metric_", "column", 1)
		}
		m.otherParams = append(m.otherParams, traceid.Param{Key: key})
	}

	m.record.Params = merged(&m.params, m.otherParams, m.maps[0].pairs)
	m.record.Attrs = merged(&m.attrs, m.otherAttrs, m.maps[1].pairs)
	m.record.Links = m.maps[2].pairs
	if n := max(len(m.record.Params), len(m.record.Attrs)); n > r.limit.MaxParams {
		err := r.limitError(0, "MaxParams", int64(r.limit.MaxParams), "params or attrs of one measurement")
		r.faults = append(r.faults, err)
		return false
	}

	if len(r.Values) > 0 {
		m.metric = slices.IndexFunc(m.record.Params, hasKey)
	}
	m.record.Source = m.ids.Source(m.record.Params)
	if r.isTable {
		m.place.IsKnown = trace != nil
		if trace != nil && !m.leaveOut(trace) {
			msg := fmt.Sprintf("%s has params that the row lacks", message.Quote(string(trace)))
			r.fault(0, "trace", msg).Err = format.ErrSchema
			return false
		}
		m.record.Source = m.record.Source.WithPlace(&m.place)
	}
	return true
}

// merged returns the pairs and the pairs of others that they lack, in the memory if neither is
// empty.
func merged(memory *traceid.Params, others, pairs traceid.Params) traceid.Params {
	if len(others) == 0 {
		return pairs
	}
	slices.SortStableFunc(others, byKey)
	others = slices.CompactFunc(others, func(a, b traceid.Param) bool { return a.Key == b.Key })
	*memory = traceid.AppendMerge((*memory)[:0], others, pairs)
	return *memory
}

// leaveOut sets the params that are not part of a trace ID. It returns false if that has others.
func (m *measurement) leaveOut(trace []byte) bool {
	if m.id = m.record.AppendTraceID(m.id[:0]); bytes.Equal(trace, m.id) {
		return true
	}
	keys, others := map[string]int{}, 0 // several keys may become equal in an ID
	for pair := range bytes.SplitSeq(bytes.Trim(trace, ","), []byte(",")) {
		key, _, _ := bytes.Cut(pair, []byte("="))
		keys[traceid.CanonicalString(string(key))]++
		others++
	}
	for _, p := range m.record.Params {
		key := traceid.CanonicalString(p.Key)
		if keys[key]--; keys[key] < 0 {
			m.place.LeftOut = append(m.place.LeftOut, p.Key)
		} else {
			others--
		}
	}
	return others == 0
}
