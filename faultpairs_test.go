package perfdata

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/quick"
)

// A fault is a change of a document, after which it cannot be read to its end.
type fault struct{ old, new string }

// faultyDocuments has a document of each JSON format and layout, with the header after the data, and
// faults at all kinds of places.
var faultyDocuments = []struct {
	name, format, text string
	faults             []fault
}{
	{
		name:   "skiav1",
		format: "skiav1",
		text: `{"results":[
{"key":{"test":"a"},"measurement":1},
{"key":{"test":"b"},"measurement":2}],
"version":1,
"key":{"os":"linux"},
"git_hash":"abc",
"other":{"a":[1]},
"links":{"l":"u"},
"issue":"1",
"patchset":"2"}`,
		faults: []fault{
			{`{"test":"a"}`, `{"test":a}`},
			{`"measurement":2}`, `"measurement":2]`},
			{`"version":1`, `"version":2`},
			{`"version":1`, `"version":{"a":{"b":[]}}`},
			{`{"os":"linux"}`, `"gerrit"`},
			{`{"os":"linux"}`, `{"os":{"a":[{}]}}`},
			{`"git_hash":"abc"`, `"git_hash":{}`},
			{`"git_hash":"abc",`, `"git_hash":"abc","version":1,`},
			{`"git_hash":"abc",`, `"git_hash":"abc","key":{"os":"a"},`},
			{`{"a":[1]}`, `{"a":[01]}`},
			{`{"l":"u"}`, `{"l":["u"]}`},
			{`{"l":"u"}`, `{"l":"u"},"links":{"l":"u"}`},
			{`"issue":"1"`, `"issue":[]`},
			{`"patchset":"2"`, `"patchset":"2","other":1`},
			{`"patchset":"2"}`, `"patchset":"2"},{"version":1,"key":{},"links":{}}`},
			{`"patchset":"2"}`, `"patchset":"2"`},
		},
	},
	{
		name:   "nanolegacy",
		format: "nanolegacy",
		text: `{"results":{
"a":{"8888":{"min_ms":1,"options":{"o":"p"}}},
"b":{"8888":{"min_ms":2}}},
"key":{"os":"linux"},
"gitHash":"abc",
"other":{"a":[1]},
"options":{"system":"unix"},
"issue":"1",
"patchset":"2"}`,
		faults: []fault{
			{`"min_ms":1`, `"min_ms":+1`},
			{`{"min_ms":2}`, `{"min_ms":2]`},
			{`"b":`, `"a":`},
			{`{"os":"linux"}`, `"gerrit"`},
			{`{"os":"linux"}`, `{"os":{"a":[{}]}}`},
			{`"gitHash":"abc"`, `"gitHash":{}`},
			{`"gitHash":"abc",`, `"gitHash":"abc","key":{"os":"a"},`},
			{`{"a":[1]}`, `{"a":[01]}`},
			{`{"system":"unix"}`, `{"system":["unix"]}`},
			{`{"system":"unix"}`, `{"system":"unix"},"options":{"system":"unix"}`},
			{`{"system":"unix"}`, `{"system":"unix"},"key":{"system":"unix"}`},
			{`"issue":"1"`, `"issue":[]`},
			{`"patchset":"2"`, `"patchset":"2","other":1`},
			{`"patchset":"2"}`, `"patchset":"2"},{"results":{"a":{}},"key":{},"options":{}}`},
			{`"patchset":"2"}`, `"patchset":"2"`},
		},
	},
	{
		name:   "perun, snapshots",
		format: "perun",
		text: `{"snapshots":[
{"time":"0.1","resources":[{"amount":1,"uid":"a","type":"time"}]},
{"time":"0.2","resources":[{"amount":2,"uid":"b","type":"time"}]}],
"header":{"type":"time","cmd":"c","workload":"w","units":{"time":"s"}},
"other":{"a":[1]},
"collector_info":{"name":"time","params":{"p":[1]}},
"postprocessors":[],
"origin":"abc"}`,
		faults: []fault{
			{`"amount":1`, `"amount":+1`},
			{`"amount":2,"uid":"b"`, `"amount":2,"amount":"b"`},
			{`"type":"time","cmd":"c"`, `"type":"time","type":"c"`},
			{`"units":{"time":"s"}`, `"units":{"time":s}`},
			{`"other":{"a":[1]},`, `"other":{"a":[01]},`},
			{`"other":{"a":[1]},`, `"other":{"a":[1]},"header":{"type":"time"},`},
			{`"params":{"p":[1]}`, `"params":{"p":[1}`},
			{`"postprocessors":[]`, `"postprocessors":[],"collector_info":{}`},
			{`"origin":"abc"`, `"origin":"abc","other":1`},
			{`"origin":"abc"}`, `"origin":"abc"},{"header":{},"collector_info":{}}`},
			{`"origin":"abc"}`, `"origin":"abc"`},
		},
	},
	{
		name:   "perun, resources",
		format: "perun",
		text: `{"resources":{
"a#0":{"amount":[1,2],"snapshot":[0,1]},
"b#0":{"amount":[3]}},
"header":{"type":"time","cmd":"c","workload":"w","units":{"time":"s"}},
"resource_type_map":{
"a#0":{"uid":"a","type":"time"},
"b#0":{"uid":"b","type":"time"}},
"collector_info":{"name":"time","params":{"p":[1]}},
"other":{"a":[1]},
"postprocessors":[]}`,
		faults: []fault{
			{`"amount":[1,2]`, `"amount":[1,+2]`},
			{`"amount":[3]`, `"amount":[3],"amount":[3]`},
			{`"type":"time","cmd":"c"`, `"type":"time","type":"c"`},
			{`{"uid":"a","type":"time"}`, `{"uid":"a","type":"time]`},
			{`{"uid":"b","type":"time"}`, `{"uid":"b","uid":"time"}`},
			{`"params":{"p":[1]}`, `"params":{"p":[1}`},
			{`"other":{"a":[1]},`, `"other":{"a":[1]},"header":{"type":"time"},`},
			{`"postprocessors":[]`, `"postprocessors":[],"collector_info":{}`},
			{`"postprocessors":[]}`, `"postprocessors":[]},{"header":{},"collector_info":{}}`},
			{`"postprocessors":[]}`, `"postprocessors":[]`},
		},
	},
}

