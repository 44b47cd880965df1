// Package rows has what the packages of the runners' formats share: what a format says about itself, and
// the making of records.
package rows

import (
	"io/fs"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
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
	// an array of results, or if Lines is set, one result after another, or if Named is set, an
	// object of results. InText says that lines of other text may be among the results of Lines,
	// which are objects.
	Sections []string
	Head     []jsontree.Member
	Variable string
	Lines    bool
	InText   bool

	// What Document makes: the layout, and the types of the members of Head in it.
	layout *jsondoc.Layout
	types  map[jsondoc.Set]*jsontree.Type

	// Row is the type of a result. The results are the elements of the sections, which are arrays. If
	// Grouped is set, the sections are objects of such arrays, and if Named is set, objects of results.
	// Then the name of the member is Maker.Group.
	Row     *jsontree.Type
	Grouped bool
	Named   bool

	// Array reads documents that are arrays, of a format whose documents may be either. Its Row, NaN and
	// Records are used. It is nil for other formats. A document is taken for an object if white space
	// of Limits.MaxStringBytes or more precedes it.
	Array *Spec

	// Embedded says that the sections are texts, each of which is a document of Array. Records have the
	// offset of the text, and errors its position.
	Embedded bool

	// Documents are texts of valid documents, for tests of a format whose tables do not say what a document
	// is. Their numbers may be any, and the member called $ may be repeated by other names.
	Documents []string

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
	DetectFolder func(fsys fs.FS, dir string) (bool, error)
	ReadFolder   func(f *Folder, m *Maker, yield func(*format.Record, error) bool)
}

// Document completes the Spec of a format whose documents are objects, and returns it.
func Document(s *Spec) *Spec {
	sections := jsondoc.Set(1)<<len(s.Sections) - 1
	names, types := slices.Clone(s.Sections), map[jsondoc.Set]*jsontree.Type{}
	for _, m := range s.Head {
		types[1<<len(names)] = m.Type
		names = append(names, m.Name)
	}
	head := (jsondoc.Set(1)<<len(names) - 1) &^ sections

	s.types = types
	s.layout = &jsondoc.Layout{
		Names: names, Header: head, Needed: head, Sections: sections, Required: sections, Missing: format.ErrSchema,
		Forgiving: true, Variable: s.Variable,
	}
	if s.NaN {
		s.layout.Setup = (*jsonscan.Scanner).AllowNaN
	}
	return s
}
