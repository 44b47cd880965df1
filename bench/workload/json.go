package workload

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Style is a rendering of JSON.
type Style []jsontext.Options

// Styles of JSON, as written by MarshalIndent and Marshal in package encoding/json, and by
// json.dumps in Python, without and with an indent.
var (
	Indented       = Style{jsontext.WithIndent("  ")}
	Compact        = Style{}
	Python         = Style{jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true)}
	PythonIndented = Style{jsontext.WithIndent("    ")}
)

// appendText appends JSON text in the style.
func (s Style) appendText(b, text []byte) []byte {
	b, err := jsontext.AppendFormat(b, text, s...)
	if err != nil {
		panic("workload: " + err.Error()) // this package makes the text
	}
	return b
}

// placeholder is the place of a result in the text of a document, and the text after its name if
// it is a member.
var placeholder = regexp.MustCompile(`"\$"(: ?)?0?`)

// newJSON returns a document. The function text returns all of it, for a number of results, with
// two results called $. The function result returns the name of the i-th result, which is empty if
// it is an element, and its text and the number of its records.
func newJSON(style Style, text func(results int) string, result func(i int) (string, []byte, int)) *Document {
	style = append(Style{jsontext.AllowDuplicateNames(true)}, style...)
	split := func(results int) (head, between, tail, colon string) {
		formatted := string(style.appendText(nil, []byte(text(results))))
		parts := placeholder.Split(formatted, -1)
		return parts[0], parts[1], parts[2], placeholder.FindStringSubmatch(formatted)[1]
	}
	head, between, _, colon := split(1)
	ofResults := slices.Clone(style)
	if i := strings.LastIndexByte(head, '\n'); i >= 0 { // lines of a result begin as its first one
		ofResults = append(ofResults, jsontext.WithIndentPrefix(head[i+1:]))
	}

	return (&Document{
		head: []byte(head),
		tail: func(results int) []byte {
			_, _, tail, _ := split(results)
			return []byte(tail)
		},
		add: func(b []byte, i int) ([]byte, int) {
			if i > 0 {
				b = append(b, between...)
			}

			name, value, records := result(i)
			if colon != "" {
				b = append(strconv.AppendQuote(b, name), colon...)
			}
			return ofResults.appendText(b, value), records
		},
	}).WithResults(1)
}

// always returns a function that returns the text for any number of results.
func always(text string) func(int) string { return func(int) string { return text } }
