package rows

import (
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/traceid"
)

// A Header is what a file says about all of its results.
type Header struct {
	Commit string
	Unit   string // of measurements that name none
	Params traceid.Params
	Attrs  traceid.Params
	Links  format.Links
}

// Attr adds an attr that has a value.
func (h *Header) Attr(key, value string) {
	if value != "" {
		h.Attrs = append(h.Attrs, traceid.Param{Key: key, Value: value})
	}
}

// Param adds a param that has a value.
func (h *Header) Param(key, value string) {
	if value != "" {
		h.Params = append(h.Params, traceid.Param{Key: key, Value: value})
	}
}

// Flatten adds the other members of an object as attrs. The names of nested ones are joined by dots.
func (h *Header) Flatten(prefix string, v jsontree.Value) {
	for name, member := range v.Others() {
		h.Attr(prefix+name, member.Text())
		h.Flatten(prefix+name+".", member)
	}
}

// Flat is the type of an object for Flatten: of strings, numbers and booleans, in objects. Anything
// else is left out.
var Flat = flat()

func flat() *jsontree.Type {
	t := &jsontree.Type{Kinds: jsontree.Strings | jsontree.Numbers | jsontree.Written | jsontree.Bools |
		jsontree.Objects | jsontree.Lenient}
	t.Others = t
	return t
}

// Sort sorts the params, attrs and links. If several have the same key, the first stays.
func (h *Header) Sort() {
	h.Params, h.Attrs, h.Links = sorted(h.Params), sorted(h.Attrs), sorted(h.Links)
}

func sorted(pairs traceid.Params) traceid.Params {
	slices.SortStableFunc(pairs, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(pairs, func(a, b traceid.Param) bool { return a.Key == b.Key })
}
