package nanolegacy

import (
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

// OwnMembers returns the members that headers of other formats do not have and records do not either,
// with their values.
func (h Header) OwnMembers() []traceid.Param {
	return []traceid.Param{{Key: "source", Value: h.Source}, {Key: "patch_storage", Value: h.PatchStorage}}
}

// MarshalJSON returns the header as a file has it, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object without its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	return skiadoc.AppendMembers(append(dst, '{'), h.members())
}

// members returns the members of the document except results, in the order in which they are written.
func (h *Header) members() []skiadoc.Member {
	return []skiadoc.Member{
		{Name: "gitHash", Text: &h.GitHash}, {Name: "issue", Text: &h.Issue}, {Name: "patchset", Text: &h.Patchset},
		{Name: "source", Text: &h.Source}, {Name: "patch_storage", Text: &h.PatchStorage},
		{Name: "key", Pairs: &h.Key, AreParams: true}, {Name: "options", Pairs: &h.Options},
	}
}

// docFormat has the differences between this format's document and version 1's.
var docFormat = skiadoc.Format{
	Layout: jsondoc.Layout{
		Names:    []string{"results", "gitHash", "key", "options", "issue", "patchset", "source", "patch_storage"},
		Header:   ^(skiadoc.Results | jsondoc.Unknown),
		Needed:   memberGitHash | memberKey | memberOptions,
		Sections: skiadoc.Results,
		Flat:     true,
		Setup:    (*jsonscan.Scanner).ForgiveNaN,
	},
	Results: jsonscan.Object,
	Other:   "version 1 of the format has an array here",
}

// Members of the header, in the order of docFormat.Names.
const (
	memberGitHash jsondoc.Set = 2 << iota
	memberKey
	memberOptions
)

func (d *document) ReadMember(s *jsonscan.Scanner, m jsondoc.Set) {
	if m != jsondoc.Unknown {
		d.grammar.ReadMember(s, d.header.members(), docFormat.Name(m))
		return
	}
	if v := d.grammar.Validation; v != nil {
		v.AddWarning(s.NameError("unknown member: readers ignore it"))
	}
	s.Skip()
}
