package series

import (
	"slices"

	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A shape says what params mean for the place of a record, by their keys. Most records have the keys
// of the previous one.
type shape struct {
	keys []string

	commit  int       // the index of the param commit, from 1; 0 without one
	special []special // params that may not be part of the identity, by their indices

	// The varying param is the statistic or the unit, which differ most from record to record: its
	// index, or the number of params, and the text before its value in a trace ID.
	varying     int
	varyingText string
}

// A special is a param that may not be part of the identity.
type special struct {
	at   int // its index
	role role
}

type role int

const (
	identity    role = iota
	notIdentity      // whatever the value is
	repetition       // spells the number of the repetition, if it is one
	iteration        // the same, if the record has that number
)

// Params that have a meaning.
const (
	paramCommit     = "commit"
	paramIteration  = "iteration"
	paramRepetition = "repetition"
)

var defaultNotIdentity = []string{paramCommit, "commit-time", "date"}

// varyingTexts are the varying params, as the text before their values in a trace ID. The first of them that
// a trace has is its varying param.
var varyingTexts = []string{",stat=", ",sub_result=", ",unit="}

// learn makes s the shape of params for a Placer.
func (s *shape) learn(params traceid.Params, p *Placer) {
	hasKey := func(x traceid.Param, key string) bool { return delta.SameText(x.Key, key) }
	if slices.EqualFunc(params, s.keys, hasKey) {
		return
	}

	s.keys = s.keys[:0]
	s.commit, s.special, s.varying, s.varyingText = 0, s.special[:0], len(params), ""
	best := len(varyingTexts)
	for i, x := range params {
		s.keys = append(s.keys, x.Key)
		if x.Key == paramCommit {
			s.commit = i + 1
		}
		if role := p.roleOf(x.Key); role != identity {
			s.special = append(s.special, special{i, role})
		} else if n := p.varyingOf(x.Key); n < best {
			s.varying, s.varyingText, best = i, varyingTexts[n], n
		}
	}
}

func (p *Placer) roleOf(key string) role {
	switch {
	case slices.Contains(p.notIdentity(), key):
		return notIdentity
	case key == paramRepetition:
		return repetition
	case key == paramIteration:
		return iteration
	}
	return identity
}

// varyingOf returns the index in varyingTexts of the text with a key, or their number for most keys. Keys
// that are equal in a trace ID must have one family. They have one initial, too.
func (p *Placer) varyingOf(key string) (n int) {
	if key == "" || key[0] != 's' && key[0] != 'u' {
		return len(varyingTexts)
	}
	p.text = append(p.Charset.AppendString(append(p.text[:0], ','), key), '=')
	for n < len(varyingTexts) && string(p.text) != varyingTexts[n] {
		n++
	}
	return n
}

func (p *Placer) notIdentity() []string {
	if p.NotIdentity == nil {
		return defaultNotIdentity
	}
	return p.NotIdentity
}

// maxRepetition is the largest number of a repetition that a record can give. A param with a larger
// one is a param like any other.
const maxRepetition = 999_999_999

// repetitionNumber returns the number that a text spells: digits, without a zero before them. It is
// 0 for other texts.
func repetitionNumber(text string) int {
	if text == "" || len(text) > len("999999999") || text[0] == '0' {
		return 0
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
