package convert

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
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
	text := strconv.Itoa(l.Count) + " " + l.Kind.text(l.Count)
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

// A Kind is a kind of difference.
type Kind int

const (
	LostRecords Kind = 1 + iota // measurements left out; the names are the reasons
	lostAttrs                   // by name
	lostLinks                   // by name
	lostHeader                  // members of headers
	lostSamples                 // arrays of samples
	lostModels                  // models of Perun profiles; the names are their kinds

	changedCharacters // params whose characters the format cannot hold
	changedKey        // benchfmt: params that have the unit, and another key than for other measurements
	lostParams        // by name
	mergedSeries      // measurements with the name of another series, which they are values of in the output
	changedNumber     // repetitions that get another number
	changedName       // measurements that get the spelling of the earlier ones of their series
	movedToAttrs      // params that became attributes
	movedToName       // measurements whose params became a part of their name

	// For these, nothing is missing: the output has more than the records.

	addedParam      // params that the format requires
	addedRepetition // skiav1: repeated measurements, with one more param
	addedIterations // benchfmt: unknown iteration counts
	addedLeast      // nanolegacy: the least of samples
	addedMetadata   // benchfmt: measurements without unit metadata that get the metadata of their unit

	// AddedOptions: nanolegacy params that were written as options. To read them as params, set
	// OptionsAsParams of nanolegacy's Reader.
	AddedOptions
)

// Added reports whether nothing is missing or changed: the output only has more, such as a param
// that the format requires.
func (k Kind) Added() bool { return k >= addedParam }

// kindTexts describes the kinds. Of the texts in brackets, the first is for one, and the other for several.
var kindTexts = [...]string{
	LostRecords: "measurement[|s] dropped",
	lostAttrs:   "attribute[|s] dropped",
	lostLinks:   "link[|s] dropped",
	lostHeader:  "header member[|s] dropped",
	lostSamples: "array[|s] of samples dropped",
	lostModels:  "model[|s] dropped",

	changedCharacters: "param[|s] with characters replaced",
	changedKey:        "param[|s] renamed",
	lostParams:        "param[|s] dropped",
	mergedSeries:      "measurement[|s] with the name of another series",
	changedNumber:     "repetition[|s] renumbered",
	changedName:       "measurement[|s] renamed",
	movedToAttrs:      "param[|s] written as [an attribute|attributes]",
	movedToName:       "measurement[|s] with params joined into [its name|their names]",

	addedParam:      "param[|s] added",
	addedRepetition: "measurement[|s] numbered as repetitions",
	addedIterations: "unknown iteration count[|s] written as 1",
	addedLeast:      "measurement[|s] added, the least of [its|their] samples",
	addedMetadata:   "measurement[|s] given the metadata of their unit",
	AddedOptions:    "measurement[|s] with params written as options",
}

// text returns a description of a number of differences, such as "attributes dropped".
func (k Kind) text(count int) string {
	which := "$2"
	if count == 1 {
		which = "$1"
	}
	return regexp.MustCompile(`\[(.*?)\|(.*?)\]`).ReplaceAllString(kindTexts[k], which)
}

// A sink is what a target writes to and reports losses to.
type sink struct {
	io.Writer
	err    error // of the Writer, or about a limit
	limits format.Limits
	held   int64 // of limits.MaxHeldBytes
	losses []*Loss
	byKind [len(kindTexts)]*Loss
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.err = err
	}
	return n, err
}

// count counts a difference, and the key, member or reason that it is about, if it has a name.
func (s *sink) count(kind Kind, name string) { s.countN(kind, name, 1) }

func (s *sink) countN(kind Kind, name string, n int) {
	loss := s.byKind[kind]
	if loss == nil {
		loss = &Loss{Kind: kind}
		s.byKind[kind] = loss
		s.losses = append(s.losses, loss)
	}
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
	if name = clip(name); slices.Contains(l.names, name) {
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

// clip shortens and escapes a text of the input.
func clip(text string) string {
	const most = maxShownName
	if len(text) <= most {
		return chars.Visible(text)
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return chars.Visible(text[:n]) + "..."
}
