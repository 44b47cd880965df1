package convert

import (
	"unicode/utf8"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/traceid"
)

// A Survey learns what the records to be converted have in common: params with the same value
// become the header, and repetitions are found. So a conversion reads its input twice, or keeps the
// records. The zero Survey is ready for use.
//
// Its memory depends on the largest record and the largest header, and on the number of traces that
// it tells apart to find repetitions: at most Limits.MaxUniqueTraces.
type Survey struct {
	// GitHash is the commit that was measured. If it is set, it overrides the commits of the
	// inputs.
	GitHash string

	// To is the format to which the records will be converted. If it is set before the first call,
	// the Survey remembers only what that format needs.
	To string

	// Limits bounds the memory: MaxUniqueTraces is used, the other fields are ignored. If there are
	// more traces, an iteration stays a param, and the first of several repetitions has no number.
	Limits format.Limits

	records              int
	params, links, attrs common
	headers              common // params of all headers

	source source // the current input
	inputs struct {
		first source
		n     int
	}
	members members
	own     ownHeader

	commits commitCount
	repeats repetitions
	fit     fitter
}

// A source is what a conversion has to know of an input to handle its records.
type source struct {
	format string       // empty if it is unknown
	own    bool         // it has the format of the target
	commit string       // of the header, except of Go benchmarks, whose commit is a param of the records
	links  format.Links // of the header
}

func sourceOf(h format.Header, to string) source {
	s := source{format: nativeFormat(h.Native), commit: h.Commit, links: h.Links}
	s.own = s.format == to && to != ""
	if s.format == nameBenchfmt {
		s.commit = ""
	}
	return s
}

// AddHeader begins an input, whose header [format.Reader.FileHeader] returns. The records that are
// added next are from the input. Where the headers of several inputs differ, the first one is
// used.
func (s *Survey) AddHeader(h format.Header) {
	s.repeats.endInput(s)
	s.source = sourceOf(h, s.To)
	if s.inputs.n == 0 {
		s.inputs.first = s.source
	}
	s.headers.add(h.Params, s.inputs.n == 0)
	s.inputs.n++
	s.own.add(h, s.source.own)
	s.members.add(h)
}

// Add adds a record. It keeps none of its memory except strings.
func (s *Survey) Add(rec *format.Record) {
	m := s.fit.fit(rec, &s.source)
	s.commits.add(m.commit)
	s.repeats.add(s, m)
	s.addPairs(m.params, rec.Links, rec.Attrs)
}

// AddSamples adds samples that [Writer.WriteSamples] will write. It keeps none of their memory
// except strings.
func (s *Survey) AddSamples(samples *format.Samples) {
	m := s.fit.fit(&format.Record{Params: samples.Params, Attrs: samples.Attrs}, &s.source)
	s.commits.add(m.commit)
	s.repeats.addSamples(s, m.params, samples.Values)
	s.addPairs(m.params, nil, samples.Attrs)
}

func (s *Survey) addPairs(params, links, attrs traceid.Params) {
	first := s.records == 0
	s.records++
	s.params.add(params, first)
	s.links.add(links, first)
	s.attrs.add(attrs, first)
}

// common are the pairs that all have.
type common struct {
	pairs traceid.Params
	at    []int // where each was found last: the keys of consecutive records are usually the same
}

func (c *common) add(p traceid.Params, first bool) {
	if first {
		c.pairs = p.Clone()
		c.at = make([]int, len(p))
		for i := range c.at {
			c.at[i] = i
		}
		return
	}
	for k := range c.pairs {
		have := &c.pairs[k]
		if i := c.at[k]; i >= len(p) || p[i].Value != have.Value || p[i].Key != have.Key {
			c.addSlowly(p)
			return
		}
	}
}

// addSlowly is add without knowing where the pairs are.
func (c *common) addSlowly(p traceid.Params) {
	kept := c.pairs[:0]
	j := 0
	for _, have := range c.pairs {
		for j < len(p) && p[j].Key < have.Key {
			j++
		}
		if j < len(p) && p[j] == have {
			c.at[len(kept)] = j
			kept = append(kept, have)
		}
	}
	c.pairs = kept
}

func (c *common) get(key string) (string, bool) { return c.pairs.Get(key) }

// has reports whether all records have the pair's key, with one value.
func (c *common) has(key string) bool {
	_, ok := c.pairs.Get(key)
	return ok
}

// headerParams returns the params for the header of a format whose records may have more: the
// params that all headers and records have. Without headers, all records suffice.
func (s *Survey) headerParams() traceid.Params {
	return s.params.except(func(p traceid.Param) bool {
		value, ok := s.headers.get(p.Key)
		return s.inputs.n > 0 && (!ok || value != p.Value)
	})
}

// valid returns the pairs that are UTF-8.
func (c *common) valid() traceid.Params {
	return c.except(func(traceid.Param) bool { return false })
}

// except returns the pairs that are UTF-8 and for which not returns false.
func (c *common) except(not func(traceid.Param) bool) traceid.Params {
	var kept traceid.Params
	for _, p := range c.pairs {
		if !not(p) && utf8.ValidString(p.Key) && utf8.ValidString(p.Value) {
			kept = append(kept, p)
		}
	}
	return kept
}

// An ownHeader is the part of the header that a file keeps if it is converted to its own format.
type ownHeader struct {
	set, mixed bool // mixed: the inputs have several formats, or different headers

	// In Skia files: what their author wrote there, and nothing else that all records have.
	params, options traceid.Params
	links           format.Links

	bench *benchfmt.Header // the first one
	perun *perun.Header    // the first one
}

// add adds a header, and whether it has the format of the target.
func (o *ownHeader) add(h format.Header, own bool) {
	var options traceid.Params
	switch native := h.Native.(type) {
	case nanolegacy.Header:
		options = native.Options
	case benchfmt.Header:
		if o.bench == nil {
			o.bench = &native
		}
	case perun.Header:
		if o.perun == nil {
			o.perun = &native
		}
	}

	switch {
	case !own:
		o.mixed = true
	case !o.set:
		o.set = true
		o.params, o.links, o.options = h.Params.Clone(), h.Links.Clone(), options.Clone()
	case !o.params.Equal(h.Params) || !o.links.Equal(h.Links) || !o.options.Equal(options):
		o.mixed = true
	}
}

// kept reports whether the file keeps its header.
func (o *ownHeader) kept() bool { return o.set && !o.mixed }
