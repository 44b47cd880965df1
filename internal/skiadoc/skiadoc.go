// Package skiadoc has what the readers and writers of both formats of Skia Perf share. A document
// is an object. One of its members holds the results; all others are the header.
//
// Files: grammar.go is the common part of both grammars, validation.go collects the findings when
// they validate, and writer.go has the checks of both writers.
package skiadoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
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

// A Member is a member of a document's header: a text, or pairs of texts.
type Member struct {
	Name      string
	Text      *string // nil if it is Pairs
	Pairs     *traceid.Params
	AreParams bool // the pairs are params
}

// AppendMembers appends the members of an object after its bracket, without those that are empty,
// except the first one.
func AppendMembers(dst []byte, members []Member) []byte {
	for i, m := range members {
		if i > 0 && (m.Text != nil && *m.Text == "" || m.Text == nil && len(*m.Pairs) == 0) {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(chars.AppendJSON(dst, m.Name), ':')
		if m.Text != nil {
			dst = chars.AppendJSON(dst, *m.Text)
		} else {
			dst = chars.AppendJSONObject(dst, m.Pairs.All())
		}
	}
	return dst
}

// SameKeys reports whether the params have the same keys.
func SameKeys(a, b traceid.Params) bool {
	return slices.EqualFunc(a, b, func(p, q traceid.Param) bool { return p.Key == q.Key })
}

// Branches returns the setting of a Reader's Branches.
func Branches[R format.Reader](field func(r R) *[]string) format.Setting {
	return format.Setting{
		Name:  "branches",
		Usage: "the values of the param branch to read, separated by commas; files of others are refused",
		Set: func(r format.Reader, value string) error {
			*field(r.(R)) = strings.Split(value, ",")
			return nil
		},
	}
}

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

// A Meaning is where params say what the value of their record means. The zero Meaning says nothing.
type Meaning struct {
	unit, better int // indices in the params, plus 1; 0 if none says it
}

// MeaningOf returns the Meaning of the params. It depends on their keys only.
func MeaningOf(p traceid.Params) (m Meaning) {
	for i := range p {
		switch p[i].Key {
		case paramUnit:
			m.unit = i + 1
		case paramUnits:
			m.unit = cmp.Or(m.unit, i+1)
		case paramDirection:
			m.better = i + 1
		}
	}
	return m
}

// The params that say what a value means. Where unit and units are both present, unit says it.
const (
	paramUnit      = "unit"
	paramUnits     = "units"
	paramDirection = "improvement_direction"
)

// HasUnit reports whether a param is the unit.
func (m *Meaning) HasUnit() bool { return m.unit > 0 }

// Set sets the unit and the direction of a record with the params.
func (m *Meaning) Set(rec *format.Record, p traceid.Params) {
	rec.Unit, rec.Better = "", format.Unknown
	if i := m.unit - 1; uint(i) < uint(len(p)) {
		rec.Unit = p[i].Value
	}
	if i := m.better - 1; uint(i) < uint(len(p)) {
		switch p[i].Value {
		case "up":
			rec.Better = format.Higher
		case "down":
			rec.Better = format.Lower
		}
	}
}

// IsMeaning reports whether a param with the key says what a value means.
func IsMeaning(key string) bool {
	return key == paramUnit || key == paramUnits || key == paramDirection
}
