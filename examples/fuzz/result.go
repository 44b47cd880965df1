// Package fuzz shows how the author of another parser fuzzes it against this library: see fuzz_test.go.
package fuzz

import (
	"errors"
	"fmt"
	"strings"

	"perfdata/format"
	"perfdata/keyval"
)

// A result is what a parser reads in a file of perf keyvals.
type result struct {
	Values []value
	Bad    []int // numbers of the lines that are left out, from 1
}

// A value is one performance value.
type value struct {
	Iteration int // from 1
	Key       string
	Value     float64
}

// String returns a line of text for each value and each bad line. Two results are equal if their
// texts are.
func (r result) String() string {
	var b strings.Builder
	for _, v := range r.Values {
		fmt.Fprintf(&b, "iteration %d: %q = %v\n", v.Iteration, v.Key, v.Value)
	}
	for _, line := range r.Bad {
		fmt.Fprintf(&b, "line %d is left out\n", line)
	}
	return b.String()
}

// parseLibrary parses the text with the library. An error is about the file as a whole.
func parseLibrary(text string) (result, error) {
	var res result
	for it, err := range keyval.NewReader(strings.NewReader(text)).Iterations() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			res.Bad = append(res.Bad, e.Line)
			continue
		}
		if err != nil {
			return result{}, err
		}
		for _, kv := range it.Perf {
			res.Values = append(res.Values, value{it.Index, kv.Key, kv.Value})
		}
	}
	return res, nil
}
