package jsondoc_test

import (
	"io"
	"testing"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
)

// A validated document reports what is not a string, and that lang is missing.
type validated struct {
	content
	jsondoc.Validation
}

func (v *validated) ReadMember(s *jsonscan.Scanner, m jsondoc.Set) {
	if s.Kind() != jsonscan.String {
		v.WrongType(s, "string")
	} else if value := text(s); m == lang {
		v.lang = value
	}
}

func (v *validated) CheckSection(s *jsonscan.Scanner, _ jsondoc.Set) {
	if s.Kind() != jsonscan.Array {
		v.WrongType(s, "array")
	}
}

func (v *validated) CheckHeader(s *jsonscan.Scanner) error {
	if v.lang == "too long" {
		return jsondoc.ErrorAtStart(s, "lang", v.lang, format.ErrLimit)
	}
	return v.content.CheckHeader(s)
}

func (v *validated) CheckMembers(has func(jsondoc.Set) bool, at func(message string) *format.Error) {
	if !has(lang) {
		v.AddWarning(at("lang is missing"))
	}
}

func (v *validated) ReadSection(s *jsonscan.Scanner, _ jsondoc.Set, flush func() bool) bool {
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.String {
			v.WrongType(s, "string")
		} else {
			text(s)
		}
		if !flush() {
			return false
		}
	}
	return true
}

// Everything that is reported comes in the order of the document, then the error that ends the reading.
func TestValidation(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "valid",
			in:   `{"words":["a"],"lang":"en"}`,
			want: []string{},
		},
		{
			name: "in the order of the document",
			in:   ` §{"note":§1,"words":["a",§2,§{}],"x":§3,§"note":"b"}`,
			want: []string{
				"in:§: (root): warning: lang is missing",
				"in:§: note: Invalid type. Expected: string, given: integer",
				"in:§: words.1: Invalid type. Expected: string, given: integer",
				"in:§: words.2: Invalid type. Expected: string, given: object",
				"in:§: x: Invalid type. Expected: string, given: integer",
				`in:§: note: duplicate member "note"`,
			},
		},
		{
			name: "two sections",
			in:   `{"more":[§1],"lang":§2,"words":[§3]}`,
			want: []string{
				"in:§: more.0: Invalid type. Expected: string, given: integer",
				"in:§: lang: Invalid type. Expected: string, given: integer",
				"in:§: words.0: Invalid type. Expected: string, given: integer",
			},
		},
		{
			name: "no object",
			in:   ` §[1] §2`,
			want: []string{
				"in:§: (root): Invalid type. Expected: object, given: array",
				"in:§: data after the end of the document",
			},
		},
		{
			name: "a section of another type",
			in:   `{"lang":"en","words":§{"a":1}}`,
			want: []string{"in:§: words: Invalid type. Expected: array, given: object"},
		},
		{
			name: "another language",
			in:   `§{"words":[§1],"lang":"xx"}`,
			want: []string{
				"in:§: lang: xx is not a language",
				"in:§: words.0: Invalid type. Expected: string, given: integer",
			},
		},
		{
			name: "a limit ends the reading before the sections",
			in:   `§{"words":[1],"lang":"too long"}`,
			want: []string{"in:§: lang: too long"},
		},
		{
			name: "an error in a section hides the later ones",
			in:   `{"lang":"en","note":§1,"words":[§1,§],"x":1}`,
			want: []string{
				"in:§: note: Invalid type. Expected: string, given: integer",
				"in:§: words.0: Invalid type. Expected: string, given: integer",
				"in:§: words.0: found ']', expected a value",
			},
		},
		{
			name: "an error after the sections",
			in:   `{"lang":"en","words":[§1],"x":§1,§`,
			want: []string{
				"in:§: words.0: Invalid type. Expected: string, given: integer",
				"in:§: x: Invalid type. Expected: string, given: integer",
				"in:§: unexpected end of input, expected a member's name",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				return formattest.Faults(func(yield func(*format.Error) bool) { validate(in, yield) })
			})
			in, _ := formattest.Marked(test.in)
			for stop := range test.want { // the loop can stop at each error
				validate(formattest.Stream(in), func(*format.Error) bool {
					stop--
					return stop >= 0
				})
			}
		})
	}
}

func validate(in io.Reader, yield func(*format.Error) bool) {
	var f jsondoc.Frame
	f.Reset(in)
	v := new(validated)
	f.Validate(&v.Validation, v, yield)
}
