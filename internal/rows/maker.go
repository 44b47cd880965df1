package rows

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Maker makes the records of one result after another. For each, a format calls Param, Attr and Link
// for what all of its records have in common, and then Value, Number or Numbers for each measurement.
type Maker struct {
	// Summaries says that statistics are wanted, too, of results that have the single values.
	Summaries bool

	// KeepFailed says that the values of failed runs are wanted.
	KeepFailed bool

	// Group is the name of the result, or of the array that has it: see Shape.
	Group string

	// Scratch is memory that a format keeps from one result to the next, and from one file to the next.
	Scratch any

	header Header
	limits format.Limits
	earlier

	// The result, what gets its records, and how many records and errors there were, and before it.
	result  jsontree.Value
	yield   func(*format.Record, error) bool
	said    int
	before  int
	stopped bool
	skipped int // results of the file, or of the folder, that hold no measurements

	record               format.Record
	params, attrs, links keyed
	current              int        // number of the result that the next field is about
	of                   [8]*layout // of its params, by what of a Measure is there
	last                 *layout    // of the last record
}

// An earlier is what is remembered of earlier results of the file.
type earlier struct {
	seen      map[uint64]bool // see Saw
	seed      maphash.Seed
	kept      map[string]string // see Keep
	keptBytes int64
}

// A Measure is what tells the measurements of one result apart.
type Measure struct {
	Metric, Unit, Stat string
	Better             format.Direction
	Repetition         int
}

// MeasureOf returns what a unit of Chromium says, which may have a direction at its end.
func MeasureOf(unit string) Measure {
	for _, end := range []struct {
		text   string
		better format.Direction
	}{{"_smallerIsBetter", format.Lower}, {"-", format.Lower}, {"_biggerIsBetter", format.Higher}, {"+", format.Higher}} {
		if rest, ok := strings.CutSuffix(unit, end.text); ok {
			return Measure{Unit: rest, Better: end.better}
		}
	}
	return Measure{Unit: unit}
}

// A keyed has the pairs of a result in the order in which a format adds them. Results have one of a few
// sequences of keys, and for each there is a layout. Without them, reading Google Benchmark's files takes
// 1.9 times the CPU time.
type keyed struct {
	pairs   []traceid.Param
	row     int // number of the result
	layouts []*layout
	last    int // index of the layout that was found last
}

// A layout has sorted pairs, and knows where the pairs of a result are among them.
type layout struct {
	keys  []string // of the pairs, in the order in which the format adds them
	which int      // a bit for each of the extra keys that it has
	all   traceid.Params
	row   int // whose values it has
	slots []int
	extra [3]int // the places of metric, stat and unit
	ids   delta.Layout
}

// maxSequences is how many sequences of keys have a layout at most.
const maxSequences = 64

func (k *keyed) begin() {
	k.row++
	k.pairs = k.pairs[:0]
}

func (k *keyed) add(key, value string) {
	if value != "" {
		k.pairs = append(k.pairs, traceid.Param{Key: key, Value: value})
	}
}

// layout returns the layout of the pairs, over base, with those of the extra keys that which says. A key
// that comes again gets the prefix clash.
func (k *keyed) layout(base traceid.Params, which int, extra []string, clash string) *layout {
	l := k.find(which)
	if l == nil {
		if len(k.layouts) >= maxSequences {
			k.layouts = k.layouts[:0]
		}
		l = &layout{which: which, row: k.row - 1}
		l.make(base, k.pairs, extra, clash)
		k.last, k.layouts = len(k.layouts), append(k.layouts, l)
	}
	if l.row != k.row {
		l.row = k.row
		for i, slot := range l.slots {
			l.all[slot].Value = k.pairs[i].Value
		}
	}
	return l
}

func hasKey(key string, p traceid.Param) bool { return key == p.Key }

// find returns the layout that was made for the keys: usually that of the result before, or the one after
// that. It returns nil if there is none.
func (k *keyed) find(which int) *layout {
	n := len(k.layouts)
	for i := range n {
		at := k.last + i
		if at >= n {
			at -= n
		}
		l := k.layouts[at]
		if l.which == which && slices.EqualFunc(l.keys, k.pairs, hasKey) {
			k.last = at
			return l
		}
	}
	return nil
}

// make makes the layout of pairs. An extra key that it lacks is as good as taken: a param has the same key
// in all records of a result.
func (l *layout) make(base traceid.Params, pairs []traceid.Param, extra []string, clash string) {
	has := func(key string) bool {
		_, ok := l.all.Get(key)
		return ok || slices.Contains(extra, key)
	}
	insert := func(key, value string) {
		i, _ := l.all.Find(key)
		l.all = slices.Insert(l.all, i, traceid.Param{Key: key, Value: value})
	}
	var keys []string // of the pairs, in the layout
	for _, p := range pairs {
		l.keys = append(l.keys, p.Key)
		for has(p.Key) {
			p.Key = clash + p.Key
		}
		insert(p.Key, "")
		keys = append(keys, p.Key)
	}
	for i, key := range extra {
		if l.which&(1<<i) != 0 {
			insert(key, "")
		}
	}
	for _, p := range base {
		if _, ok := l.all.Get(p.Key); !ok {
			insert(p.Key, p.Value)
		}
	}

	for _, key := range keys {
		i, _ := l.all.Find(key)
		l.slots = append(l.slots, i)
	}
	for i, key := range extra {
		l.extra[i], _ = l.all.Find(key)
	}
}

