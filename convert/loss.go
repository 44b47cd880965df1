package convert

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/visible"
)

// A Loss is one kind of difference between records and their converted form. Its texts are safe to print: long texts of
// the input are shortened, and control characters are escaped.
type Loss struct {
	Kind    Kind
	Param   string // with AddedParam: the name of the param
	Count   int
	Example string // iterations="100" of ,name=X,
}

// String returns "attributes left out: 3, such as iterations=100 of ,name=X,".
func (l Loss) String() string {
	what := l.Kind.String()
	if l.Param != "" {
		what += ": " + l.Param
	}
	return fmt.Sprintf("%s: %d, such as %s", what, l.Count, l.Example)
}

// A Kind is a kind of difference.
type Kind int

const (
	LostRecords Kind = 1 + iota // measurements left out
	LostAttrs
	LostLinks
	LostHeader  // members of the header left out
	LostSamples // arrays of samples left out
	LostModels  // models of Perun profiles left out

	ChangedCharacters // params whose characters the format cannot hold
	ChangedIteration  // keyval: values whose iteration has their key already
	ChangedSubResult  // nanolegacy: repeated measurements, with another sub_result
	MovedToAttrs      // perun: params that became attributes
	MovedToIteration  // keyval: params that became attributes of all iterations
	MovedToKey        // keyval: params that became the key
	MovedToSubResult  // nanolegacy: params that became a part of sub_result

	// Of these, nothing is missing: the output has more than the records.

	AddedParam      // params that the format requires; Loss.Param is the name
	AddedRepetition // skiav1: repeated measurements, with one more param
	AddedIterations // benchfmt: iteration counts that are not known

	// AddedOptions: nanolegacy params that were written as options. To read them as params, set OptionsAsParams of
	// nanolegacy's Reader.
	AddedOptions

	// AddedGitHash: the commit is not known. Survey.GitHash sets it.
	AddedGitHash
)

// Added reports whether nothing is missing or changed: the output only has more, such as a param that the format
// requires.
func (k Kind) Added() bool { return k >= AddedParam }

// String returns a description, such as "attributes left out".
func (k Kind) String() string {
	texts := [...]string{
		LostRecords: "measurements left out",
		LostAttrs:   "attributes left out",
		LostLinks:   "links left out",
		LostHeader:  "members of the header left out",
		LostSamples: "arrays of samples left out",
		LostModels:  "models left out",

		ChangedCharacters: "params with other characters",
		ChangedIteration:  "values in another iteration, because theirs has the key already",
		ChangedSubResult:  "repeated measurements with another sub_result",
		MovedToAttrs:      "params that became attributes",
		MovedToIteration:  "params that became attributes of all iterations",
		MovedToKey:        "params that became the key",
		MovedToSubResult:  "params that became a part of sub_result",

		AddedParam:      "params that the format requires",
		AddedRepetition: "repeated measurements, with one more param",
		AddedIterations: "iterations that aren't known",
		AddedOptions:    "measurements with params that are written as options",
		AddedGitHash:    "git hashes that aren't known",
	}
	if k <= 0 || int(k) >= len(texts) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return texts[k]
}

// A sink is what a target writes to and reports losses to.
type sink struct {
	io.Writer
	err    error // of the Writer
	limits format.Limits
	held   int64 // of limits.MaxHeldBytes
	losses []*Loss
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
func (s *sink) count(kind Kind, example func() string) { s.countN(kind, "", 1, example) }

// countParam counts a param that the format requires.
func (s *sink) countParam(key, value string, rec *format.Record) {
	s.countN(AddedParam, key, 1, pairOf(key, value, rec))
}

func (s *sink) countN(kind Kind, param string, n int, example func() string) {
	for _, l := range s.losses {
		if l.Kind == kind && l.Param == param {
			l.Count += n
			return
		}
	}
	s.losses = append(s.losses, &Loss{Kind: kind, Param: param, Count: n, Example: clip(example())})
}

// leftOut counts a record that can't be written.
func (s *sink) leftOut(rec *format.Record, why string) {
	s.count(LostRecords, func() string { return shorten(rec.TraceID()) + ": " + why })
}

// refused counts a record that a format's Writer refuses.
func (s *sink) refused(rec *format.Record, err error) {
	// leftOut names the trace ID, which may be long.
	s.leftOut(rec, strings.TrimPrefix(err.Error(), "measurement "+rec.TraceID()+": "))
}

// dropLinks counts the links of a record.
func (s *sink) dropLinks(rec *format.Record) {
	for _, p := range rec.Links {
		s.count(LostLinks, pairOf(p.Key, p.Value, rec))
	}
}

// dropAttrs counts the attributes of a record.
func (s *sink) dropAttrs(rec *format.Record) {
	for _, p := range rec.Attrs {
		s.count(LostAttrs, pairOf(p.Key, p.Value, rec))
	}
}

// maxExample is the length of the longest example, in bytes.
const maxExample = 1500

// clip shortens and escapes a text of the input for an example.
func clip(text string) string {
	if len(text) <= maxExample {
		return visible.String(text)
	}
	n := maxExample
	for n > maxExample-utf8.UTFMax && !utf8.RuneStart(text[n]) {
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
