package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"

	"github.com/google/pprof/profile"

	"perfdata/perun"
)

// Pprof returns the resources as a profile for go tool pprof. Resources with the same stack, type
// and subtype are one sample, with how many they are and the sum of their amounts. The stack is
// that of [FlameLines]: the uid, and within it the trace. Resources of subtype free are left out.
// The labels of a sample are its type and subtype. The file of the mapping is the profiled command.
//
// A sample's value is an integer. Times are in nanoseconds, if the header's unit is s, ms, us or
// ns. Other amounts are in the header's unit; if some are not integers, all are multiplied by a
// power of ten, which the value's unit then names, such as MB/1000.
//
// It stops at the first error; see [format.Tolerant]. A resource without a number as its amount
// is an error, which is recoverable if the caller leaves out such resources and starts again.
func Pprof(h perun.Header, resources iter.Seq2[*perun.Resource, error]) (*profile.Profile, error) {
	b := pprofBuilder{
		out:       &profile.Profile{},
		functions: map[functionKey]*profile.Function{},
		locations: map[locationKey]*profile.Location{},
		samples:   map[string]*profile.Sample{},
	}
	for res, err := range resources {
		if err != nil {
			return nil, err
		}
		if isFree(res) {
			continue
		}
		_, amount, ok := amountOf(res)
		if !ok {
			return nil, resourceError(res, "", errNoAmount)
		}
		b.add(h, res, amount)
	}
	return b.finish(h)
}

type functionKey struct{ name, source string }

type locationKey struct {
	function *profile.Function
	line     int64
}

type pprofBuilder struct {
	out       *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[locationKey]*profile.Location
	samples   map[string]*profile.Sample // by type, subtype and stack
	amounts   []float64                  // of the samples, by index
	unit      string
	mixed     bool // there are several units
	decimals  int
	key       []byte
}

// maxDecimals is how many decimals of amounts are kept, at most.
const maxDecimals = 6

func (b *pprofBuilder) add(h perun.Header, res *perun.Resource, amount float64) {
	typ, subtype := typesOf(h, res)
	unit := h.Unit(typ, subtype)
	b.mixed = b.mixed || b.unit != "" && unit != b.unit
	b.unit = cmp.Or(b.unit, unit)
	for b.decimals < maxDecimals && amount*math.Pow10(b.decimals) != math.Trunc(amount*math.Pow10(b.decimals)) {
		b.decimals++
	}

	var stack []*profile.Location // innermost first, as in the file
	trace, _ := res.Fields.Get("trace")
	for _, frame := range trace.List() {
		stack = append(stack, b.location(frame))
	}
	if uid, ok := res.Fields.Get("uid"); len(stack) == 0 || ok && uid.FlatText() != "" {
		stack = append(stack, b.location(uid))
	}

	b.key = fmt.Appendf(b.key[:0], "%s\x00%s", typ, subtype)
	for _, l := range stack {
		b.key = fmt.Appendf(b.key, "\x00%d", l.ID)
	}

	s, ok := b.samples[string(b.key)]
	if !ok {
		s = &profile.Sample{
			Location: stack,
			Value:    []int64{0, int64(len(b.amounts))}, // finish replaces the index by the amount
			Label:    map[string][]string{"type": {typ}, "subtype": {subtype}},
		}
		maps.DeleteFunc(s.Label, func(_ string, values []string) bool { return values[0] == "" })
		b.samples[string(b.key)] = s
		b.out.Sample = append(b.out.Sample, s)
		b.amounts = append(b.amounts, 0)
	}
	s.Value[0]++
	b.amounts[s.Value[1]] += amount
}

// typesOf returns the type and subtype of a resource.
func typesOf(h perun.Header, res *perun.Resource) (typ, subtype string) {
	text := func(key string) string {
		if v, _ := res.Fields.Get(key); !v.IsNull() {
			return v.FlatText()
		}
		return ""
	}
	return cmp.Or(text("type"), h.Type), text("subtype")
}

func (b *pprofBuilder) location(v perun.Value) *profile.Location {
	name, source, line, ok := functionOf(v)
	if !ok {
		name = v.FlatText()
	}
	f := functionKey{name, source}

	fn, ok := b.functions[f]
	if !ok {
		id := uint64(len(b.out.Function)) + 1
		fn = &profile.Function{ID: id, Name: f.name, SystemName: f.name, Filename: f.source}
		b.functions[f] = fn
		b.out.Function = append(b.out.Function, fn)
	}

	l, ok := b.locations[locationKey{fn, line}]
	if !ok {
		l = &profile.Location{ID: uint64(len(b.out.Location)) + 1, Line: []profile.Line{{Function: fn, Line: line}}}
		b.locations[locationKey{fn, line}] = l
		b.out.Location = append(b.out.Location, l)
	}
	return l
}

// functionOf returns the function that a uid or frame names, and its place. It returns false if there
// is no member with a function.
func functionOf(v perun.Value) (name, source string, line int64, ok bool) {
	fields := v.Fields()
	for _, key := range []string{"func", "function"} {
		if v, has := fields.Get(key); has {
			name, ok = v.FlatText(), true
		}
	}
	if v, has := fields.Get("source"); has {
		source = v.FlatText()
	}
	v, _ = fields.Get("line")
	if n, is := v.Float(); is && n >= 0 && n < 1<<53 {
		line = int64(n)
	}
	return name, source, line, ok
}

// nanoseconds has the length of each unit of time.
var nanoseconds = map[string]float64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}

func (b *pprofBuilder) finish(h perun.Header) (*profile.Profile, error) {
	scale, unit := math.Pow10(b.decimals), cmp.Or(b.unit, "count")
	if b.mixed {
		unit = "count"
	}
	if ns, ok := nanoseconds[unit]; ok {
		scale, unit = ns, "nanoseconds"
	} else if b.decimals > 0 {
		unit = fmt.Sprintf("%s/%.0f", unit, scale)
	}
	for _, s := range b.out.Sample {
		v := math.Round(b.amounts[s.Value[1]] * scale)
		if !(math.Abs(v) < 1<<63) {
			return nil, fmt.Errorf("the sum of amounts %v is too large for pprof", b.amounts[s.Value[1]])
		}
		s.Value[1] = int64(v)
	}
	kind := cmp.Or(h.Type, "amount")
	b.out.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: unit}}
	b.out.DefaultSampleType = kind
	b.setMapping(h.Cmd)
	return b.out, b.out.CheckValid()
}

// setMapping names the profiled command, which is in the titles that pprof shows. Nothing is left
// to be looked up in the program.
func (b *pprofBuilder) setMapping(command string) {
	if command == "" {
		return
	}
	m := &profile.Mapping{
		ID: 1, File: command, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	b.out.Mapping = []*profile.Mapping{m}
	for _, l := range b.out.Location {
		l.Mapping = m
	}
}
