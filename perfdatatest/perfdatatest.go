package perfdatatest

import (
	"fmt"
	"slices"

	"perfdata/internal/testing/hostile"
)

// Formats returns the names of the formats that have documents, such as "keyval". They are
// names of [perfdata.Formats], which has more: formats that are only read.
func Formats() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.format)
	}
	return names
}

// Valid returns a valid document of the format, of about size bytes, or a little more than the
// smallest possible document if size is small. The format is a name that [Formats] returns. Other
// names make Valid panic.
//
// Both Validate and the Reader of the format accept the document without an error. No two of its
// measurements have the same trace ID.
func Valid(format string, seed uint64, size int) []byte {
	d := newDocument(kindNamed(format), newGenerator(seed, size))
	return d.bytes()
}

// NearlyValid returns the document that Valid returns, except for one fault, and the name of the
// fault, such as "missing comma". Parsers should reject most of these documents, or the line with
// the fault. A few are valid: an unknown member may be permitted, and a missing one optional.
func NearlyValid(format string, seed uint64, size int) (document []byte, fault string) {
	kind := kindNamed(format)
	g := newGenerator(seed, size)
	d := newDocument(kind, g)
	fault = g.makeFault(d, kind.faults)
	return d.bytes(), fault
}

// Hostile returns a document of about size bytes, and what it tries to exhaust, such as "keyval
// blank lines". Each is the worst case of one kind: the deepest nesting, the longest line, the most
// names. Parsers should reject it, or read it, with a bounded amount of memory, and in a time that
// grows with size and not faster.
//
// A format has several kinds, and consecutive seeds have different ones: the first few dozen seeds
// are enough. The kinds that a format limits, such as nesting, need sizes above the limit.
// Documents are larger than size if their kind needs it.
func Hostile(format string, seed uint64, size int) (document []byte, kind string) {
	kindNamed(format)
	all := hostile.Of(format)
	h := all[seed%uint64(len(all))]
	return h.Generate(size), h.Name
}

// A documentKind makes the documents of one format.
type documentKind struct {
	format string
	valid  func(g *generator, d *document)
	faults []fault
}

func kinds() []documentKind {
	return []documentKind{
		{"skiav1", skiav1, slices.Concat(jsonFaults, skiav1Faults)},
		{"nanolegacy", nanolegacy, jsonFaults},
		{"benchfmt", benchfmt, benchFaults},
		{"keyval", keyval, keyvalFaults},
		{"perun", perun, jsonFaults},
		{"googlebench", googlebench, jsonFaults},
		{"hyperfine", hyperfine, jsonFaults},
		{"jmh", jmh, jsonFaults},
		{"pytestbench", pytestbench, jsonFaults},
		{"vitest", vitest, jsonFaults},
		{"dotnetbench", dotnetbench, jsonFaults},
		{"histogramset", histogramset, jsonFaults},
		{"chartjson", chartjson, jsonFaults},
		{"ghbench", ghbench, jsonFaults},
		{"criterion", criterion, jsonFaults},
	}
}

func kindNamed(format string) documentKind {
	for _, k := range kinds() {
		if k.format == format {
			return k
		}
	}
	panic(fmt.Sprintf("perfdatatest: unknown format %q", format))
}

func newDocument(kind documentKind, g *generator) *document {
	d := new(document)
	kind.valid(g, d)
	return d
}
