package skiav1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonenc"
	"perfdata/internal/jsonscan"
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

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	return format.Header{
		Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Links: h.Links, Native: h,
	}
}

// MarshalJSON returns the header as a file has it, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object without its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"version":1,"git_hash":`...)
	dst = jsonenc.AppendString(dst, h.GitHash)
	dst = skiadoc.AppendString(dst, "issue", h.Issue)
	dst = skiadoc.AppendString(dst, "patchset", h.Patchset)
	dst = skiadoc.AppendPairs(dst, "key", h.Key)
	return skiadoc.AppendPairs(dst, "links", h.Links)
}

// docFormat has the differences between this format's document and the legacy format's.
var docFormat = skiadoc.Format{
	Layout: jsondoc.Layout{
		Names:    []string{"results", "version", "git_hash", "issue", "patchset", "key", "links"},
		Header:   memberVersion | memberGitHash | memberIssue | memberPatchset | memberKey | memberLinks,
		Needed:   memberKey | memberLinks,
		Sections: skiadoc.Results,
		Flat:     true,
		Setup:    func(s *jsonscan.Scanner) { s.ForgiveNaN(isNumber) },
		Required: memberVersion,
		Missing:  format.ErrVersion,
	},
	Results: jsonscan.Array,
	Other:   "the legacy format has an object here",
}

// The members of the header, in the order of docFormat.Names.
const (
	memberVersion jsondoc.Set = 2 << iota
	memberGitHash
	memberIssue
	memberPatchset
	memberKey
	memberLinks
)

// isNumber reports whether s is at the value of a measurement.
func isNumber(s *jsonscan.Scanner) bool {
	const array = jsonscan.InArray
	if names := s.OpenNames(3); names != nil {
		return names[0] == "results" && names[1] == array && names[2] == "measurement"
	}
	names := s.OpenNames(6)
	return names != nil && names[0] == "results" && names[1] == array && names[2] == "measurements" &&
		names[3] != array && names[4] == array && names[5] == "measurement"
}

// readMember reads the value of a member of the document other than results.
func (h *Header) readMember(g *grammar, s *jsonscan.Scanner, m jsondoc.Set) {
	switch kind := s.Kind(); {
	case m == jsondoc.Unknown:
		s.Skip()
	case m == memberVersion:
		readVersion(s, kind)
	case kind == jsonscan.Null:
		s.Null()
	case m == memberGitHash:
		h.GitHash = g.strings.New(s.WantText())
	case m == memberIssue:
		h.Issue = g.strings.New(s.WantText())
	case m == memberPatchset:
		h.Patchset = g.strings.New(s.WantText())
	case m == memberKey:
		h.Key = g.readParams(s)
	case m == memberLinks:
		h.Links = g.readParams(s)
	}
}

func (g *grammar) readParams(s *jsonscan.Scanner) traceid.Params {
	return skiadoc.ReadParams(s, &g.inPairs, &g.strings, g.limits.MaxParams, pairsName)
}

func readVersion(s *jsonscan.Scanner, kind jsonscan.Kind) {
	var e *format.Error
	if kind == jsonscan.Number {
		f, ok := s.Number()
		if !ok || f == 1 && s.IsInteger() {
			return
		}
		e = s.TokenError(versionMessage(s.Token()))
	} else {
		e = s.TypeError("integer")
	}
	e.Err = format.ErrVersion
	s.Fail(e)
}

func versionMessage(given []byte) string {
	return fmt.Sprintf("%v %s, expected 1", format.ErrVersion, jsonscan.Clip(string(given)))
}
