// Package skiadoc has what the readers, validators and writers of both formats of Skia Perf
// share. A document is an object. One of its members holds the results; all others are the
// header.
//
// Files: skiadoc.go has what readers and validators share, validator.go is the common part of
// both validators, and writer.go has the checks of both writers.
package skiadoc

import (
	"cmp"
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// A Format has the differences between the formats' documents.
type Format struct {
	jsondoc.Layout
	Results jsonscan.Kind // Array or Object
	Other   string        // what an error says if the results are the other one of these kinds
}

// Results is the member that holds the results, in both formats.
const Results jsondoc.Set = 1

// CheckResults fails s if the results, which are ahead, have the wrong kind. It reads results that
// are null, which are treated as absent.
func (f *Format) CheckResults(s *jsonscan.Scanner) {
	switch kind := s.Kind(); kind {
	case f.Results:
	case jsonscan.Null:
		s.Null()
	default:
		e := s.TypeError(f.Results.String())
		if kind == jsonscan.Object || kind == jsonscan.Array {
			e.Message += "; " + f.Other
		}
		s.Fail(e)
	}
}

// usualPairs is how many pairs the key, links or options of most headers have at most.
const usualPairs = 8

// ReadParams reads an object of the header whose values are strings, or null, which means that
// the key is absent. It fails s if a value has another type, or if there are more than max pairs,
// which the error calls what.
func ReadParams(
	s *jsonscan.Scanner, names *jsonscan.Names, strings *intern.Table, max int, what string,
) traceid.Params {
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return nil
	}

	pairs := make(traceid.Params, 0, usualPairs)
	for name, kind := range s.Members(names) {
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if !s.Charge(PairCost) {
			break
		}

		p := traceid.Param{Key: strings.String(name)}
		if kind == jsonscan.String {
			text, _ := s.Text()
			p.Value = strings.String(text)
		} else {
			s.Fail(s.TypeError("string"))
		}
		if pairs = append(pairs, p); len(pairs) > max {
			s.FailLimit(s.TokenError, "MaxParams", int64(max), what)
		}
	}
	slices.SortFunc(pairs, func(a, b traceid.Param) int { return cmp.Compare(a.Key, b.Key) })
	return pairs
}

// SameKeys reports whether the params have the same keys.
func SameKeys(a, b traceid.Params) bool {
	return slices.EqualFunc(a, b, func(p, q traceid.Param) bool { return p.Key == q.Key })
}

// PairCost is charged for a pair of strings in a key, links or options, in addition to its text:
// about the memory that it takes.
const PairCost = 64

// NaNMessage is the message of an error about NaN, or a similar word, in place of a number.
func NaNMessage(given []byte) string { return fmt.Sprintf("%s is not a JSON number", given) }

// CheckBranch returns an error about the file if its key names a branch that is not wanted. If
// wanted is empty, every branch is wanted.
func CheckBranch(s *jsonscan.Scanner, key traceid.Params, wanted []string) error {
	branch, ok := key.Get("branch")
	if !ok || len(wanted) == 0 || slices.Contains(wanted, branch) {
		return nil
	}
	message := fmt.Sprintf("%q is not one of the branches %q", branch, wanted)
	return jsondoc.ErrorAtStart(s, "key.branch", message, format.ErrSkipped)
}
