package nanolegacy

import (
	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
)

// validate is Validate of [Format].
func (r *Reader) validate(yield func(*format.Error) bool) {
	r.OptionsAsParams = false
	v, g := skiadoc.NewValidation("test", r.Limits), &r.grammar
	g.Validation, g.selection, g.trace = v, selectSubResults|selectSamples, &r.records.base
	r.frame.Validate(&v.Validation, (*document)(r), yield)
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
	return (*Reader)(d).readResults(s, func(string, *cachedTest) bool { return flush() })
}
