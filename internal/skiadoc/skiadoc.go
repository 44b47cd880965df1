// Package skiadoc has what the readers, validators and writers of both formats of Skia Perf
// share. A document is an object. One of its members holds the results; all others are the
// header.
//
// Files: skiadoc.go has what readers and validators share, validator.go is the common part of
// both validators, and writer.go has the checks of both writers.
package skiadoc

import (
	"fmt"
	"io"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// A Format has the differences between the formats' documents.
type Format struct {
	jsondoc.Layout
	Results jsonscan.Kind // Array or Object
	Other   string        // what an error says if the results are the other one of these kinds

	// IsNumber reports whether s is at the value of a measurement. There, NaN and similar words
	// do not end the reading.
	IsNumber func(s *jsonscan.Scanner) bool
}

// Results is the member that holds the results, in both formats.
const Results jsondoc.Set = 1

// NewScanner returns a Scanner of a document of the format.
func (f *Format) NewScanner(in io.Reader, name string, limits format.Limits) *jsonscan.Scanner {
	s := jsonscan.New(in, name, limits)
	s.ForgiveNaN(f.IsNumber)
	return s
}

// CheckResults fails s if the results, which are ahead, are of a wrong kind. Results that are null
// count as absent: CheckResults reads them.
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

// PairCost is charged for a pair of strings in a key, links or options, in addition to its text:
// about the memory that it takes.
const PairCost = 64

// NaNMessage is the message of an error about NaN, or a similar word, in place of a number.
func NaNMessage(given []byte) string { return fmt.Sprintf("%s is not a JSON number", given) }

// ErrorAtStart returns an error about the input as a whole.
func ErrorAtStart(s *jsonscan.Scanner, path, message string, cause error) *format.Error {
	e := s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message)
	e.Err = cause
	return e
}

// CheckBranch returns an error about the file if its key names a branch that is not wanted. If
// wanted is empty, every branch is wanted.
func CheckBranch(s *jsonscan.Scanner, key traceid.Params, wanted []string) error {
	branch, ok := key.Get("branch")
	if !ok || len(wanted) == 0 || slices.Contains(wanted, branch) {
		return nil
	}
	message := fmt.Sprintf("%q is not one of the branches %q", branch, wanted)
	return ErrorAtStart(s, "key.branch", message, format.ErrSkipped)
}
