package perfdatatest

import (
	"fmt"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/hostile"
)

// Formats returns the names of the formats that have documents, such as "keyval". They are the
// formats in [perfdata.Formats] that are files.
func Formats() []string {
	var names []string
	for _, f := range perfdata.Formats() {
		if f.Open != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Valid returns a valid document of the format, of about size bytes, or a little more than the
// smallest possible document if size is small. The format is a name that [Formats] returns. Other
// names make Valid panic.
//
// Both Validate and the Reader of the format accept the document without an error. No two of its
// measurements have the same trace ID, except the repetitions of a runner's benchmark.
func Valid(format string, seed uint64, size int) []byte {
	return documents.Valid(named(format), seed, size)
}

// NearlyValid returns the document that Valid returns, except for one fault, and the name of the
// fault, such as "missing comma". Parsers should reject most of these documents, or the line with
// the fault. A few are valid: an unknown member may be permitted, and a missing one optional.
func NearlyValid(format string, seed uint64, size int) (document []byte, fault string) {
	return documents.NearlyValid(named(format), seed, size)
}

// Hostile returns a document of about size bytes, and the name of the resource that it tries to
// exhaust, such as "keyval blank lines". Each is the worst case of one kind: the deepest nesting,
// the longest line, the most names. Parsers should reject it, or read it, with a bounded amount of
// memory, and in a time that grows with size and not faster.
//
// A format has several kinds, and consecutive seeds have different ones: the first few dozen seeds
// are enough. The kinds that a format limits, such as nesting, need sizes above the limit.
// Documents are larger than size if their kind needs it.
func Hostile(format string, seed uint64, size int) (document []byte, kind string) {
	all := hostile.Of(named(format))
	h := all[seed%uint64(len(all))]
	return h.Generate(size), h.Name
}

func named(name string) format.Format {
	f, ok := perfdata.FormatNamed(name)
	if !ok || f.Open == nil {
		panic(fmt.Sprintf("perfdatatest: unknown format %q", name))
	}
	return f
}
