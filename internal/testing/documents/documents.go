// Package documents makes documents of the formats by seed, valid and nearly valid ones, for package
// perfdatatest and for tests of packages that it imports.
package documents

import (
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/plausible"
)

// Valid makes a valid document of a format that is a file: see package perfdatatest.
func Valid(f format.Format, seed uint64, size int) []byte {
	return newDocument(kindOf(f), newGenerator(seed, size)).bytes()
}

// Reordered makes the document that Valid makes with the members of its objects in another order,
// which does not matter: a random one or, with a random that is nil, with the results last.
func Reordered(f format.Format, seed uint64, size int, random *plausible.Random) []byte {
	last := []string{"resource_type_map", "resources", "snapshots", "global", "models", "results"}
	if spec := rows.SpecOf(f); spec != nil {
		last = spec.Sections
	}
	g := newGenerator(seed, size)
	g.reorder = func(s set) {
		if random != nil {
			shuffle(random, s)
			return
		}
		slices.SortStableFunc(s, func(a, b member) int {
			return slices.Index(last, a.name) - slices.Index(last, b.name)
		})
	}
	return newDocument(kindOf(f), g).bytes()
}

// NearlyValid makes a document with a fault: see package perfdatatest.
func NearlyValid(f format.Format, seed uint64, size int) (document []byte, fault string) {
	kind := kindOf(f)
	g := newGenerator(seed, size)
	d := newDocument(kind, g)
	d.mark(wholeDocument, 0)
	for first := g.Below(len(kind.faults)); ; first = (first + 1) % len(kind.faults) {
		f := &kind.faults[first]
		for i, from := 0, g.Below(len(d.parts)); i < len(d.parts); i++ {
			p := d.parts[(from+i)%len(d.parts)]
			if !slices.Contains(f.kinds, p.kind) {
				continue
			}
			old := string(d.text[p.start:p.end])
			if changed, ok := f.change(g, old); ok && changed != old {
				d.text = slices.Concat(d.text[:p.start], []byte(changed), d.text[p.end:])
				return d.bytes(), f.name
			}
		}
	}
}

// A documentKind makes the documents of one format.
type documentKind struct {
	valid  func(g *generator, d *document)
	faults []fault
}

// ownKinds are the kinds of the documents of formats without a Spec that makes them.
var ownKinds = map[string]documentKind{
	"skiav1":         {skiav1, slices.Concat(jsonFaults, skiav1Faults)},
	"nanolegacy":     {nanolegacy, jsonFaults},
	"benchfmt":       {benchfmt, benchFaults},
	"keyval":         {keyval, keyvalFaults},
	"perun":          {perun, jsonFaults},
	"benchmarktools": {benchmarktools, jsonFaults},
	"jsonl":          {tableOf(""), jsonFaults},
	"csv":            {tableOf(","), tableFaults},
	"tsv":            {tableOf("\t"), tableFaults},
}

// kindOf returns the kind of a format's documents: that of a runner's format by the table of its Spec.
func kindOf(f format.Format) documentKind {
	if kind, ok := ownKinds[f.Name]; ok {
		return kind
	}

	spec := rows.SpecOf(f)
	if spec == nil {
		panic(fmt.Sprintf("documents: format %q has none", f.Name))
	}
	return documentKind{ofSpec(spec), jsonFaults}
}

func newDocument(kind documentKind, g *generator) *document {
	n := max(g.size, 200) // so that the text and the parts need not grow
	d := &document{text: make([]byte, 0, 2*n), parts: make([]part, 0, n/2)}
	kind.valid(g, d)
	return d
}

// A document is the text that is made, and its parts, in which faults can be made.
type document struct {
	text  []byte
	parts []part

	// wrap, if not nil, makes the final text of the text, after a fault was made in it.
	wrap func(text []byte) []byte
}

// A part of a document. Parts may contain others.
type part struct {
	kind       kind
	start, end int
}

// The kinds of parts.
type kind int

const (
	wholeDocument kind = iota

	jsonObject
	jsonArray
	jsonString
	jsonLiteral
	jsonName
	jsonMember
	jsonRemovable // a member and its comma
	jsonElement
	jsonComma
	jsonColon

	benchIterations
	benchValue
	benchUnit   // with the blank before it
	benchValues // all of a line, with their units
	benchConfig // the text after the key
	benchMetadata

	keyvalLine // with its line end
	keyvalKey
	keyvalTag // perhaps empty
	keyvalEqual
	keyvalNumber
	keyvalAttr

	tableNumber
	tableSeparator
	tableMap
)

// mark adds the part that begins at start and ends at the end of the text.
func (d *document) mark(k kind, start int) { d.parts = append(d.parts, part{k, start, len(d.text)}) }

// add appends text, and marks it.
func (d *document) add(k kind, text string) {
	start := len(d.text)
	d.text = append(d.text, text...)
	d.mark(k, start)
}

// bytes returns the final text.
func (d *document) bytes() []byte {
	if d.wrap != nil {
		return d.wrap(d.text)
	}
	return d.text
}
