package convert

import (
	"strings"
	"unicode/utf8"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/traceid"
)

// A Survey learns what the records to be converted have in common: params with the same value become the header. So a
// conversion reads its input twice, or keeps the records. The zero Survey is ready for use; its memory depends only on
// the largest record and the largest header.
type Survey struct {
	// GitHash is the commit that was measured. It is used where a format requires a commit and no header has one.
	GitHash string

	records              int
	params, links, attrs common

	header    headerMembers
	conflicts []headerConflict
	bench     *benchfmt.Header // the first one
	perun     *perun.Header    // the first one
}

// headerMembers are members of headers that no record has. Of several headers, the first is used.
type headerMembers struct{ gitHash, issue, patchset, source, patchStorage string }

type headerMember struct{ name, value string }

// A headerConflict counts the headers in which a member differs from that of the first one that has it.
type headerConflict struct {
	headerMember // of the first such header; a long value is cut off
	n            int
}

// list returns the members by the names of the Skia Perf format.
func (h *headerMembers) list() []headerMember {
	return []headerMember{
		{"git_hash", h.gitHash}, {"issue", h.issue}, {"patchset", h.patchset}, {"source", h.source}, {"patch_storage", h.patchStorage},
	}
}

// AddHeader adds the header of an input, which [format.Reader.FileHeader] returns. Where inputs differ, the first one
// is used.
func (s *Survey) AddHeader(h format.Header) {
	members := headerMembers{gitHash: h.Commit, issue: h.Issue, patchset: h.Patchset}
	switch native := h.Native.(type) { // what only the target of the same format can hold
	case nanolegacy.Header:
		members.source, members.patchStorage = native.Source, native.PatchStorage
	case benchfmt.Header:
		if s.bench == nil {
			s.bench = &native
		}
		members.gitHash = "" // it is a param of the records
	case perun.Header:
		if s.perun == nil {
			s.perun = &native
		}
	}
	s.addMembers(members)
}

func (s *Survey) addMembers(h headerMembers) {
	have := []*string{&s.header.gitHash, &s.header.issue, &s.header.patchset, &s.header.source, &s.header.patchStorage}
	for i, m := range h.list() {
		switch {
		case m.value == "" || m.value == *have[i]:
		case *have[i] == "":
			*have[i] = m.value
		default:
			s.addConflict(m)
		}
	}
}

func (s *Survey) addConflict(m headerMember) {
	for i := range s.conflicts {
		if s.conflicts[i].name == m.name {
			s.conflicts[i].n++
			return
		}
	}
	m.value = strings.Clone(m.value[:min(len(m.value), maxExample)])
	s.conflicts = append(s.conflicts, headerConflict{m, 1})
}

// Add adds a record. It keeps none of its memory but strings.
func (s *Survey) Add(rec *format.Record) {
	first := s.records == 0
	s.records++
	s.params.add(rec.Params, first)
	s.links.add(rec.Links, first)
	s.attrs.add(rec.Attrs, first)
}

// gitHash returns the commit: of a header, or else the configuration key that Go benchmarks have for it.
func (s *Survey) gitHash() string {
	if s.header.gitHash != "" {
		return s.header.gitHash
	}
	commit, _ := s.params.get("commit")
	return commit
}

// common are the pairs that all have.
type common struct{ pairs traceid.Params }

func (c *common) add(p traceid.Params, first bool) {
	if first {
		c.pairs = p.Clone()
		return
	}
	kept := c.pairs[:0]
	j := 0
	for _, have := range c.pairs {
		for j < len(p) && p[j].Key < have.Key {
			j++
		}
		if j < len(p) && p[j] == have {
			kept = append(kept, have)
		}
	}
	c.pairs = kept
}

func (c *common) get(key string) (string, bool) { return c.pairs.Get(key) }

// has reports whether all records have the pair's key, with one value.
func (c *common) has(key string) bool {
	_, ok := c.pairs.Get(key)
	return ok
}

// except returns the pairs that are UTF-8 and for which not returns false.
func (c *common) except(not func(traceid.Param) bool) traceid.Params {
	var kept traceid.Params
	for _, p := range c.pairs {
		if !not(p) && utf8.ValidString(p.Key) && utf8.ValidString(p.Value) {
			kept = append(kept, p)
		}
	}
	return kept
}

// dropHeader counts the header's members that a format doesn't have: all but those named.
func (s *Survey) dropHeader(out *sink, held ...string) {
	has := func(name string) bool {
		for _, h := range held {
			if h == name {
				return true
			}
		}
		return false
	}
	drop := func(m headerMember, n int) {
		out.countN(LostHeader, "", n, func() string { return m.name + " " + message.Quote(m.value) })
	}
	for _, m := range s.header.list() {
		if m.value != "" && !has(m.name) {
			drop(m, 1)
		}
	}
	for _, c := range s.conflicts {
		drop(c.headerMember, c.n)
	}
}
