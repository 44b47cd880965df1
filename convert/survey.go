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
	// GitHash is the commit that was measured. If it is set, it overrides the commits of the inputs.
	GitHash string

	// To is the format to which the records will be converted. If it is set before the first call,
	// the Survey remembers only what that format needs.
	To string

	// Limits bounds the memory: MaxUniqueTraces is used, the other fields are ignored. If there are
	// more traces, an iteration stays a param, and the first of several repetitions has no number.
	Limits format.Limits

	records              int
	params, links, attrs common

	source  source // the current input
	first   source // the first input
	sources int

	members members
	own     ownHeader
	bench   *benchfmt.Header // the first one
	perun   *perun.Header    // the first one

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
// added next are those of the input. Where the headers of several inputs differ, the first one is
// used.
func (s *Survey) AddHeader(h format.Header) {
	s.repeats.endInput(s)
	s.source = sourceOf(h, s.To)
	if s.sources == 0 {
		s.first = s.source
	}
	s.sources++

	switch native := h.Native.(type) { // only the target of the same format can hold these
	case benchfmt.Header:
		if s.bench == nil {
			s.bench = &native
		}
	case perun.Header:
		if s.perun == nil {
			s.perun = &native
		}
	}
	s.own.add(s, h)
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
func (s *Survey) AddSamples(samples *nanolegacy.Samples) {
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

// An ownHeader is the part of the header that a file keeps if it is converted to its own format:
// the params and links that its author wrote there, and no others that all records have.
type ownHeader struct {
	set, mixed bool // mixed: the inputs have several formats, or different headers
	params     traceid.Params
	links      format.Links
	options    traceid.Params // of the legacy Skia format
}

func (o *ownHeader) add(s *Survey, h format.Header) {
	if !s.source.own {
		o.mixed = true
		return
	}
	var options traceid.Params
	if legacy, ok := h.Native.(nanolegacy.Header); ok {
		options = legacy.Options
	}
	switch {
	case !o.set:
		o.set = true
		o.params, o.links, o.options = h.Params.Clone(), h.Links.Clone(), options.Clone()
	case !o.params.Equal(h.Params) || !o.links.Equal(h.Links) || !o.options.Equal(options):
		o.mixed = true
	}
}

// kept reports whether the file keeps its header.
func (o *ownHeader) kept() bool { return o.set && !o.mixed }