// If a file has two faults, the first one ends the reading: wherever the window ends, and although
// members after the results are read before them.
func TestTwoFaults(t *testing.T) {
	pipe := false // the ways of reading alternate
	for _, doc := range faultyDocuments {
		info, _ := FormatNamed(doc.format)
		for i, first := range doc.faults {
			for _, second := range doc.faults[i:] {
				if !strings.Contains(doc.text, first.old) || !strings.Contains(doc.text, second.old) {
					t.Fatalf("%s: %q or %q is not in the document", doc.name, first.old, second.old)
				}
				text, ok := withFaults(doc.text, first, second)
				if !ok {
					continue // the same place
				}
				t.Run(fmt.Sprintf("%s/%s %s", doc.name, first.new, second.new), func(t *testing.T) {
					want := fatalError(info, strings.Replace(doc.text, first.old, first.new, 1))
					other := fatalError(info, strings.Replace(doc.text, second.old, second.new, 1))
					if want == nil || other == nil {
						t.Fatalf("a fault does not end the reading: %v, %v", want, other)
					}
					if first != second && other.Offset < want.Offset {
						want = other
					}
					if got := fatalError(info, text); got == nil || got.Offset != want.Offset || got.Error() != want.Error() {
						t.Fatalf("%v, want %v", got, want)
					}

					blanks := bytes.Repeat([]byte{' '}, windowBytes)
					sh := shifter{info: info, text: []byte(text)}
					read, validate := sh.read(nil, 0, false), sh.validate(nil, 0, false)
					for k := windowBytes - len(text) - 1; k <= windowBytes; k += quick.Of(2, 97) * *shiftStep {
						before := append(blanks[:k:k], text...)
						within := slices.Insert([]byte(text), strings.IndexByte(text, '\n'), blanks[:k]...)
						for _, sh.text = range [][]byte{before, within} {
							pipe = !pipe
							if got := sh.read(nil, int64(k), pipe); !bytes.Equal(got, read) {
								t.Fatalf("after %d blanks, pipe %v:\n%s\nwithout:\n%s", k, pipe, got, read)
							}
							if got := sh.validate(nil, int64(k), !pipe); !bytes.Equal(got, validate) {
								t.Fatalf("Validate after %d blanks, pipe %v:\n%s\nwithout:\n%s", k, !pipe, got, validate)
							}
						}
					}
					pipe = !pipe
				})
			}
		}
	}
}

// withFaults returns a text with two faults, unless they are at the same place. They may be the same
// fault.
func withFaults(text string, first, second fault) (string, bool) {
	if first == second {
		return strings.Replace(text, first.old, first.new, 1), true
	}
	i, j := strings.Index(text, first.old), strings.Index(text, second.old)
	if i > j {
		i, j, first, second = j, i, second, first
	}
	end := i + len(first.old)
	if end > j {
		return "", false
	}
	return text[:i] + first.new + text[end:j] + second.new + text[j+len(second.old):], true
}

// fatalError returns the error that ends the reading of a text.
func fatalError(info format.Format, text string) *format.Error {
	for _, err := range info.Open(nil, strings.NewReader(text), format.Options{}).Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity != format.Recoverable {
			return e
		}
	}
	return nil
}
