package nanolegacy

import (
	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonenc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A Header has what a file says about all of its measurements.
type Header struct {
	GitHash      string         // of the measured commit
	Issue        string         // the code review's id, if what was measured is a change under review
	Patchset     string         // the patchset's id within the issue
	Source       string         // where the data came from
	PatchStorage string         // the code review system of the issue, such as gerrit
	Key          traceid.Params // params of all measurements
	Options      traceid.Params // attrs of all measurements; with OptionsAsParams, params
}

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	return format.Header{Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Native: h}
}

// MarshalJSON returns the header as a file has it, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object without its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"gitHash":`...)
	dst = jsonenc.AppendString(dst, h.GitHash)
	for _, m := range []struct{ name, value string }{
		{"issue", h.Issue},
		{"patchset", h.Patchset},
		{"source", h.Source},
		{"patch_storage", h.PatchStorage},
	} {
		if m.value != "" {
			dst = appendName(append(dst, ','), m.name)
			dst = jsonenc.AppendString(dst, m.value)
		}
	}
	if len(h.Key) > 0 {
		dst = append(dst, `,"key":`...)
		dst = jsonenc.AppendParams(dst, h.Key.All())
	}
	if len(h.Options) > 0 {
		dst = append(dst, `,"options":`...)
		dst = jsonenc.AppendParams(dst, h.Options.All())
	}
	return dst
}

// appendName appends a member's name and the colon after it.
func appendName(dst []byte, name string) []byte {
	return append(jsonenc.AppendString(dst, name), ':')
}

// docFormat says how this format's document differs from version 1's.
var docFormat = skiadoc.Format{
	Layout: jsondoc.Layout{
		Names: []string{"results", "gitHash", "issue", "patchset", "source", "patch_storage", "key", "options"},
		Header: memberGitHash | memberIssue | memberPatchset | memberSource | memberPatchStorage |
			memberKey | memberOptions,
		Needed:   memberKey | memberOptions,
		Sections: skiadoc.Results,
	},
	Results:  jsonscan.Object,
	Other:    "version 1 of the format has an array here",
	IsNumber: isNumber,
}

// The members of the header, in the order of docFormat.Names.
const (
	memberGitHash jsondoc.Set = 2 << iota
	memberIssue
	memberPatchset
	memberSource
	memberPatchStorage
	memberKey
	memberOptions
)

// isNumber reports whether s is at the value of a sub-result, or at a sample.
func isNumber(s *jsonscan.Scanner) bool {
	const array = jsonscan.InArray
	if names := s.OpenNames(4); names != nil {
		return names[0] == "results" && names[1] != array && names[2] != array && names[3] != array &&
			names[3] != optionsMember && names[3] != samplesMember
	}
	names := s.OpenNames(5)
	return names != nil && names[0] == "results" && names[1] != array && names[2] != array && names[3] == samplesMember &&
		names[4] == array
}

// readMember reads the value of a member of the document other than results.
func (h *Header) readMember(g *grammar, s *jsonscan.Scanner, m jsondoc.Set) {
	switch {
	case m == jsondoc.Unknown:
		s.Skip()
	case s.Kind() == jsonscan.Null:
		s.Null()
	case m == memberGitHash:
		h.GitHash = s.WantString()
	case m == memberIssue:
		h.Issue = s.WantString()
	case m == memberPatchset:
		h.Patchset = s.WantString()
	case m == memberSource:
		h.Source = s.WantString()
	case m == memberPatchStorage:
		h.PatchStorage = s.WantString()
	case m == memberKey:
		h.Key = g.readParams(s)
	case m == memberOptions:
		h.Options = g.readParams(s)
	}
}

// readParams reads an object of the header whose values are strings, or null, which means that
// the key is absent.
func (g *grammar) readParams(s *jsonscan.Scanner) traceid.Params {
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return nil
	}
	var pairs []traceid.Param
	for name, kind := range s.Members(&g.optionNames) {
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if !s.Charge(skiadoc.PairCost) {
			break
		}
		p := traceid.Param{Key: g.strings.String(name)}
		p.Value = g.strings.String([]byte(s.WantString()))
		if pairs = append(pairs, p); len(pairs) > g.limits.MaxParams {
			s.FailLimit(s.TokenError, "MaxParams", int64(g.limits.MaxParams), "params or options")
		}
	}
	return traceid.FromPairs(pairs...)
}
