package convert

import (
	"encoding/json"

	"perfdata/format"
	"perfdata/traceid"
)

// members are the members of headers that no record has. If several headers have a member, the first
// wins.
type members struct {
	list      traceid.Params
	conflicts []headerConflict
}

// A headerConflict counts the headers in which a member differs from that of the first one that has
// it.
type headerConflict struct {
	key string
	n   int
}

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
		if have, ok := get(l.list, m.Key); !ok {
			l.list = append(l.list, m)
		} else if have != m.Value {
			l.addConflict(m.Key)
		}
	}
}

// get is Get for pairs that are not sorted.
func get(pairs []traceid.Param, key string) (string, bool) {
	for _, p := range pairs {
		if p.Key == key {
			return p.Value, true
		}
	}
	return "", false
}

func (l *members) addConflict(key string) {
	for i := range l.conflicts {
		if l.conflicts[i].key == key {
			l.conflicts[i].n++
			return
		}
	}
	l.conflicts = append(l.conflicts, headerConflict{key, 1})
}

// drop counts the members that the header of the output does not have. A format with links has them for
// each record.
func (l *members) drop(out *sink, written format.Header, links bool) {
	has := membersOf(written)
	for _, m := range l.list {
		value, ok := get(has, m.Key)
		if ok && value == m.Value || links && m.Key == memberLinks {
			continue
		}
		out.count(lostHeader, m.Key)
	}
	for _, c := range l.conflicts {
		if !links || c.key != memberLinks {
			out.countN(lostHeader, c.key, c.n)
		}
	}
}