// Open prepares for a file with the header. Of a folder, it may have several.
func (m *Maker) Open(h Header, limits format.Limits) {
	h.Sort()
	m.header, m.limits, m.Group = h, limits, ""
	clear(m.seen)
	clear(m.kept)
	m.keptBytes = 0
	for _, k := range []*keyed{&m.params, &m.attrs, &m.links} {
		k.layouts = k.layouts[:0] // the params of the header are others
	}
	m.record = format.Record{}
}

// Begin prepares for a result. Its records go to yield, which must be set.
func (m *Maker) Begin(result jsontree.Value) {
	m.result, m.before = result, m.said
	m.Next()
	m.record.Commit = m.header.Commit
}

// Next prepares for another benchmark of the same result, with params, attrs and links of its own. The
// commit stays.
func (m *Maker) Next() {
	m.params.begin()
	m.attrs.begin()
	m.links.begin()
}

// Said returns how many records and errors there were.
func (m *Maker) Said() int { return m.said }

// Stopped reports whether the iteration is to stop.
func (m *Maker) Stopped() bool { return m.stopped }

// Param adds a param, unless it has no value. Of two params with the same key, the second gets another.
func (m *Maker) Param(key, value string) { m.params.add(key, value) }

// Attr adds an attr, unless it has no value.
func (m *Maker) Attr(key, value string) { m.attrs.add(key, value) }

// Attrs adds the members of those names as attrs, unless they have no value.
func (m *Maker) Attrs(v jsontree.Value, members ...string) {
	for _, member := range members {
		m.Attr(member, v.Get(member).Text())
	}
}

// Link adds a link, unless it has no URL.
func (m *Maker) Link(name, url string) { m.links.add(name, url) }

// Commit sets the commit of the result: that of the file if it is empty.
func (m *Maker) Commit(commit string) { m.record.Commit = cmp.Or(commit, m.header.Commit) }

// Skip counts a result that holds no measurement.
func (m *Maker) Skip() {
	m.skipped++
	m.said++
}

// End yields an error if nothing came of the result.
func (m *Maker) End() {
	if m.said == m.before {
		m.Fault(m.result, m.Name()+"the result has no numbers")
	}
}

// maxSeen is how many names are remembered. The statistics of a benchmark follow its repetitions, so
// there is no need for all.
const maxSeen = 1 << 16

// Saw remembers that the file has single values of the benchmark.
func (m *Maker) Saw(name string) {
	if m.seen == nil {
		m.seen, m.seed = map[uint64]bool{}, maphash.MakeSeed()
	}
	if len(m.seen) >= maxSeen {
		clear(m.seen)
	}
	m.seen[maphash.String(m.seed, name)] = true
}

// HasSeen reports whether the file has single values of the benchmark.
func (m *Maker) HasSeen(name string) bool {
	return len(m.seen) > 0 && m.seen[maphash.String(m.seed, name)]
}

// Keep remembers a text that later results refer to by its ID. All texts of a file may take
// Limits.MaxHeaderBytes; more end the reading.
func (m *Maker) Keep(v jsontree.Value, id, text string) {
	const cost = 64 // of an entry of the map
	if m.kept == nil {
		m.kept = map[string]string{}
	}
	m.kept[id] = text
	m.said++
	if m.keptBytes += int64(cost + len(id) + len(text)); m.keptBytes > m.limits.MaxHeaderBytes {
		m.exceed(v, "MaxHeaderBytes", m.limits.MaxHeaderBytes, "too many bytes")
	}
}

// Kept returns the text that was kept under the ID.
func (m *Maker) Kept(id string) string { return m.kept[id] }

// exceed ends the reading because of a limit.
func (m *Maker) exceed(v jsontree.Value, limit string, max int64, what string) {
	e := v.Error(message.Limit(limit, max, what))
	e.Severity, e.Err = format.Fatal, format.ErrLimit
	m.Fail(e)
	m.stopped = true
}

// Fault yields an error about the value.
func (m *Maker) Fault(v jsontree.Value, message string) { m.Fail(v.Error(message)) }

// ItemFault yields an error about the i-th number of a list.
func (m *Maker) ItemFault(list jsontree.Value, i int, message string) {
	m.Fail(list.ItemError(i, message))
}

// Faultf is Fault with a format.
func (m *Maker) Faultf(v jsontree.Value, text string, args ...any) {
	m.Fault(v, fmt.Sprintf(text, args...))
}

// Warn yields a warning about the value, which Readers leave out.
func (m *Maker) Warn(v jsontree.Value, message string) {
	e := v.Error(message)
	e.Severity, e.Err = format.Warning, nil
	m.Fail(e)
}

