package nanolegacy

import (
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A Header has what a file says about all of its measurements.
type Header struct {
	GitHash      string         // of the measured commit
	Issue        string         // ID of the code review, if a change under review was measured
	Patchset     string         // ID of the patchset within the issue
	Source       string         // where the data came from
	PatchStorage string         // the code review system of the issue, such as gerrit
	Key          traceid.Params // params of all measurements
	Options      traceid.Params // attrs of all measurements; with OptionsAsParams, params
}

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	return format.Header{Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Native: h}
}

// OwnMembers returns the members that headers of other formats do not have and records do not either,
// with their values.
func (h Header) OwnMembers() []traceid.Param {
	return []traceid.Param{{Key: "source", Value: h.Source}, {Key: "patch_storage", Value: h.PatchStorage}}
}

// MarshalJSON returns the header as a file has it, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object without its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"gitHash":`...)
	dst = chars.AppendJSON(dst, h.GitHash)
	dst = skiadoc.AppendString(dst, "issue", h.Issue)
	dst = skiadoc.AppendString(dst, "patchset", h.Patchset)
	dst = skiadoc.AppendString(dst, "source", h.Source)
	dst = skiadoc.AppendString(dst, "patch_storage", h.PatchStorage)
	dst = skiadoc.AppendPairs(dst, "key", h.Key)
	return skiadoc.AppendPairs(dst, "options", h.Options)
}

// docFormat has the differences between this format's document and version 1's.
var docFormat = skiadoc.Format{
	Layout: jsondoc.Layout{
		Names: []string{"results", "gitHash", "issue", "patchset", "source", "patch_storage", "key", "options"},
		Header: memberGitHash | memberIssue | memberPatchset | memberSource | memberPatchStorage |
			memberKey | memberOptions,
		Needed:   memberGitHash | memberKey | memberOptions,
		Sections: skiadoc.Results,
		Flat:     true,
		Setup:    func(s *jsonscan.Scanner) { s.ForgiveNaN(isNumber) },
	},
	Results: jsonscan.Object,
	Other:   "version 1 of the format has an array here",
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
	return names != nil && names[0] == "results" && names[1] != array && names[2] != array &&
		names[3] == samplesMember && names[4] == array
}

// readMember reads the value of a member of the document other than results.
func (h *Header) readMember(g *grammar, s *jsonscan.Scanner, m jsondoc.Set) {
	switch {
	case m == jsondoc.Unknown:
		if g.Validation != nil {
			g.Validation.AddWarning(s.NameError("unknown member: readers ignore it"))
		}
		s.Skip()
	case g.Absent(s, s.Kind()):
	case m == memberGitHash:
		h.GitHash = g.ReadText(s)
	case m == memberIssue:
		h.Issue = g.ReadText(s)
	case m == memberPatchset:
		h.Patchset = g.ReadText(s)
	case m == memberSource:
		h.Source = g.ReadText(s)
	case m == memberPatchStorage:
		h.PatchStorage = g.ReadText(s)
	case m == memberKey:
		h.Key = g.ReadHeaderPairs(s, true)
	case m == memberOptions:
		h.Options = g.ReadHeaderPairs(s, false)
	}
}
