package convert

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"hash/maphash"
	"reflect"
	"slices"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/traceid"
)

// A Survey learns from the records to be converted what a file of the target says about all of them:
// the commit, and params and links that they have in common. No name depends on it. [NewSurvey] makes
// one.
//
// Its memory depends on the largest record and the largest header.
type Survey struct {
	// Limits bounds the memory of the Writers. MaxHeldBytes bounds the records that are held and all
	// else that grows with them, MaxUniqueTraces the traces whose repetitions are numbered, and
	// MaxParams the units of a Perun profile. The other fields are ignored. Set it before the
	// first record.
	Limits format.Limits

	to   format.Format
	kind kind

	params, links common
	commits       commitCount
	risk          risk

	inputs  int
	source  source // the current input
	first   source // the first input
	header  format.Header
	own     format.Header // the first one of the target's format
	mixed   bool          // there are other headers
	headers common        // params of all headers
	members members

	placers   [2]series.Placer
	seed      maphash.Seed
	summaries map[uint64]summary // of samples, by trace
}

// NewSurvey returns a Survey of records that will be written in a format, which may be any that has a
// NewWriter.
func NewSurvey(to format.Format) *Survey {
	return &Survey{to: to, kind: kindOf(to), seed: maphash.MakeSeed(), placers: newPlacers()}
}

// A source is what a conversion has to know of an input to handle its records.
type source struct {
	own    bool           // it has the format of the target
	commit string         // of the header, unless it is a param of the records
	links  format.Links   // of the header
	given  traceid.Params // params of the header
}

func (k *kind) sourceOf(h format.Header) source {
	s := source{commit: h.Commit, links: h.Links, given: h.Params}
	s.own = k.header != nil && reflect.TypeOf(h.Native) == reflect.TypeOf(k.header)
	if commit, ok := h.Params.Get(paramCommit); ok && commit == h.Commit {
		s.commit = "" // it is the value in the records that have the param
	}
	return s
}

const paramCommit = "commit"

// commitOf returns the commit of a record: the record's own, or else that of the header, unless it has
// the given param. Keyvals have no other place for it than attributes.
func (s *source) commitOf(rec *format.Record, param string) (commit string, isAttr bool) {
	if commit = cmp.Or(rec.Commit, s.commit, param); commit == "" {
		commit, _ = rec.Attrs.Get(paramCommit)
		isAttr = commit != ""
	}
	return commit, isAttr
}

// Commit returns the commit that a record of an input with the header measures. It is empty if neither
// names one.
func Commit(h format.Header, rec *format.Record) string {
	s := new(kind).sourceOf(h)
	param, _ := rec.Params.Get(paramCommit)
	commit, _ := s.commitOf(rec, param)
	return commit
}

// AddHeader begins an input, whose header [format.Reader.FileHeader] returns. The records that are
// added next are from the input. Where the headers of several inputs differ, the first one is
// used.
func (s *Survey) AddHeader(h format.Header) {
	s.source = s.kind.sourceOf(h)
	if s.inputs == 0 {
		s.first, s.header = s.source, h
	}
	s.inputs++
	s.headers.add(h.Params)
	if s.source.own && s.own.Native == nil {
		s.own = h
	}
	s.mixed = s.mixed || !s.source.own || s.inputs > 1 && !bytes.Equal(chars.JSON(h), chars.JSON(s.own))
	s.members.add(h)
}

// keepsHeader reports whether all inputs have the format of the target, and one header.
func (s *Survey) keepsHeader() bool { return s.own.Native != nil && !s.mixed }

// Add adds a record. It keeps none of its memory except strings.
func (s *Survey) Add(rec *format.Record) {
	param, _ := rec.Params.Get(paramCommit)
	commit, _ := s.source.commitOf(rec, param)
	s.commits.add(commit)

	if !s.source.own {
		s.risk.add(rec.Params)
	}
	if s.kind.common {
		s.params.add(rec.Params)
		s.links.add(rec.Links)
	}
}

