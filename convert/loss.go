package convert

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/internal/message"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Loss is one kind of difference between records and their converted form. Its texts are safe
// to print: long texts of the input are shortened, and control characters are escaped.
type Loss struct {
	Kind  Kind
	Count int

	names []string // the first few different keys, members of the header, or reasons that it is about
	more  bool     // there are more names
}

// String returns "3 attributes dropped (iterations)".
func (l Loss) String() string {
	which := "$2"
	if l.Count == 1 {
		which = "$1"
	}
	kind := regexp.MustCompile(`\[(.*?)\|(.*?)\]`).ReplaceAllString(string(l.Kind), which)
	text := strconv.Itoa(l.Count) + " " + kind
	if len(l.names) == 0 {
		return text
	}
	names := strings.Join(l.names, ", ")
	if l.more {
		names += ", ..."
	}
	return text + " (" + names + ")"
}

// Add adds the counts and names of another Loss of the same kind.
func (l *Loss) Add(other Loss) {
	l.Count += other.Count
	for _, name := range other.names {
		l.addName(name)
	}
	l.more = l.more || other.more
}

// A Kind is a kind of difference: its description, in which the first of two texts in brackets is for one
// difference, and the other for several.
type Kind string

const (
	LostRecords Kind = "measurement[|s] dropped"      // the names are the reasons
	lostAttrs   Kind = "attribute[|s] dropped"        // by name
	lostLinks   Kind = "link[|s] dropped"             // by name
	lostHeader  Kind = "header member[|s] dropped"    // members of headers
	lostSamples Kind = "array[|s] of samples dropped" // arrays of samples
	lostModels  Kind = "model[|s] dropped"            // models of Perun profiles; the names are their kinds
	lostParams  Kind = "param[|s] dropped"            // by name

	changedCharacters Kind = "param[|s] with characters replaced" // which the format cannot hold

	// Of benchfmt: params that have the unit, and another key than for other measurements.
	changedKey Kind = "param[|s] renamed"

	// Measurements with the name of another series, which they are values of in the output.
	mergedSeries Kind = "measurement[|s] with the name of another series"

	changedNumber Kind = "repetition[|s] renumbered"
	changedName   Kind = "measurement[|s] renamed" // as the earlier ones of their series are spelled
	movedToAttrs  Kind = "param[|s] written as [an attribute|attributes]"
	movedToName   Kind = "measurement[|s] with params joined into [its name|their names]"

	// For these, nothing is missing: the output has more than the records.

	addedParam      Kind = "param[|s] added"                         // that the format requires
	addedRepetition Kind = "measurement[|s] numbered as repetitions" // skiav1: with one more param
	addedIterations Kind = "unknown iteration count[|s] written as 1"
	addedLeast      Kind = "measurement[|s] added, the least of [its|their] samples"
	addedMetadata   Kind = "measurement[|s] given the metadata of their unit" // which they lack

	// AddedOptions: nanolegacy params that were written as options. To read them as params, set
	// OptionsAsParams of nanolegacy's Reader.
	AddedOptions Kind = "measurement[|s] with params written as options"
)

// Added reports whether nothing is missing or changed: the output only has more, such as a param
// that the format requires.
func (k Kind) Added() bool {
	added := []Kind{addedParam, addedRepetition, addedIterations, addedLeast, addedMetadata, AddedOptions}
	return slices.Contains(added, k)
}

// A sink is what a target writes to and reports losses to.
type sink struct {
	io.Writer
	err    error // of the Writer, or about a limit
	limits format.Limits
	held   int64 // of limits.MaxHeldBytes
	losses []Loss
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

// count counts a difference, and the key, member or reason that it is about, if it has a name.
func (s *sink) count(kind Kind, name string) { s.countN(kind, name, 1) }

func (s *sink) countN(kind Kind, name string, n int) {
	i := slices.IndexFunc(s.losses, func(l Loss) bool { return l.Kind == kind })
	if i < 0 {
		i = len(s.losses)
		s.losses = append(s.losses, Loss{Kind: kind})
	}
	loss := &s.losses[i]
	loss.Count += n
	if name != "" && (len(loss.names) == 0 || loss.names[0] != name) {
		loss.addName(name)
	}
}

// The number of names of a Loss, and the length of the longest in bytes.
const (
	maxNames     = 6
	maxShownName = 80
)

func (l *Loss) addName(name string) {
	if name == "" || l.more || slices.Contains(l.names, name) {
		return
	}
	if name = chars.Visible(message.Clip(name, maxShownName)); slices.Contains(l.names, name) {
		return
	}
	if l.more = len(l.names) >= maxNames; !l.more {
		l.names = append(l.names, name)
	}
}

func (s *sink) countPairs(kind Kind, pairs traceid.Params) {
	for _, p := range pairs {
		s.count(kind, p.Key)
	}
}

// refused counts a record that a format's Writer refuses. It returns the error of the output.
func (s *sink) refused(fit *format.Record, err error) error {
	if err != nil && s.err == nil {
		why, _ := strings.CutPrefix(err.Error(), "measurement "+fit.TraceID()+": ")
		s.count(LostRecords, why)
	}
	return s.err
}

// dropLinks counts the links of a record that the header does not have.
func (s *sink) dropLinks(rec *format.Record, header format.Links) {
	if len(rec.Links) == 0 || len(rec.Links) == len(header) && rec.Links.Equal(header) {
		return
	}
	for _, p := range rec.Links {
		if value, ok := header.Get(p.Key); !ok || value != p.Value {
			s.count(lostLinks, p.Key)
		}
	}
}

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
