package nanolegacy

import (
	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// A Header is what a file says about itself as a whole.
type Header struct {
	GitHash      string         // of the commit at which was measured
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

// MarshalJSON returns the header as it stands in a file, without the results.
func (h Header) MarshalJSON() ([]byte, error) { return append(h.appendJSON(nil), '}'), nil }

// appendJSON appends the header's object but for its closing brace.
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