// AddSamples adds samples that [Writer.WriteSamples] will write. It keeps none of their memory
// except strings.
func (s *Survey) AddSamples(x *format.Samples) {
	rec := &format.Record{Params: x.Params, Attrs: x.Attrs, Links: s.links.pairs}
	s.Add(rec)
	if s.kind.samples || len(x.Values) == 0 {
		return
	}
	if s.summaries == nil {
		s.summaries = make(map[uint64]summary)
	}
	if len(s.summaries) < s.Limits.WithDefaults().MaxUniqueTraces {
		s.summaries[s.trace(s.placers[0].Identify(rec).Identity, s.inputs)] = summary{slices.Min(x.Values), x.Values[0]}
	}
}

// A summary is what a measurement may say of its samples.
type summary struct{ least, first float64 }

// trace returns a hash of the params of a measurement of the n-th input.
func (s *Survey) trace(params traceid.Params, n int) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	maphash.WriteComparable(&h, n)
	for _, p := range params {
		maphash.WriteComparable(&h, p)
	}
	return h.Sum64()
}

// headerParams returns the params for the header of a format whose records may have more: the
// params that all headers and records have. Without headers, it suffices that all records have
// them.
func (s *Survey) headerParams() traceid.Params {
	return slices.DeleteFunc(valid(s.params.pairs), func(p traceid.Param) bool {
		value, ok := s.headers.pairs.Get(p.Key)
		return p.Key == paramCommit || s.inputs > 0 && !(ok && value == p.Value)
	})
}

// valid returns the pairs that are UTF-8.
func valid(pairs traceid.Params) traceid.Params {
	return slices.DeleteFunc(pairs.Clone(), func(p traceid.Param) bool { return validPair(p) != p })
}

// A common are the pairs that all have.
type common struct {
	pairs traceid.Params
	begun bool
}

func (c *common) add(p traceid.Params) {
	if !c.begun {
		c.pairs, c.begun = p.Clone(), true
		return
	}
	lacks := func(pair traceid.Param) bool {
		value, ok := p.Get(pair.Key)
		return !ok || value != pair.Value
	}
	c.pairs = slices.DeleteFunc(c.pairs, lacks)
}

// ErrNoCommit is the cause of an error about records without a commit, if the format requires it.
// [format.Options] have a commit for such records.
var ErrNoCommit = errors.New("missing commit")

// ErrCommits is the cause of the error about records of several commits, if a file of the format
// holds one. To write them, use a [Survey] and a [Writer] for each commit.
var ErrCommits = errors.New("several commits")

// A commitCount counts the commits of records.
type commitCount struct {
	known map[[sha256.Size]byte]struct{} // hashes, because commits may be long; up to 65,536
	shown []string                       // up to 100 bytes of each of the first four
	only  string                         // the first commit
	last  string
}

func (c *commitCount) add(commit string) {
	if len(c.known) > 0 && commit == c.last {
		return
	}
	if len(c.known) == 0 {
		c.known, c.only = make(map[[sha256.Size]byte]struct{}), commit
	}
	if c.last = commit; len(c.known) < 1<<16 {
		c.known[sha256.Sum256([]byte(commit))] = struct{}{}
	}
	if len(c.shown) < min(len(c.known), 4) {
		c.shown = append(c.shown, cmp.Or(commit[:min(len(commit), 100)], "none"))
	}
}

// A member is one of a header's that no record has. If several headers have it, the first wins.
type member struct {
	key, value string
	conflicts  int // headers in which it differs
}

// members are the members of several headers, in the order of their first occurrences.
type members []member

const memberLinks = "links"

// add adds the members of a header, except the commit, which belongs to the records, and the params,
// which the records have. A format whose headers have more than others lists them with the method
// OwnMembers of its Header.
func (l *members) add(h format.Header) {
	add := func(key, value string) {
		if i := l.find(key); i < 0 && value != "" {
			*l = append(*l, member{key: key, value: value})
		} else if value != "" && (*l)[i].value != value {
			(*l)[i].conflicts++
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
		add(memberLinks, string(chars.JSON(h.Links)))
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
			m.conflicts++
		}
		if m.conflicts > 0 {
			out.countN(lostHeader, m.key, m.conflicts)
		}
	}
}
