// Package hostile generates inputs that try to make a reader use much memory or time. Each is the
// worst case of one kind for its size. Only tests and package perfdatatest import it.
package hostile

import (
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/rows"
)

// A Generator generates inputs of one kind.
type Generator struct {
	Name   string
	Format string // name of the format that reads them

	head, tail string
	separator  string
	item       func(i int) string // item i; an input has at least two, and as many as fit

	generate func(size int) []byte // used instead of the fields above, if not nil

	repeats bool // items are independent, so a large input is not worse than a small one
	traces  bool // each item is another trace, which some conversions hold, and validation remembers
}

// Size returns the size in bytes from which on a larger input is not worse: more than the default
// limits of a header, a result, or all traces, if the input is one of these.
func (g *Generator) Size() int {
	switch {
	case g.repeats:
		return 3 << 20
	case g.traces:
		return 96 << 20
	}
	return 17 << 20
}

// each marks a Generator whose items are read one by one.
func (g Generator) each() Generator {
	g.repeats = true
	return g
}

// eachTrace marks a Generator each of whose items is another trace.
func (g Generator) eachTrace() Generator {
	g.traces = true
	return g
}

// inputs returns a Generator of inputs that consist of items, with text before, between and after
// them.
func inputs(name, format, head, tail, separator string, item func(i int) string) Generator {
	return Generator{Name: name, Format: format, head: head, tail: tail, separator: separator, item: item}
}

// Generate returns an input of about the given size in bytes.
func (g *Generator) Generate(size int) []byte {
	if g.generate != nil {
		return g.generate(size)
	}
	b := append(make([]byte, 0, size+size/8), g.head...)
	for i := 0; i < 2 || len(b) < size; i++ {
		if i > 0 {
			b = append(b, g.separator...)
		}
		b = append(b, g.item(i)...)
	}
	return append(b, g.tail...)
}

// later returns a Generator of results of the Skia Perf format whose parts are large, so it makes
// them only when it generates.
func later(name string, results func(name string) Generator) Generator {
	generate := func(size int) []byte {
		g := results(name)
		return g.Generate(size)
	}
	return Generator{Name: name, Format: "skiav1", generate: generate}.each()
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
	switch f.Name {
	case "skiav1":
		return append(skiaResults(), skiaDocuments()...)
	case "nanolegacy":
		return legacy()
	case "benchfmt":
		return goBench()
	case "keyval":
		return keyvals()
	case "perun":
		return append(perunResources(), perunHeaders()...)
	case "jsonl":
		return tables(f.Name, "")
	case "csv":
		return tables(f.Name, ",")
	case "tsv":
		return tables(f.Name, "\t")
	}
	if spec := rows.SpecOf(f); spec != nil && f.Open != nil {
		return ofSpec(f.Name, spec)
	}
	return nil
}

// same returns an item that is always the same.
func same(item string) func(int) string { return func(int) string { return item } }

// named returns an item in which each $ is replaced by a different text each time.
func named(item string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(item, "$", strconv.FormatInt(int64(i), 36)) }
}

// list returns n items separated by commas.
func list(n int, item func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

// blanks returns n blanks and line ends that encode the bits of i.
func blanks(n, i int) string {
	b := make([]byte, n)
	for k := range b {
		b[k] = " \n"[i>>k&1]
	}
	return string(b)
}
