// Package rows has what the packages of the runners' formats share: what a format says about itself, and
// the making of records.
package rows

import (
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/traceid"
)

// A Spec has everything that is specific to a format.
type Spec struct {
	Format format.Format // without what package runners adds

	// Fits reports whether the beginning of a document is one of the format, which Format.Detect says
	// otherwise.
	Fits func(Facts) bool

	// Sections are the names of the members of a document, which is an object, that may have its
	// results, Head are the members that apply to all results, and Variable is the field of
	// jsondoc.Layout. A Spec that has them is made by [Document]. Without Sections, the document is
	// the results.
	Sections []string
	Head     []jsontree.Member
	Variable string
	layout   *jsondoc.Layout

	// Row is the type of a result, and Shape says how the results are together. InText says that lines of
	// other text may be among the results of InLines, which are objects.
	Row    *jsontree.Type
	Shape  Shape
	InText bool

	// Other reads documents that are arrays, or if its Shape is ByName, those without sections, of a format
	// whose documents may be either. Its Row and Records are used. It is nil for other formats.
	Other *Spec

	// NaN says that the runner writes NaN, Infinity and -Infinity.
	NaN bool

	// IfEmpty says why a file may be empty, for the error about it.
	IfEmpty string

	// RealFiles matches the files of other projects that tests read, in the folder of such files. If it is
	// empty, they are NAME/*.json.
	RealFiles string

	// Slow reads without the fast path, for tests.
	Slow bool

	// Header makes what the members of Head say of all results. It may be nil.
	Header func(h *Header, get func(name string) jsontree.Value)

	// Records makes the records of a result. It is nil for a format whose results are in folders only.
	Records func(m *Maker, result jsontree.Value)

	// DetectFolder reports whether a folder holds results of the format, and ReadFolder reads them.
	// They are nil for a format whose results are in files only.
	DetectFolder func(f *Folder) (bool, error)
	ReadFolder   func(f *Folder)
}

// A Shape is how the results of a section are together, or those of a document without sections.
type Shape int

const (
	InArray  Shape = iota
	ByName         // an object: the name of a result is Maker.Group
	InGroups       // an object of arrays, whose name is Maker.Group; of a section
	InLines        // one result after another; of a document

	// Embedded is a text that is a document of Other; of a section. Records have the offset of the text, and
	// errors its position.
	Embedded
)

// kinds are the kinds of sections.
var kinds = [...]jsonscan.Kind{
	InArray: jsonscan.Array, ByName: jsonscan.Object, InGroups: jsonscan.Object, Embedded: jsonscan.String,
}

// Document completes the Spec of a format whose documents are objects, and returns it.
func Document(s *Spec) *Spec {
	names := slices.Clone(s.Sections)
	for _, m := range s.Head {
		names = append(names, m.Name)
	}
	sections := jsondoc.Set(1)<<len(s.Sections) - 1
	head := (jsondoc.Set(1)<<len(names) - 1) &^ sections
	s.layout = &jsondoc.Layout{
		Names: names, Header: head, Needed: head, Sections: sections, Required: sections, Missing: format.ErrSchema,
		Forgiving: true, Variable: s.Variable,
	}
	return s
}

// noLayout is for documents that are not objects.
var noLayout jsondoc.Layout

// A Header is what a file says about all of its results.
type Header struct {
	Commit string
	Unit   string // of measurements that name none
	Params traceid.Params
	Attrs  traceid.Params
	Links  format.Links
}

// Attr adds an attr that has a value.
func (h *Header) Attr(key, value string) {
	if value != "" {
		h.Attrs = append(h.Attrs, traceid.Param{Key: key, Value: value})
	}
}

// Param adds a param that has a value.
func (h *Header) Param(key, value string) {
	if value != "" {
		h.Params = append(h.Params, traceid.Param{Key: key, Value: value})
	}
}

// Flatten adds the other members of an object as attrs. The names of nested ones are joined by dots.
func (h *Header) Flatten(prefix string, v jsontree.Value) {
	for name, member := range v.Others() {
		h.Attr(prefix+name, member.Text())
		h.Flatten(prefix+name+".", member)
	}
}

// Flat is the type of an object for Flatten: of strings, numbers and booleans, in objects. Anything
// else is left out.
var Flat = func() *jsontree.Type {
	t := &jsontree.Type{Kinds: jsontree.Strings | jsontree.Numbers | jsontree.Written | jsontree.Bools |
		jsontree.Objects | jsontree.Lenient}
	t.Others = t
	return t
}()

// Sort sorts the params, attrs and links. If several have the same key, the first stays.
func (h *Header) Sort() {
	h.Params, h.Attrs, h.Links = sorted(h.Params), sorted(h.Attrs), sorted(h.Links)
}

func sorted(pairs traceid.Params) traceid.Params {
	slices.SortStableFunc(pairs, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(pairs, func(a, b traceid.Param) bool { return a.Key == b.Key })
}
