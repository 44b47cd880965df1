package convert

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/visible"
	"perfdata/traceid"
)

// A Loss is one kind of difference between records and their converted form. Its texts are safe
// to print: long texts of the input are shortened, and control characters are escaped.
type Loss struct {
	Kind  Kind
	Count int

	// Names are the first few different keys, members of the header, or reasons that it is about.
	Names []string

	// More is whether there are more names.
	More bool

	Example string // iterations="100" of ,name=X,
}

// String returns "3 attributes dropped (iterations)".
func (l Loss) String() string {
	text := l.Kind.String()
	if l.Count == 1 {
		text = l.Kind.singular()
	}
	text = strconv.Itoa(l.Count) + " " + text
	if len(l.Names) == 0 {
		return text
	}
	names := strings.Join(l.Names, ", ")
	if l.More {
		names += ", ..."
	}
	return text + " (" + names + ")"
}

// Add adds the counts and names of another Loss of the same kind.
func (l *Loss) Add(other Loss) {
	l.Count += other.Count
	for _, name := range other.Names {
		l.addName(name)
	}
	l.More = l.More || other.More
}

// A Kind is a kind of difference.
type Kind int

const (
	LostRecords Kind = 1 + iota // measurements left out; Loss.Names are the reasons
	lostAttrs                   // by name
	lostLinks                   // by name
	lostHeader                  // members of headers
	lostSamples                 // arrays of samples
	lostModels                  // models of Perun profiles; Loss.Names are their kinds

	changedCharacters // params whose characters the format cannot hold
	changedKey        // benchfmt: params that have the unit, and another key than for other measurements
	changedNumber     // keyval: values whose iteration has the key already
	changedName       // measurements whose name another one has
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

// kindTexts describes the kinds, for one and for several. A singular that is empty is the plural
// without the s of its first word.
var kindTexts = [...]struct{ singular, plural string }{
	LostRecords: {plural: "measurements dropped"},
	lostAttrs:   {plural: "attributes dropped"},
	lostLinks:   {plural: "links dropped"},
	lostHeader:  {"header member dropped", "header members dropped"},
	lostSamples: {"array of samples dropped", "arrays of samples dropped"},
	lostModels:  {plural: "models dropped"},

	changedCharacters: {plural: "params with characters replaced"},
	changedKey:        {plural: "params renamed"},
	changedNumber:     {plural: "iterations renumbered"},
	changedName:       {plural: "measurements renamed"},
	movedToAttrs:      {"param written as an attribute", "params written as attributes"},
	movedToName:       {"measurement with params joined into its name", "measurements with params joined into their names"},

	addedParam:      {plural: "params added"},
	addedRepetition: {plural: "measurements numbered as repetitions"},
	addedIterations: {"unknown iteration count written as 1", "unknown iteration counts written as 1"},
	addedLeast:      {"measurement added, the least of its samples", "measurements added, the least of their samples"},
	addedMetadata:   {plural: "measurements given the metadata of their unit"},
	AddedOptions:    {plural: "measurements with params written as options"},
}

// String returns a description, such as "attributes dropped".
func (k Kind) String() string {
	if k <= 0 || int(k) >= len(kindTexts) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindTexts[k].plural
}

func (k Kind) singular() string {
	if k > 0 && int(k) < len(kindTexts) && kindTexts[k].singular != "" {
		return kindTexts[k].singular
	}
	return strings.Replace(k.String(), "s ", " ", 1)
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

// count counts a difference. It returns true for the first one of its kind, whose example the caller
// then sets: examples take time to make.
func (s *sink) count(kind Kind, name string) (first bool) { return s.countN(kind, name, 1) }

func (s *sink) countN(kind Kind, name string, n int) (first bool) {
	loss := s.byKind[kind]
	if first = loss == nil; first {
		loss = &Loss{Kind: kind}
		s.byKind[kind] = loss
		s.losses = append(s.losses, loss)
	}
	loss.Count += n
	if name != "" && (len(loss.Names) == 0 || loss.Names[0] != name) {
		loss.addName(name)
	}
	return first
}

// example sets the example of the last kind of loss.
func (s *sink) example(text string) { s.losses[len(s.losses)-1].Example = clip(text, maxExample) }

// maxNames is the number of names that a Loss has.
const maxNames = 6

func (l *Loss) addName(name string) {
	if name == "" || l.More || slices.Contains(l.Names, name) {
		return
	}
	if name = clip(name, maxShownName); slices.Contains(l.Names, name) {
		return
	}
	if len(l.Names) >= maxNames {
		l.More = true
		return
	}
	l.Names = append(l.Names, name)
}

// countPair counts a param, attribute or link of a record.
func (s *sink) countPair(kind Kind, p traceid.Param, rec *format.Record) {
	if s.count(kind, p.Key) {
		s.example(fmt.Sprintf("%s=%s of %s", shorten(p.Key), message.Quote(p.Value), rec.TraceID()))
	}
}

func (s *sink) countPairs(kind Kind, pairs traceid.Params, rec *format.Record) {
	for _, p := range pairs {
		s.countPair(kind, p, rec)
	}
}

// leftOut counts a record that cannot be written.
func (s *sink) leftOut(rec *format.Record, why string) {
	if s.count(LostRecords, why) {
		s.example(shorten(rec.TraceID()) + ": " + why)
	}
}

// refused counts a record that a format's Writer refuses. It returns the error of the output.
func (s *sink) refused(rec, fit *format.Record, err error) error {
	if err != nil && s.err == nil {
		// leftOut names the trace ID, which may be long.
		why, _ := strings.CutPrefix(err.Error(), "measurement "+fit.TraceID()+": ")
		s.leftOut(rec, why)
	}
	return s.err
}

// dropLinks counts the links of a record, except those of the header.
func (s *sink) dropLinks(rec *format.Record, header format.Links) {
	if len(rec.Links) == 0 || len(rec.Links) == len(header) && rec.Links.Equal(header) {
		return
	}
	for _, p := range rec.Links {
		if value, ok := header.Get(p.Key); !ok || value != p.Value {
			s.countPair(lostLinks, p, rec)
		}
	}
}

// The lengths of the longest example and of the longest name, in bytes.
const (
	maxExample   = 1500
	maxShownName = 80
)

// clip shortens and escapes a text of the input.
func clip(text string, most int) string {
	if len(text) <= most {
		return visible.String(text)
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return visible.String(text[:n]) + "..."
}

// shorten shortens a text of the input so that an example has room for another text after it.
func shorten(text string) string {
	const most = maxExample / 3
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
