package convert

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
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
	switch k {
	case addedParam, addedRepetition, addedIterations, addedLeast, addedMetadata, AddedOptions:
		return true
	}
	return false
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
	if len(l.names) >= maxNames {
		l.more = true
		return
	}
	l.names = append(l.names, name)
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
