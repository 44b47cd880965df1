package jsondoc_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
)

// The layout of a document with an optional section, which may not be read.
const (
	data jsondoc.Set = 1 << iota
	extra
	head
	place
)

var optionalLayout = jsondoc.Layout{
	Names:    []string{"data", "extra", "head", "place"},
	Header:   head,
	Needed:   head,
	Sections: data | extra,
	Optional: extra,
}

// A walk says how a document is read.
type walk struct {
	records   bool // Header ends at a section as soon as it can
	readTwice bool // ReadTwice is called at the first section
	inOrder   bool
	rests     int  // how often Rest is called; 0 means once
	leave     bool // Rest leaves the section extra unread at first
}

// trace returns the members that a document yields, in order.
func (w walk) trace(in io.Reader) (got []string) {
	limits := format.Limits{}.WithDefaults()
	s := optionalLayout.NewScanner(in, "in", limits)
	defer s.Close()
	var d jsondoc.Document
	d.Open(s, &optionalLayout, limits, w.inOrder)
	show := func(what string, s *jsonscan.Scanner) {
		text, _ := s.AppendValue([]byte(what), nil)
		if s.Err() == nil {
			got = append(got, string(text))
		}
	}

	for m, s := range d.Header(w.records) {
		switch {
		case m&optionalLayout.Sections == 0:
			show("header "+string(d.Name())+" ", s)
		case w.readTwice:
			d.ReadTwice()
		}
	}
	if d.Err() == nil {
		for range max(1, w.rests) {
			leave := w.leave
			for m, s := range d.Rest() {
				if leave && m == extra {
					leave = false
					got = append(got, "left")
					continue
				}
				switch m {
				case data:
					show("data: ", s)
				case extra:
					show("extra: ", s)
				default:
					show("rest ", s)
				}
			}
		}
	}
	if err := d.Err(); err != nil {
		got = append(got, "FATAL "+err.Error())
	} else if !d.Has(head) {
		got = append(got, "no head")
	}
	return got
}

