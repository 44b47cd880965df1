package convert

import (
	"encoding/json"
	"slices"

	"perfdata/format"
	"perfdata/traceid"
)

// A member is one of a header's that no record has. If several headers have it, the first wins.
type member struct {
	key, value string
	conflicts  int // headers in which it differs
}

// members are the members of several headers, in the order of their first occurrences.
type members []member

// membersOf returns the members of a header, except the commit, which belongs to the records, and the
// params, which the records have. A format whose headers have more than others lists them with the
// method OwnMembers of its Header.
func membersOf(h format.Header) (list traceid.Params) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, traceid.Param{Key: name, Value: value})
		}
	}
	add("issue", h.Issue)
	add("patchset", h.Patchset)
	if native, ok := h.Native.(interface{ OwnMembers() []traceid.Param }); ok {
		for _, m := range native.OwnMembers() {
			add(m.Key, m.Value)
		}
	}
	if len(h.Links) > 0 {
		add(memberLinks, jsonText(h.Links))
	}
	return list
}

const memberLinks = "links"

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// add adds the members of a header.
func (l *members) add(h format.Header) {
	for _, m := range membersOf(h) {
		if i := l.find(m.Key); i < 0 {
			*l = append(*l, member{key: m.Key, value: m.Value})
		} else if (*l)[i].value != m.Value {
			(*l)[i].conflicts++
		}
	}
}

func (l members) find(key string) int {
	return slices.IndexFunc(l, func(m member) bool { return m.key == key })
}

// get returns the value of a member, or an empty one.
func (l members) get(key string) string {
	if i := l.find(key); i >= 0 {
		return l[i].value
	}
	return ""
}

// drop counts the members that the header of the output does not have. A format with links has them for
// each record.
func (l members) drop(out *sink, written format.Header, links bool) {
	var has members
	has.add(written)
	if links {
		l = slices.DeleteFunc(slices.Clone(l), func(m member) bool { return m.key == memberLinks })
	}
	for _, m := range l {
		if has.get(m.key) != m.value { // no value is empty
			out.count(lostHeader, m.key)
		}
	}
	for _, m := range l {
		if m.conflicts > 0 {
			out.countN(lostHeader, m.key, m.conflicts)
		}
	}
}
