package convert

import (
	"perfdata/internal/delta"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// An identities notices series of the input that are one in the output. A name depends on the
// measurement alone, so it is that of another series where the format has too few characters, or no
// place for what tells them apart.
type identities struct {
	out     *sink
	input   delta.Tracker // hashes identities
	written traceset.Set  // traces of the output, with a hash of the identity of the first measurement
	numbers traceset.Set  // traces of the output, with the last number of a repetition
}

func newIdentities(out *sink) identities {
	return identities{out: out, written: traceset.Set{Lines: true}, numbers: traceset.Set{Lines: true}}
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
	if number == 0 {
		return false
	}
	last := d.numbers.Last(written)
	n := d.numbers.Next(written, number, d.out.limits.MaxUniqueTraces)
	return n != last+1 && !(last == 0 && n == 2)
}
