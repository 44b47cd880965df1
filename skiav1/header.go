package skiav1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A Header has what a file says about all of its measurements.
type Header struct {
	GitHash  string         // of the measured commit, or CP: and a commit number
	Issue    string         // ID of the code review, if a change under review was measured
	Patchset string         // ID of the patchset within the issue
	Key      traceid.Params // params of all measurements
	Links    format.Links   // links of all measurements
}

// CommitNumber returns the number in a GitHash of the form "CP:727901", which is used by projects
// that number their commits. Any other GitHash is an error.
func (h Header) CommitNumber() (int, error) {
	digits, ok := strings.CutPrefix(h.GitHash, "CP:")
	if !ok {
		return 0, fmt.Errorf("git_hash %q is not a commit number, such as CP:727901", h.GitHash)
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("git_hash %q is not a commit number: %w", h.GitHash, errors.Unwrap(err))
	}
	return int(n), nil
}

// MarshalJSON returns the header as a file has it, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object without its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	return skiadoc.AppendMembers(append(dst, `{"version":1,`...), h.members())
}

// members returns the members of the document except results and version, in the order in which they are
// written.
func (h *Header) members() []skiadoc.Member {
	return []skiadoc.Member{
		{Name: "git_hash", Text: &h.GitHash}, {Name: "issue", Text: &h.Issue}, {Name: "patchset", Text: &h.Patchset},
		{Name: "key", Pairs: &h.Key, AreParams: true}, {Name: "links", Pairs: &h.Links},
	}
}

// docFormat has the differences between this format's document and the legacy format's.
var docFormat = skiadoc.Format{
	Layout: jsondoc.Layout{
		Names:    []string{"results", "version", "git_hash", "key", "links", "issue", "patchset"},
		Header:   ^(skiadoc.Results | jsondoc.Unknown),
		Needed:   memberGitHash | memberKey | memberLinks,
		Sections: skiadoc.Results,
		Flat:     true,
		Setup:    (*jsonscan.Scanner).ForgiveNaN,
		Required: memberVersion,
		Missing:  format.ErrVersion,
	},
	Results: jsonscan.Array,
	Other:   "the legacy format has an object here",
}

// Members of the header, in the order of docFormat.Names.
const (
	memberVersion jsondoc.Set = 2 << iota
	memberGitHash
	memberKey
	memberLinks
)

func (d *document) ReadMember(s *jsonscan.Scanner, m jsondoc.Set) {
	switch g := &d.grammar; m {
	case jsondoc.Unknown:
		g.skipUnknown(s)
	case memberVersion:
		g.readVersion(s, s.Kind())
	default:
		g.ReadMember(s, d.header.members(), docFormat.Name(m))
	}
}

// readVersion reads the version, which must be 1. Validation has the published schema's words for a
// value of another type.
func (g *grammar) readVersion(s *jsonscan.Scanner, kind jsonscan.Kind) {
	v := g.Validation
	if kind != jsonscan.Number {
		if v != nil {
			v.WrongType(s, "integer")
			return
		}
		e := s.TypeError("integer")
		e.Err = format.ErrVersion
		s.Fail(e)
		return
	}

	f, ok := s.Number()
	if !ok || f == 1 && s.IsInteger() {
		if ok && v != nil && string(s.Token()) != "1" {
			v.AddWarning(s.TokenError("version is not written as 1: the ingester of Skia Perf refuses the file"))
		}
		return
	}

	e := s.TokenError(fmt.Sprintf("%v %s, expected 1", format.ErrVersion, message.Shorten(string(s.Token()))))
	e.Err = format.ErrVersion
	switch {
	case v == nil:
		s.Fail(e)
	case s.IsInteger():
		v.Add(e)
	default:
		v.Add(s.TokenError("Invalid type. Expected: integer, given: number"))
	}
}
