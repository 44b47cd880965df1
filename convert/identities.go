package convert

import (
	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// An identities notices series of the input that are one in the output. A name depends on the
// measurement alone, so two series have the same name if the format has too few characters, or no
// place for the params that tell them apart.
type identities struct {
	out     *sink
	input   delta.Tracker // hashes identities
	written traceset.Set  // traces of the output, with a hash of the identity of the first measurement
	numbers traceset.Set  // traces of the output, with the last number of a repetition
}

func newIdentities(out *sink) identities {
	return identities{out: out, written: traceset.Set{Lines: true}, numbers: traceset.Set{Lines: true}}
}

// count counts what the params that are written do to the series and the repetition of a measurement.
func (d *identities) count(m *measurement, written traceid.Params, compares bool, name string) {
	if compares && !m.own && d.merges(m.identity, written) {
		d.out.count(mergedSeries, name)
	}
	if d.renumbers(written, m.number) {
		d.out.count(changedNumber, "")
	}
}

// merges reports whether a measurement is written with the params of another series.
func (d *identities) merges(identity, written traceid.Params) bool {
	d.input.Compare(identity)
	hash, _ := d.input.Hash(identity)
	d.input.Accept(identity)
	id := max(int(hash>>33), 1)
	first, known := d.written.Add(written, id, d.out.limits.MaxUniqueTraces)
	return !known || first != 0 && first != id
}

// renumbers reports whether a repetition gets another number where the order numbers them, as gaps
// cannot be seen. The first repetition may be without a number.
func (d *identities) renumbers(written traceid.Params, number int) bool {
	if number <= 1 { // most traces have one value, and need no memory here
		return false
	}
	n, last := d.numbers.Next(written, number, d.out.limits.MaxUniqueTraces)
	return n != last+1 && !(last == 0 && n == 2)
}

// A risk learns from all records whether a format whose names hold any params may yet make one series of
// two. Most files are without risk, and to remember all series takes a sixth of the time of converting.
type risk struct {
	directed, undirected bool   // there are records with paramDirection, and without
	value                string // of paramDirection
	several              bool   // values of it
	hasUnit, hasUnits    bool
	splits               bool // some names are changed
}

func (r *risk) add(params traceid.Params) {
	directed := false
	for i := range params {
		p := &params[i]
		switch p.Key {
		case paramDirection:
			directed = true
			r.several = r.several || r.directed && p.Value != r.value
			r.directed, r.value = true, p.Value
		case goname.Unit:
			r.hasUnit = true
		case paramUnits:
			r.hasUnits = true
		case goname.Base:
			r.splits = r.splits || splits(p.Value)
		}
	}
	r.undirected = r.undirected || !directed
}

// mixesDirections reports whether a direction that becomes a param may be that of another series.
func (r *risk) mixesDirections() bool { return r.directed && r.undirected }

// mergesBenchmarks reports whether two series may have the same lines of Go benchmarks. Characters
// that are replaced are also replaced in trace IDs.
func (r *risk) mergesBenchmarks() bool {
	return r.mixesDirections() || r.several || r.hasUnit && r.hasUnits || r.splits
}