// Fail yields an error.
func (m *Maker) Fail(e *format.Error) {
	m.said++
	m.stopped = m.stopped || !m.yield(nil, e)
}

// Has reports whether the result has the member. If it is absent, and not one of the tree's faults, it
// yields an error that says that the member is required.
func (m *Maker) Has(result jsontree.Value, member string) bool {
	v := result.Get(member)
	if !v.Has() && !v.Faulty() {
		m.Fault(result, member+" is required")
	}
	return v.Has()
}

// Value yields the record of a number, which may be in a string. If the value is absent, there is none.
// It is an error if it is NaN or infinite, or another string.
func (m *Maker) Value(x Measure, v jsontree.Value) {
	f := v.Number()
	switch v.Kind() {
	case jsonscan.None:
		return
	case jsonscan.String:
		var err error
		if f, err = strconv.ParseFloat(v.Text(), 64); err != nil {
			f = math.NaN()
		}
	}
	switch {
	case !math.IsNaN(f) && !math.IsInf(f, 0):
		if m.prepare(&x) {
			m.say(f, v.Offset())
		}
	case v.Text() != "":
		m.Fault(v, m.Name()+strconv.Quote(v.Text())+" is not a number")
	default:
		m.Fault(v, m.Name()+word(f)+" is not a value")
	}
}

// word returns NaN or an infinity as JSON's extension spells it.
func word(f float64) string {
	return strings.Replace(strings.TrimPrefix(fmt.Sprint(f), "+"), "Inf", "Infinity", 1)
}

// Name returns the beginning of a message, which names the benchmark.
func (m *Maker) Name() string {
	for _, p := range m.params.pairs {
		if p.Key == "name" {
			return message.Shorten(p.Value) + ": "
		}
	}
	return ""
}

// Numbers yields a record for each number of a list, which are repetitions.
func (m *Maker) Numbers(x Measure, v jsontree.Value) {
	prepared := false
	list := v.List()
	for i := range list {
		n := &list[i]
		if n.Value-n.Value != 0 {
			m.Item(x, v, i)
			continue
		}
		if !prepared && !m.prepare(&x) {
			return
		}
		prepared = true
		m.say(n.Value, n.Offset)
		if m.stopped {
			return
		}
	}
}

// Item yields the record of the i-th number of a list, unless that is NaN, infinite, or a fault already.
func (m *Maker) Item(x Measure, list jsontree.Value, i int) {
	n := list.List()[i]
	switch {
	case n.Value-n.Value == 0:
		m.Number(x, n.Value, n.Offset)
	case !list.ItemFaulty(i):
		m.ItemFault(list, i, m.Name()+word(n.Value)+" is not a value")
	}
}

// Number yields the record of a number at the offset.
func (m *Maker) Number(x Measure, number float64, offset int64) {
	if m.prepare(&x) {
		m.say(number, offset)
	}
}

// say yields the record that was prepared, with the value.
func (m *Maker) say(number float64, offset int64) {
	m.record.Value, m.record.Offset = number, offset
	m.said++
	m.stopped = !m.yield(&m.record, nil)
}

// prepare makes all of the record but the value. It returns false if there is none to make.
func (m *Maker) prepare(x *Measure) bool {
	if m.stopped || m.current != m.params.row && !m.settle() {
		return false
	}

	if x.Unit == "" {
		x.Unit = m.header.Unit
	}
	which, values := 0, [...]string{x.Metric, x.Stat, x.Unit}
	for i, value := range values {
		if value != "" {
			which |= 1 << i
		}
	}
	l := m.of[which]
	if l == nil || l.row != m.current {
		l = m.params.layout(m.header.Params, which, ofMeasure[:], "params.")
		if m.tooMany(len(l.all), len(m.record.Attrs), len(m.record.Links)) {
			return false
		}
		m.of[which] = l
	}
	for i, value := range values {
		if value != "" {
			l.all[l.extra[i]].Value = value
		}
	}

	r := &m.record
	if m.last != l {
		m.last, r.Params, r.Source = l, l.all, l.ids.Source(l.all)
	}
	r.Unit, r.Better, r.Repetition = x.Unit, x.Better, x.Repetition
	return true
}

// settle prepares for the records of another result, or of another benchmark of it.
func (m *Maker) settle() bool {
	m.current, m.last = m.params.row, nil
	if m.tooMany(len(m.params.pairs), len(m.attrs.pairs), len(m.links.pairs)) {
		return false // before it takes time
	}
	m.record.Attrs = m.attrs.layout(m.header.Attrs, 0, nil, "attrs.").all
	m.record.Links = m.links.layout(m.header.Links, 0, nil, "links.").all
	return true
}

// ofMeasure has the keys of what a Measure says.
var ofMeasure = [...]string{"metric", "stat", "unit"}

// tooMany ends the reading if one of the numbers of params, attrs and links is too large.
func (m *Maker) tooMany(params, attrs, links int) bool {
	limit := m.limits.MaxParams
	if max(params, attrs, links) <= limit {
		return false
	}
	m.exceed(m.result, "MaxParams", int64(limit), "params, attrs or links of one measurement")
	return true
}
