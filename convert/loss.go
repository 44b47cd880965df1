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
	LostAttrs                   // by name
	LostLinks                   // by name
	LostHeader                  // members of headers
	LostSamples                 // arrays of samples
	LostModels                  // models of Perun profiles; Loss.Names are their kinds

	ChangedCharacters // params whose characters the format cannot hold
	ChangedIteration  // values that got another iteration, because their own has the key or is not the next one
	ChangedSubResult  // nanolegacy: repeated measurements, with another sub_result
	MovedToAttrs      // perun: params that became attributes
	MovedToIteration  // keyval: params that became attributes of all iterations
	MovedToKey        // keyval: measurements whose params became the key
	MovedToSubResult  // nanolegacy: params that became a part of sub_result

	// For these, nothing is missing: the output has more than the records, or what the caller set.

	AddedParam      // params that the format requires
	AddedRepetition // skiav1: repeated measurements, with one more param
	AddedIterations // benchfmt: unknown iteration counts
	ReplacedCommit  // commits that Survey.GitHash replaces

	// AddedOptions: nanolegacy params that were written as options. To read them as params, set
	// OptionsAsParams of nanolegacy's Reader.
	AddedOptions

	AddedMetadata // benchfmt: measurements without unit metadata that get the metadata of their unit
)

// Added reports whether nothing is missing or changed: the output only has more, such as a param
// that the format requires, or what the caller asked for.
func (k Kind) Added() bool { return k >= AddedParam }

// kindTexts describes the kinds, for one and for several. A singular that is empty is the plural
// without the s of its first word.
var kindTexts = [...]struct{ singular, plural string }{
	LostRecords: {plural: "measurements dropped"},
	LostAttrs:   {plural: "attributes dropped"},
	LostLinks:   {plural: "links dropped"},
	LostHeader:  {"header member dropped", "header members dropped"},
	LostSamples: {"array of samples dropped", "arrays of samples dropped"},
	LostModels:  {plural: "models dropped"},

	ChangedCharacters: {plural: "params with characters replaced"},
	ChangedIteration:  {plural: "iterations renumbered"},
	ChangedSubResult:  {plural: "measurements renamed"},
	MovedToAttrs:      {"param written as an attribute", "params written as attributes"},
	MovedToIteration: {
		"param written as an attribute of all iterations",
		"params written as attributes of all iterations",
	},
	MovedToKey:       {plural: "measurements with params joined into the key"},
	MovedToSubResult: {plural: "measurements with params joined into sub_result"},

	AddedParam:      {plural: "params added"},
	AddedRepetition: {plural: "measurements numbered as repetitions"},
	AddedIterations: {"unknown iteration count written as 1", "unknown iteration counts written as 1"},
	ReplacedCommit:  {plural: "commits replaced"},
	AddedOptions:    {plural: "measurements with params written as options"},
	AddedMetadata:   {plural: "measurements given the metadata of their unit"},
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
	err    error // of the Writer
	limits format.Limits
	held   int64 // of limits.MaxHeldBytes
	losses []*Loss

	headerLinks format.Links // of the current input: they are counted with the header
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

// count counts a difference. The example is made for the first of its kind.
func (s *sink) count(kind Kind, name string, example func() string) { s.countN(kind, name, 1, example) }

func (s *sink) countN(kind Kind, name string, n int, example func() string) {
	var loss *Loss
	for _, l := range s.losses {
		if l.Kind == kind {
			loss = l
		}
	}
	if loss == nil {
		loss = &Loss{Kind: kind, Example: clip(example(), maxExample)}
		s.losses = append(s.losses, loss)
	}
	loss.Count += n
	loss.addName(name)
}

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

// countParam counts a param that the format requires.
func (s *sink) countParam(key, value string, rec *format.Record) {
	s.count(AddedParam, key, pairOf(key, value, rec))
}

// leftOut counts a record that cannot be written.
func (s *sink) leftOut(rec *format.Record, why string) {
	s.count(LostRecords, why, func() string { return shorten(rec.TraceID()) + ": " + why })
}

// refused counts a record that a format's Writer refuses.
func (s *sink) refused(rec *format.Record, err error) {
	// leftOut names the trace ID, which may be long.
	s.leftOut(rec, strings.TrimPrefix(err.Error(), "measurement "+rec.TraceID()+": "))
}

// dropLinks counts the links of a record, except the header's.
func (s *sink) dropLinks(rec *format.Record) {
	if len(rec.Links) == len(s.headerLinks) && rec.Links.Equal(s.headerLinks) {
		return
	}
	for _, p := range rec.Links {
		if value, ok := s.headerLinks.Get(p.Key); !ok || value != p.Value {
			s.count(LostLinks, p.Key, pairOf(p.Key, p.Value, rec))
		}
	}
}

// dropAttrs counts attributes of a record.
func (s *sink) dropAttrs(rec *format.Record, attrs traceid.Params) {
	for _, p := range attrs {
		s.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, rec))
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

// pairOf returns an example: a pair of a record.
func pairOf(key, value string, rec *format.Record) func() string {
	return func() string { return fmt.Sprintf("%s=%s of %s", shorten(key), message.Quote(value), rec.TraceID()) }
}