// The members of the header come first, and then the sections, in the order of the document.
func TestDocument(t *testing.T) {
	for _, test := range []struct {
		name, in string
		walk     walk
		want     []string
	}{
		{
			name: "whole header",
			in:   `{"data":[1],"head":2,"extra":[3]}`,
			want: []string{"header head 2", "data: [1]", "extra: [3]"},
		},
		{
			name: "records, header before",
			in:   `{"head":2,"data":[1],"x":4,"extra":[3]}`,
			walk: walk{records: true},
			want: []string{"header head 2", "data: [1]", "rest 4", "extra: [3]"},
		},
		{
			name: "an optional section first, twice",
			in:   `{"extra":[3],"head":2,"data":[1]}`,
			want: []string{"header head 2", "extra: [3]", "data: [1]"},
		},
		{
			name: "an optional section first, once",
			in:   `{"extra":[3],"head":2,"data":[1]}`,
			walk: walk{records: true},
			want: []string{"header head 2", "data: [1]"},
		},
		{
			name: "several readings",
			in:   `{"data":[1],"head":2}`,
			walk: walk{rests: 3},
			want: []string{"header head 2", "data: [1]", "data: [1]", "data: [1]"},
		},
		{
			name: "ReadTwice",
			in:   `{"head":2,"data":[1],"place":5}`,
			walk: walk{records: true, readTwice: true},
			want: []string{"header head 2", "header place 5", "data: [1]"},
		},
		{
			name: "a section that the loop leaves comes last",
			in:   `{"head":2,"data":[1],"extra":[3],"place":5}`,
			walk: walk{records: true, leave: true},
			want: []string{"header head 2", "data: [1]", "left", "rest 5", "extra: [3]"},
		},
		{
			name: "in order",
			in:   `{"data":[1],"head":2}`,
			walk: walk{inOrder: true},
			want: []string{"data: [1]", "rest 2"},
		},
		{
			name: "fault in an optional section that is skipped",
			in:   `{"extra":[3,],"head":2,"data":[1]}`,
			want: []string{"FATAL in:1:13: extra.0: found ']', expected a value"},
		},
		{
			name: "the first of two faults",
			in:   `{"data":[1,],"head":2,"x":tru}`,
			want: []string{"FATAL in:1:12: data.0: found ']', expected a value"},
		},
		{
			name: "truncated",
			in:   `{"data":[1],"head":2`,
			want: []string{"FATAL in:1:21: head: unexpected end of input, expected the rest of a number"},
		},
		{
			name: "empty",
			in:   ``,
			want: []string{"FATAL in:1:1: the input is empty"},
		},
		{
			name: "no header",
			in:   `{"data":[1]}`,
			want: []string{"data: [1]", "no head"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				if diff := cmp.Diff(test.want, test.walk.trace(source(test.in))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// A member of the header may be read before its turn, near the end of an input that can seek. A fault
// there is found again with its position.
func TestEarly(t *testing.T) {
	long := `{"data":[` + strings.Repeat(`1,`, 100_000) + `1],`
	for _, test := range []struct {
		name, end string
		want      []string
	}{
		{"member", `"head":2}`, []string{"header head 2", "data"}},
		{"fault", "\n\"head\":tru}", []string{"FATAL in:2:11: head: found '}', expected true"}},
		{"repeated", `"head":2,"head":3}`, []string{"FATAL"}},
		{"after white space", `"head":2}` + strings.Repeat(" ", 10_000), []string{"header head 2", "data"}},
		{"text after the end", `"head":2} x`, []string{"FATAL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := long + test.end
			want := walk{records: false}.trace(formattest.Stream(in))
			got := walk{records: true}.trace(strings.NewReader(in))
			if !formattest.SameReading(got, want) && got[len(got)-1] != want[len(want)-1] {
				t.Errorf("%.100q, want %.100q", got, want)
			}
			if got := len(got); got < len(test.want) {
				t.Fatalf("%d lines, want %q", got, test.want)
			}
			for i, begin := range test.want {
				if last := got[len(got)-len(test.want)+i]; !strings.HasPrefix(last, begin) {
					t.Errorf("%.100q, want %q", last, begin)
				}
			}
		})
	}
}

// Unrecognized names what speaks for a format, and what speaks against it.
func TestUnrecognized(t *testing.T) {
	clues := []jsondoc.Clue{
		{Name: "version", Kinds: []jsonscan.Kind{jsonscan.Number}, Weak: true},
		{Name: "words", Kinds: []jsonscan.Kind{jsonscan.Array, jsonscan.Object}},
	}
	for _, test := range []struct {
		name, in, want string
	}{
		{"a clue", `{"words":[]}`, "a JSON object with words, but without the lang"},
		{"a weak clue", `{"version":1}`, "a JSON object with version, but without the lang"},
		{"both", `{"version":1,"words":[`, "a JSON object with words, but without the lang"},
		{"wrong kind", `{"version":"1"}`, "version is a string: want a number"},
		{"another wrong kind", `{"words":true}`, "words is a boolean: want an array or an object"},
		{"null", `{"words":null}`, ""},
		{"nothing", `{"a":1}`, ""},
		{"not an object", `[1]`, ""},
		{"not JSON", `{"words":[]]`, ""},
		{"empty", ``, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := jsondoc.Unrecognized([]byte(test.in), clues, "lang")
			if got.Yes || got.Reason != test.want || (got.Likely > 0) != (test.want != "") {
				t.Errorf("%+v, want %q", got, test.want)
			}
		})
	}
	weak := jsondoc.Unrecognized([]byte(`{"version":1}`), clues, "lang")
	strong := jsondoc.Unrecognized([]byte(`{"words":[]}`), clues, "lang")
	wrong := jsondoc.Unrecognized([]byte(`{"words":1}`), clues, "lang")
	if !(weak.Likely < strong.Likely && strong.Likely < wrong.Likely) {
		t.Errorf("likely: %d, %d, %d; want an increase", weak.Likely, strong.Likely, wrong.Likely)
	}
}

// A document is read only if it may have a clue, whose name may have escapes.
func TestDetect(t *testing.T) {
	clues := []jsondoc.Clue{{Name: "words", Kinds: []jsonscan.Kind{jsonscan.Array}}}
	for in, want := range map[string]bool{
		`{"words":1}`: true, " \ufeff{": false, "\ufeff\n {\"words\":1}": true, `{"w\u006frds":1}`: true, `{"words":`: true,
		`{"a":1}`: false, `{"a":"words "}`: false, `{"word`: false, `["words"]`: false,
	} {
		isRead := false
		match := jsondoc.Detect(func(s *jsonscan.Scanner) bool {
			isRead = true
			return false
		}, clues, "lang")([]byte(in))
		if isRead != want || match.Yes {
			t.Errorf("%q: read %v, want %v: %+v", in, isRead, want, match)
		}
		if is := jsondoc.Unrecognized([]byte(in), clues, "lang"); match != is {
			t.Errorf("%q: %+v, want %+v", in, match, is)
		}
	}
}
