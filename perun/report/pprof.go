package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/google/pprof/profile"

	"perfdata/perun"
)

// Pprof returns the [Stacks] as a profile for go tool pprof. Stacks with the same frames, type and
// subtype are one sample, with their number and the sum of their amounts. The labels of a sample
// are its type and subtype. The file of the mapping is the profiled command.
//
// A sample's value is an integer. Times are in nanoseconds, if the header's unit is s, ms, us or
// ns. Other amounts are in the header's unit; if some are not integers, all are multiplied by a
// power of ten, which the value's unit then names, such as MB/1000.
//
// It stops at the first error, even a recoverable one: see [format.Tolerant].
func Pprof(h perun.Header, stacks iter.Seq2[*Stack, error]) (*profile.Profile, error) {
	b := pprofBuilder{
		out:       &profile.Profile{},
		functions: map[Frame]*profile.Function{},
		locations: map[Frame]*profile.Location{},
		samples:   map[string]*profile.Sample{},
	}
	for s, err := range stacks {
		if err != nil {
			return nil, err
		}
		b.add(s)
	}
	return b.finish(h)
}

type pprofBuilder struct {
	out       *profile.Profile
	functions map[Frame]*profile.Function // by Function and Source
	locations map[Frame]*profile.Location // by the Line too
	samples   map[string]*profile.Sample  // by type, subtype and stack
	amounts   []float64                   // of the samples, by index
	unit      string
	mixed     bool // there are several units
	decimals  int  // of the amounts, at most 6
	key       []byte
}

func (b *pprofBuilder) add(of *Stack) {
	amount, _ := of.Amount.Float()
	b.mixed = b.mixed || b.unit != "" && of.Unit != b.unit
	b.unit = cmp.Or(b.unit, of.Unit)
	for b.decimals < 6 && amount*math.Pow10(b.decimals) != math.Trunc(amount*math.Pow10(b.decimals)) {
		b.decimals++
	}

	var stack []*profile.Location // innermost first, as in the file
	b.key = fmt.Appendf(b.key[:0], "%s\x00%s", of.Type, of.Subtype)
	for _, f := range slices.Backward(of.Frames) {
		stack = append(stack, b.location(f))
		b.key = fmt.Appendf(b.key, "\x00%d", stack[len(stack)-1].ID)
	}

	s, ok := b.samples[string(b.key)]
	if !ok {
		s = &profile.Sample{
			Location: stack,
			Value:    []int64{0, int64(len(b.amounts))}, // finish replaces the index by the amount
			Label:    map[string][]string{"type": {of.Type}, "subtype": {of.Subtype}},
		}
		maps.DeleteFunc(s.Label, func(_ string, values []string) bool { return values[0] == "" })
		b.samples[string(b.key)] = s
		b.out.Sample = append(b.out.Sample, s)
		b.amounts = append(b.amounts, 0)
	}
	s.Value[0]++
	b.amounts[s.Value[1]] += amount
}

func (b *pprofBuilder) location(f Frame) *profile.Location {
	f.Text = ""
	if l, ok := b.locations[f]; ok {
		return l
	}

	of := Frame{Function: f.Function, Source: f.Source}
	fn, ok := b.functions[of]
	if !ok {
		id := uint64(len(b.out.Function)) + 1
		fn = &profile.Function{ID: id, Name: f.Function, SystemName: f.Function, Filename: f.Source}
		b.functions[of] = fn
		b.out.Function = append(b.out.Function, fn)
	}
	l := &profile.Location{ID: uint64(len(b.out.Location)) + 1, Line: []profile.Line{{Function: fn, Line: f.Line}}}
	b.locations[f] = l
	b.out.Location = append(b.out.Location, l)
	return l
}

func (b *pprofBuilder) finish(h perun.Header) (*profile.Profile, error) {
	scale, unit := math.Pow10(b.decimals), cmp.Or(b.unit, "count")
	if b.mixed {
		unit = "count"
	}
	if ns, ok := map[string]float64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[unit]; ok {
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

	// The mapping names the profiled command, which is in the titles that pprof shows. Nothing is left
	// to be looked up in the program.
	if h.Cmd != "" {
		m := &profile.Mapping{
			ID: 1, File: h.Cmd, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
		}
		b.out.Mapping = []*profile.Mapping{m}
		for _, l := range b.out.Location {
			l.Mapping = m
		}
	}
	return b.out, b.out.CheckValid()
}
