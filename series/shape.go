package series

import (
	"slices"

	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A shape says what params mean for the place of a record, by their keys. Most records have the keys
// of the previous one.
type shape struct {
	keys    []string
	commit  int       // the index of the param commit, from 1; 0 without one
	special []special // params that may not be part of the identity, by their indices
}

// A special is a param that may not be part of the identity.
type special struct {
	at   int // its index
	role role
}

type role int

const (
	notIdentity role = iota // is not, whatever its value
	repetition              // spells the number of the repetition, if it is one
	iteration               // the same, if the record has that number
)

// Params that have a meaning.
const (
	paramCommit     = "commit"
	paramIteration  = "iteration"
	paramRepetition = "repetition"
)

var defaultNotIdentity = []string{paramCommit, "commit-time", "date"}

// fits reports whether the params have the keys that the shape was learned from.
func (s *shape) fits(params traceid.Params) bool {
	if len(params) != len(s.keys) {
		return false
	}
	for i, key := range s.keys {
		if !delta.SameText(params[i].Key, key) {
			return false
		}
	}
	return true
}

// learn makes s the shape of params.
func (s *shape) learn(params traceid.Params, without []string) {
	if without == nil {
		without = defaultNotIdentity
	}
	s.keys, s.special, s.commit = s.keys[:0], s.special[:0], 0
	for i, p := range params {
		s.keys = append(s.keys, p.Key)
		if p.Key == paramCommit {
			s.commit = i + 1
		}
		switch {
		case slices.Contains(without, p.Key):
			s.special = append(s.special, special{i, notIdentity})
		case p.Key == paramRepetition:
			s.special = append(s.special, special{i, repetition})
		case p.Key == paramIteration:
			s.special = append(s.special, special{i, iteration})
		}
	}
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
