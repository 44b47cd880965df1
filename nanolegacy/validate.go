package nanolegacy

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
)

// Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - members with values of the wrong type, including null; options of the file that are not
//     strings; missing results;
//   - a measurement out of the range of float32, in which Skia Perf stores it, a sample or a
//     number in options out of the range of float64, and a trace that the file measures twice, by
//     the specification's rule for options;
//   - duplicate members of an object;
//   - warnings about a missing gitHash, without which Skia Perf can't tell which commit was
//     measured; about unknown members of the document; and about keys and values that change in
//     canonical trace IDs, each once;
//   - last, the error that ends the reading, such as a syntax error.
//
// A file is valid if Validate yields only warnings. Like a [Reader], it looks ahead for the
// header. It remembers up to Limits.MaxUniqueTraces different traces, and finds no duplicates of
// others. The name of the file is for errors.
func Validate(in io.Reader, o format.Options) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		r, err := open(nil, in, o)
		if err != nil {
			yield(err)
			return
		}
		r.OptionsAsParams = false
		v, g := skiadoc.NewValidation("test", o.Limits), &r.grammar
		g.Validation, g.wants, g.trace = v, wantSubResults|wantSamples, &r.records.base
		v.Validate(in, (*document)(r), yield)
	}
}

func (d *document) CheckMembers(has func(jsondoc.Set) bool, at func(message string) *format.Error) {
	v := d.grammar.Validation
	if !has(memberGitHash) {
		v.AddWarning(at("gitHash is missing: Skia Perf can't tell which commit was measured"))
	}
	if !has(skiadoc.Results) {
		v.Add(at("results is required"))
	}
}

func (d *document) ReadSection(s *jsonscan.Scanner, _ jsondoc.Set, flush func() bool) bool {
	return (*Reader)(d).readResults(s, func(string, *known) bool { return flush() })
}

// beginTest prepares for the test whose name was just read.
func (g *grammar) beginTest(s *jsonscan.Scanner, name string) {
	g.WarnName(s, name)
	g.trace.params[g.trace.test].Value = name
}

// checkTrace reports the sub-result whose number was just read if its trace was measured before.
func (g *grammar) checkTrace(s *jsonscan.Scanner, config, subResult string) {
	l := g.trace
	l.params[l.config].Value, l.params[l.subResult].Value = config, subResult
	g.Validation.Trace(l.params, s.TokenPosition().Line, s.TokenError)
}
