package convert

import (
	"hash/maphash"

	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// Formats write repetitions of a measurement in several ways: Go benchmarks have several lines of
// one name, keyvals have iterations, the legacy Skia format has samples, and others have a param
// iteration. A conversion maps these to each other. Iterations of keyvals always are repetitions. A
// param iteration is one if its values in each group of measurements, which differ in nothing else,
// are 1 to n; otherwise it is a param like others.

// repetitions learns, for a Survey, what is repeated. Groups are known by 64-bit hashes under a
// random seed.
type repetitions struct {
	seed   maphash.Seed
	known  int               // groups and summaries
	groups map[uint64]*group // of the current input, by the params without iteration

	irregular bool // some iterations are not 1 to n
	gaps      int  // groups of keyvals whose iterations are not 1 to n

	seen, repeated traceset.Set // traces without an iteration
	hasRepeated    bool

	// summaries has the traces of samples, and the least of the samples: formats without samples
	// need no measurement that says it.
	summaries map[uint64]float64

	text []byte
}

// A group counts the measurements that differ only in their iteration.
type group struct {
	n       int
	diff    uint64  // 0 if the iterations are 1 to n, in any order
	least   float64 // the least value
	samples bool    // they are samples
}

// init makes the maps.
func (r *repetitions) init() {
	if r.groups == nil {
		r.seed = maphash.MakeSeed()
		r.groups = make(map[uint64]*group)
		r.summaries = make(map[uint64]float64)
	}
}

// add adds a measurement of the Survey's current input.
func (r *repetitions) add(s *Survey, m *measurement) {
	own := s.source.own
	numbersTraces := s.To == nameSkiaV1 || s.To == ""
	if own && !numbersTraces {
		return
	}
	r.init()
	at, ok := s.fit.iterationAt.find(m.params, paramIteration)
	switch {
	case !ok && numbersTraces:
		r.addTrace(s, m.params)
	case ok && !own && !r.irregular:
		r.addNumbered(s, m, at)
	}
}

// addTrace notes a trace without an iteration.
func (r *repetitions) addTrace(s *Survey, params traceid.Params) {
	most := s.Limits.WithDefaults().MaxUniqueTraces
	if earlier, _ := r.seen.Add(params, 1, most); earlier > 0 {
		r.repeated.Add(params, 1, most)
		r.hasRepeated = true
	}
}

// addNumbered adds a measurement whose iteration is the param at the index.
func (r *repetitions) addNumbered(s *Survey, m *measurement, at int) {
	n, ok := iterationNumber(m.params[at].Value)
	if !ok {
		r.setIrregular()
		return
	}
	key := r.hash(m.params, at)
	g := r.groups[key]
	if g == nil {
		if !r.hasRoom(s) {
			r.setIrregular()
			return
		}
		g = &group{least: m.value, samples: isOfSamples(m.params)}
		r.groups[key] = g
	}
	if g.n++; n != g.n {
		g.diff += mix(n) - mix(g.n)
	}
	g.least = min(g.least, m.value)
}

func (r *repetitions) setIrregular() {
	r.irregular = true
	r.groups = make(map[uint64]*group)
}

// addSamples notes which measurement the samples repeat.
func (r *repetitions) addSamples(s *Survey, params traceid.Params, samples []float64) {
	r.init()
	if len(samples) > 0 && leavesSummariesOut(s.To) {
		least := samples[0]
		for _, v := range samples {
			least = min(least, v)
		}
		r.addSummary(s, r.hash(params, -1), least)
	}
}

func (r *repetitions) addSummary(s *Survey, trace uint64, least float64) {
	trace ^= mix(s.inputs.n)
	if _, ok := r.summaries[trace]; !ok && r.hasRoom(s) {
		r.summaries[trace] = least
	}
}

// endInput checks the groups of the current input.
func (r *repetitions) endInput(s *Survey) {
	for key, g := range r.groups {
		switch {
		case g.diff == 0:
		case s.source.format == nameKeyval:
			r.gaps++
		default:
			r.irregular = true
		}
		if g.samples && g.diff == 0 && leavesSummariesOut(s.To) {
			r.addSummary(s, key, g.least)
		}
	}
	r.known -= len(r.groups)
	clear(r.groups)
}

// endSurvey ends the last input, and forgets what no Writer needs.
func (r *repetitions) endSurvey(s *Survey) {
	r.endInput(s)
	r.seen = traceset.Set{}
	if r.groups != nil {
		r.groups = make(map[uint64]*group) // an empty map keeps its memory
	}
	s.fit = fitter{} // its measurement keeps the last Reader in memory
}

// isRepeated reports whether a trace without an iteration has several measurements.
func (r *repetitions) isRepeated(params traceid.Params) bool {
	return r.hasRepeated && r.repeated.Has(params)
}

// isSummary reports whether a measurement of the n-th input is a summary of samples, and returns
// the least of them.
func (r *repetitions) isSummary(m *measurement, n int) (least float64, ok bool) {
	if len(r.summaries) == 0 || m.number > 0 || !isOfSamples(m.params) {
		return 0, false
	}
	least, ok = r.summaries[r.hash(m.params, -1)^mix(n)]
	return least, ok
}

// hasRoom reports whether one more trace can be remembered, and counts it.
func (r *repetitions) hasRoom(s *Survey) bool {
	if r.known >= s.Limits.WithDefaults().MaxUniqueTraces {
		return false
	}
	r.known++
	return true
}

// hash returns a hash of the params without the one at the index.
func (r *repetitions) hash(params traceid.Params, without int) uint64 {
	r.text = r.text[:0]
	for i := range params {
		if i != without {
			r.text = append(append(r.text, params[i].Key...), 0)
			r.text = append(append(r.text, params[i].Value...), 0)
		}
	}
	return maphash.Bytes(r.seed, r.text)
}

// leavesSummariesOut reports whether a format has no place for the least of samples, beside the
// samples.
func leavesSummariesOut(to string) bool { return to != nameSkiaV1 && to != nameNanolegacy }

// isOfSamples reports whether params are those that samples have.
func isOfSamples(params traceid.Params) bool {
	sub, _ := params.Get("sub_result")
	return sub == minMS
}

// minMS is the sub_result of samples in legacy files, and of their least.
const minMS = "min_ms"

// mix returns a number so that sums of different sets of small numbers differ. It spreads the
// bits of n, as splitmix64 does.
func mix(n int) uint64 {
	x := uint64(n) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
