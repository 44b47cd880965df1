package skiav1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// A Header is what a file says about itself as a whole.
type Header struct {
	GitHash  string         // of the commit at which was measured; or CP: and a commit number
	Issue    string         // the code review's id, if what was measured is a change under review
	Patchset string         // the patchset's id within the issue
	Key      traceid.Params // params of all measurements
	Links    format.Links   // links of all measurements
}

// CommitNumber returns the number in a GitHash of the form "CP:727901", which projects use that number their commits.
// Any other GitHash is an error.
func (h Header) CommitNumber() (int, error) {
	digits, ok := strings.CutPrefix(h.GitHash, "CP:")
	if !ok {
		return 0, fmt.Errorf("git_hash %q is no commit number, such as CP:727901", h.GitHash)
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("git_hash %q is no commit number: %w", h.GitHash, errors.Unwrap(err))
	}
	return int(n), nil
}

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	return format.Header{Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Links: h.Links, Native: h}
}

// MarshalJSON returns the header as it stands in a file, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object but for its closing brace.
func (h *Header) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"version":1`...)
	dst = appendMember(dst, "git_hash", h.GitHash)
	if h.Issue != "" {
		dst = appendMember(dst, "issue", h.Issue)
	}
	if h.Patchset != "" {
		dst = appendMember(dst, "patchset", h.Patchset)
	}
	if len(h.Key) > 0 {
		dst = append(dst, `,"key":`...)
		dst = jsonenc.AppendParams(dst, h.Key.All())
	}
	if len(h.Links) > 0 {
		dst = append(dst, `,"links":`...)
		dst = jsonenc.AppendParams(dst, h.Links.All())
	}
	return dst
}

func appendMember(dst []byte, name, value string) []byte {
	dst = append(dst, ',')
	dst = jsonenc.AppendString(dst, name)
	dst = append(dst, ':')
	return jsonenc.AppendString(dst, value)
}
