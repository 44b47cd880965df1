package convert

import (
	"encoding/json"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

// members are the members of headers that no record has. If several headers have a member, the first
// wins.
type members struct {
	list      []member
	conflicts []headerConflict
}

type member struct{ name, value string }

// A headerConflict counts the headers in which a member differs from that of the first one that has
// it.
type headerConflict struct {
	member // of the first such header; a long value is cut off
	n      int
}

// add adds the members of a header, except the commit, which belongs to the records, and the
// params, which the records have.
func (l *members) add(h format.Header) {
	l.addMember("issue", h.Issue)
	l.addMember("patchset", h.Patchset)
	switch native := h.Native.(type) {
	case nanolegacy.Header:
		l.addMember("source", native.Source)
		l.addMember("patch_storage", native.PatchStorage)
	case perun.Header:
		for _, m := range profileMembers(&native) {
			l.addMember(m.name, m.value)
		}
	}
	if len(h.Links) > 0 {
		l.addMember("links", jsonText(h.Links))
	}
}

// profileMembers returns the members of a profile's header that are not params of the records.
func profileMembers(h *perun.Header) []member {
	var list []member
	addFields := func(prefix string, fields perun.Fields) {
		for _, f := range fields {
			list = append(list, member{prefix + f.Key, jsonText(f.Value)})
		}
	}
	addFields("header.", h.Extra)
	if len(h.Collector.Params.Fields()) > 0 || len(h.Collector.Params.List()) > 0 {
		list = append(list, member{"collector_info.params", jsonText(h.Collector.Params)})
	}
	addFields("collector_info.", h.Collector.Other)
	if len(h.Postprocessors) > 0 {
		list = append(list, member{"postprocessors", jsonText(h.Postprocessors)})
	}
	addFields("", h.Other)
	return list
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (l *members) addMember(name, value string) {
	if value == "" {
		return
	}
	for _, have := range l.list {
		if have.name == name {
			if have.value != value {
				l.addConflict(member{name, value})
			}
			return
		}
	}
	l.list = append(l.list, member{name, value})
}

func (l *members) addConflict(m member) {
	for i := range l.conflicts {
		if l.conflicts[i].name == m.name {
			l.conflicts[i].n++
			return
		}
	}
	m.value = strings.Clone(m.value[:min(len(m.value), maxExample)])
	l.conflicts = append(l.conflicts, headerConflict{m, 1})
}

func (l *members) get(name string) string {
	for _, m := range l.list {
		if m.name == name {
			return m.value
		}
	}
	return ""
}

// drop counts the members that a format does not have: all for which has returns false.
func (l *members) drop(out *sink, has func(name string) bool) {
	count := func(m member, n int) {
		out.countN(LostHeader, m.name, n, func() string { return m.name + " " + message.Quote(m.value) })
	}
	for _, m := range l.list {
		if !has(m.name) {
			count(m, 1)
		}
	}
	for _, c := range l.conflicts {
		if c.name != "links" || !has(c.name) { // a format with links has them for each record
			count(c.member, c.n)
		}
	}
}

// named returns a condition for [members.drop].
func named(names ...string) func(string) bool {
	return func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
}
