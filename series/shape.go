package series

import (
	"slices"

	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A shape says what params mean for the place of a record, by their keys. Most records have the keys
// of the previous one.
type shape struct {
	keys     []string
	meanings []meaning // of the keys

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

// A meaning is the meaning of a key.
type meaning struct {
	role     role
	isCommit bool
	varying  int // the index in varyingTexts, plus 1; 0 if it is not there
}

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
	same := len(params) == len(s.keys)
	s.keys = slices.Grow(s.keys[:min(len(s.keys), len(params))], len(params))
	s.meanings = slices.Grow(s.meanings[:len(s.keys)], len(params))
	for i, x := range params {
		switch {
		case i == len(s.keys):
			s.keys, s.meanings = append(s.keys, x.Key), append(s.meanings, p.meaningOf(x.Key))
		case !delta.SameText(x.Key, s.keys[i]):
			s.keys[i], s.meanings[i], same = x.Key, p.meaningOf(x.Key), false
		}
	}
	if same {
		return
	}

	s.commit, s.special, s.varying, s.varyingText = 0, s.special[:0], len(params), ""
	best := len(varyingTexts) + 1
	for i, m := range s.meanings {
		if m.isCommit {
			s.commit = i + 1
		}
		if m.role != identity {
			s.special = append(s.special, special{i, m.role})
		}
		if m.varying > 0 && m.varying < best {
			s.varying, s.varyingText, best = i, varyingTexts[m.varying-1], m.varying
		}
	}
}

// meaningOf returns the meaning of a key. Most keys have none.
func (p *Placer) meaningOf(key string) meaning {
	m := meaning{isCommit: key == paramCommit}
	switch {
	case slices.Contains(p.notIdentity(), key):
		m.role = notIdentity
		return m
	case key == paramRepetition:
		m.role = repetition
	case key == paramIteration:
		m.role = iteration
	}

	// Keys that are equal in a trace ID must have one family. They have one initial, too.
	if key == "" || key[0] != 's' && key[0] != 'u' {
		return m
	}
	p.text = append(p.Charset.AppendString(append(p.text[:0], ','), key), '=')
	for i, text := range varyingTexts {
		if string(p.text) == text {
			m.varying = i + 1
		}
	}
	return m
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
