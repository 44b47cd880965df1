package benchfmt

import (
	"bytes"
	"io"

	"perfdata/format"
	"perfdata/internal/opening"
	"perfdata/traceid"
)

// Format returns the format, for programs that read several.
//
// Its Validate reads a file to its end and yields every error and warning, in the order of the file:
// the errors of a [Reader], and warnings about
//
//   - the first name that does not begin with an upper case letter after "Benchmark", as the
//     specification requires;
//   - a line with a duplicate unit;
//   - a configuration key that a name or unit overrides in the records, once for each key;
//   - unit metadata after results in that unit, which are read without it, and values of better
//     and assume that have no meaning;
//   - the first line with which "go test" says that tests failed, unless a benchmark or a package is
//     named, which is an error: results may be missing;
//   - a file without results, and one whose last line, or whose last output of a package, does not
//     end: it may be truncated.
//
// A file is valid if Validate yields nothing except warnings. The name is for errors.
func Format() format.Format {
	return format.Format{
		Name:       "benchfmt",
		Title:      "Go benchmark data format",
		Holds:      "results of Go benchmarks, with configuration and units; also go test -json",
		Aliases:    []string{"go", "gobench"},
		Extensions: []string{".txt", ".bench", ".json"},
		Detect:     detect,
		AnyLine:    true,

		Open:     opening.With(open),
		Validate: opening.Validating(open, (*Reader).validate),
		NewWriter: opening.Writing(NewWriter, func(h format.Header) Header {
			if h.Commit == "" {
				return Header{Config: h.Params}
			}
			return Header{Config: traceid.Merge(h.Params, traceid.Of(commitConfig, h.Commit))}
		}),

		Settings: []format.Setting{{
			Name:  "tidy",
			Usage: "true converts values to base units, such as ns/op to sec/op",
			Set:   opening.Bool(func(r *Reader) *bool { return &r.Tidy }),
		}},
	}
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r := opening.Reuse[Reader](reuse)
	r.Reset(in)
	r.Name, r.Limits, r.Tidy = o.Name, o.Limits, false
	return r, opening.Configure(Format, r, o)
}

// detect looks for a result line without a fault, or an event of "go test -json". Without either,
// the format cannot be distinguished from other text. A line may have any length, so that a Reader
// tells which limit a long one exceeds.
func detect(prefix []byte) format.Match {
	has := func(text string) bool { return bytes.Contains(prefix, []byte(text)) }
	if !has("Benchmark") && !has(`{"Time":`) && !has(`{"Action":`) {
		return format.Match{} // there is neither, which takes a hundredth of the time to find
	}
	r := NewReader(bytes.NewReader(prefix))
	r.Limits.MaxLineBytes = max(len(prefix), 1)
	found := false
	r.forEach(func(_ *result, err *format.Error) bool {
		found = err == nil
		return !found
	})
	return format.Match{Yes: found || r.events.count > 0}
}
