// Package hostile generates inputs that try to make a reader use much memory or time. Each is the
// worst case of one kind for its size. Only tests and package perfdatatest import it.
package hostile

import (
	"perfdata/format"
	"perfdata/internal/rows"
)

// A Generator generates inputs of one kind.
type Generator struct {
	kind
	Format string // name of the format that reads them
}

// The sizes in bytes from which on a larger input is not worse: more than the default limits of a
// header, a result, or all traces, if the input is one of these.
const (
	each       = 1 << 20   // items are independent, so a large input is not worse than a small one
	few        = 4 << 20   // of items that are not kept, or are few: a larger input only takes longer
	embedded   = 1_000_000 // of a document in a string
	whole      = 17 << 20  // of a header or a result
	traces     = 96 << 20  // each item is another trace, which some conversions hold
	remembered = 80 << 20  // the same, which also validation remembers
)

// ForReading returns the size of an input that is only read and validated, and the memory in MB that this may take.
// Where nothing of the items is kept, the least that would be kept by mistake shows in a small input if the memory
// may be little.
func (g *Generator) ForReading() (size, most int) {
	switch g.Size {
	case each, few:
		return g.Size, 96
	case traces:
		return 16 << 20, 64
	}
	return g.Size, 256 // README and format.Limits promise it
}

// Generate returns an input of about the given size in bytes.
func (g *Generator) Generate(size int) []byte {
	w := writer{out: make([]byte, 0, size+size/8), size: size}
	w.write(g.text)
	return w.out
}

// A kind is what a table says about a Generator.
type kind struct {
	Name string
	Size int    // in bytes, from which on a larger input is not worse
	text string // see writer
}

// Generators returns all Generators of the formats.
func Generators(formats []format.Format) []Generator {
	var all []Generator
	for _, f := range formats {
		all = append(all, Of(f)...)
	}
	return all
}

// Of returns the Generators of a format.
func Of(f format.Format) []Generator {
	own := map[string][]kind{
		"skiav1":     skia(),
		"nanolegacy": legacy(),
		"benchfmt":   goBench(),
		"keyval":     keyvals,
		"perun":      perun(),
		"jsonl":      jsonLines,
		"csv":        tables("csv", ","),
		"tsv":        tables("tsv", "\t"),
	}
	kinds := own[f.Name]
	if spec := rows.SpecOf(f); spec != nil && f.Open != nil {
		kinds = ofSpec(f.Name, spec)
	}

	var all []Generator
	for _, k := range kinds {
		all = append(all, Generator{k, f.Name})
	}
	return all
}
