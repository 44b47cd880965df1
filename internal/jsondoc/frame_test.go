package jsondoc_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
)

// A reader reads words: a format with one member of each kind. Every word is shown with the language,
// which is needed before the words.
type reader struct {
	format.Options
	frame jsondoc.Frame

	lang, note string
	checks     int // of headers
}

type content reader

const (
	words jsondoc.Set = 1 << iota
	more
	version
	lang
	note
)

func layout(flat bool, required jsondoc.Set) *jsondoc.Layout {
	return &jsondoc.Layout{
		Names:    []string{"words", "more", "version", "lang", "note"},
		Header:   version | lang | note,
		Needed:   lang,
		Sections: words | more,
		Required: required,
		Missing:  format.ErrVersion,
		Flat:     flat,
		Setup:    func(s *jsonscan.Scanner) { s.AllowNaN() },
	}
}

var flatLayout, deepLayout, strictLayout = layout(true, version), layout(false, version), layout(true, version|words)

func (c *content) Begin() (format.Options, *jsondoc.Layout) {
	o := format.Options{Name: "in", Limits: c.Limits.WithDefaults(), InOrder: c.InOrder}
	switch c.Name {
	case "flat":
		return o, flatLayout
	case "strict":
		return o, strictLayout
	}
	return o, deepLayout
}

// text reads the value ahead, which should be a string.
func text(s *jsonscan.Scanner) string {
	if s.Kind() != jsonscan.String {
		s.Fail(s.TypeError("string"))
	}
	text, _ := s.Text()
	return string(text)
}

func (c *content) ReadMember(s *jsonscan.Scanner, m jsondoc.Set) {
	switch m {
	case lang:
		c.lang = text(s)
	case note:
		c.note = text(s)
	default:
		s.Skip()
	}
}

func (c *content) CheckSection(s *jsonscan.Scanner, _ jsondoc.Set) {
	switch s.Kind() {
	case jsonscan.Null:
		s.Null()
	case jsonscan.Array:
	default:
		s.Fail(s.TypeError("array"))
	}
}

func (c *content) CheckHeader(s *jsonscan.Scanner) error {
	c.checks++
	if c.lang == "xx" {
		return jsondoc.ErrorAtStart(s, "lang", "xx is not a language", format.ErrSkipped)
	}
	return nil
}

func (c *content) FileHeader() format.Header { return format.Header{Commit: c.lang + " " + c.note} }

// read reads the words and errors.
func (r *reader) read() (got []string) {
	fault := func(err error) bool {
		word := "FATAL "
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			word = "error "
		}
		got = append(got, word+err.Error())
		return true
	}
	for _, s := range r.frame.Sections((*content)(r), fault) {
		for s.EnterArray(); s.Element(); {
			got = append(got, r.lang+" "+text(s))
		}
	}
	return got
}

func newReader(in io.Reader, o format.Options) *reader {
	r := &reader{Options: o}
	r.frame.Reset(in)
	return r
}

// The words have the language wherever it is, or an error says why not.
func TestFrame(t *testing.T) {
	tooLate := "must come before the results when reading in order"
	for _, test := range []struct {
		name, in string
		want     []string
		inOrder  []string // if it is not want
		twice    bool     // a flat document in memory is not read once
	}{
		{
			name: "header before",
			in:   `{"version":1,"lang":"en","words":["a","b"]}`,
			want: []string{"en a", "en b"},
		},
		{
			name:    "header after",
			in:      `{"words":["a","b"],"version":1,"lang":"en"}`,
			want:    []string{"en a", "en b"},
			inOrder: []string{" a", " b", "error in:1:39: lang: " + tooLate},
		},
		{
			name:    "header on both sides",
			in:      `{"lang":"en","words":["a"],"note":"x","version":1}`,
			want:    []string{"en a"},
			inOrder: []string{"en a", "error in:1:35: note: " + tooLate},
		},
		{
			name:    "two sections",
			in:      `{"version":1,"words":["a"],"lang":"en","more":["b"]}`,
			want:    []string{"en a", "en b"},
			inOrder: []string{" a", "error in:1:35: lang: " + tooLate, " b"},
		},
		{
			name: "two sections, the second first",
			in:   `{"version":1,"lang":"en","more":["b"],"words":["a"]}`,
			want: []string{"en b", "en a"},
		},
		{
			name: "no section",
			in:   `{"version":1,"lang":"en"}`,
		},
		{
			name: "null section",
			in:   `{"version":1,"lang":"en","words":null,"more":["b"]}`,
			want: []string{"en b"},
		},
		{
			name:    "late null",
			in:      `{"version":1,"words":["a"],"lang":null}`,
			want:    []string{"FATAL in:1:35: lang: Invalid type. Expected: string, given: null"},
			inOrder: []string{" a"},
			twice:   true,
		},
		{
			name: "unknown members",
			in:   `{"x":[1],"version":1,"lang":"en","words":["a"],"y":{"lang":"fr"}}`,
			want: []string{"en a"},
		},
		{
			name: "NaN",
			in:   `{"x":NaN,"version":1,"lang":"en","words":["a"]}`,
			want: []string{"en a"},
		},
		{
			name: "no version",
			in:   `{"lang":"en","words":["a"]}`,
			want: []string{"FATAL in:1:1: (root): version is required"},
			inOrder: []string{
				"en a", "FATAL in:1:1: (root): version is required",
			},
			twice: true,
		},
		{
			name: "no version, and none of the sections",
			in:   `{"lang":"en"}`,
			want: []string{"FATAL in:1:1: (root): version is required"},
		},
		{
			name: "header that is refused",
			in:   `{"version":1,"lang":"xx","words":["a"]}`,
			want: []string{"FATAL in:1:1: lang: xx is not a language"},
		},
		{
			name:  "member of the header twice before the section",
			in:    `{"version":1,"lang":"en","lang":"fr","words":["a"]}`,
			want:  []string{`FATAL in:1:26: lang: duplicate member "lang"`},
			twice: true,
		},
		{
			name: "member of the header on both sides",
			in:   `{"version":1,"lang":"en","words":["a"],"lang":"fr"}`,
			want: []string{"en a", `FATAL in:1:40: lang: duplicate member "lang"`},
		},
		{
			name: "section twice",
			in:   `{"version":1,"lang":"en","words":["a"],"words":["b"]}`,
			want: []string{"en a", `FATAL in:1:40: words: duplicate member "words"`},
		},
		{
			name: "unknown member twice",
			in:   `{"x":1,"version":1,"lang":"en","words":["a"],"x":2}`,
			want: []string{"en a", `FATAL in:1:46: x: duplicate member "x"`},
		},
		{
			name:  "fault in the header",
			in:    `{"version":1,"lang":7,"words":["a"]}`,
			want:  []string{"FATAL in:1:21: lang: Invalid type. Expected: string, given: integer"},
			twice: true,
		},
		{
			name:    "fault in the late header",
			in:      `{"version":1,"words":["a"],"lang":7}`,
			want:    []string{"FATAL in:1:35: lang: Invalid type. Expected: string, given: integer"},
			twice:   true,
			inOrder: []string{" a", "error in:1:35: lang: " + tooLate},
		},
		{
			name: "section of the wrong type",
			in:   `{"version":1,"lang":"en","words":{"a":1}}`,
			want: []string{"FATAL in:1:34: words: Invalid type. Expected: array, given: object"},
		},
		{
			name: "not a document",
			in:   `[1]`,
			want: []string{"FATAL in:1:1: Invalid type. Expected: object, given: array"},
		},
		{
			name: "text after the document",
			in:   `{"version":1,"lang":"en","words":["a"]} 1`,
			want: []string{"en a", "FATAL in:1:41: data after the end of the document"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.inOrder == nil {
				test.inOrder = test.want
			}
			for _, layout := range []string{"flat", "deep"} {
				for _, inOrder := range []bool{false, true} {
					want := test.want
					if inOrder {
						want = test.inOrder
					}
					what := fmt.Sprintf("%s, in order %v", layout, inOrder)
					o := format.Options{Name: layout, InOrder: inOrder}
					formattest.CheckRead(t, what, test.in, want, func(in io.Reader) []string {
						return newReader(in, o).read()
					})
				}
			}
			r := newReader(strings.NewReader(test.in), format.Options{Name: "flat"})
			r.read()
			if strings.Contains(test.in, `"words":[`) && r.frame.OnePass() == test.twice {
				t.Errorf("read once: %v", r.frame.OnePass())
			}
		})
	}
}

// A section can be required too, in order and otherwise.
func TestRequiredSection(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"there", `{"version":1,"lang":"en","words":["a"]}`, []string{"en a"}},
		{"empty", `{"version":1,"lang":"en","words":[]}`, nil},
		{"missing", `{"version":1,"lang":"en"}`, []string{"FATAL in:1:1: (root): words is required"}},
		{"another", `{"version":1,"lang":"en","more":[]}`, []string{"FATAL in:1:1: (root): words is required"}},
		{"both are missing", `{"lang":"en"}`, []string{"FATAL in:1:1: (root): words is required"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, inOrder := range []bool{false, true} {
				o := format.Options{Name: "strict", InOrder: inOrder}
				what := fmt.Sprintf("in order %v", inOrder)
				formattest.CheckRead(t, what, test.in, test.want, func(in io.Reader) []string {
					return newReader(in, o).read()
				})
			}
		})
	}
}

// The header is read once, and its error is returned again. Reading the words twice is refused, until
// Reset.
func TestFrameOrder(t *testing.T) {
	const in = `{"version":1,"words":["a"],"lang":"en","note":"x"}`
	for way, source := range formattest.Sources {
		t.Run(way, func(t *testing.T) {
			r := newReader(source(in), format.Options{})
			for range 2 {
				h, err := r.frame.FileHeader((*content)(r))
				if err != nil || h.Commit != "en x" {
					t.Fatalf("header %q, %v", h.Commit, err)
				}
			}
			if diff := cmp.Diff([]string{"en a"}, r.read()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"FATAL in:1:1: the file was read already"}, r.read()); diff != "" {
				t.Errorf("again (-want +got):\n%s", diff)
			}
			for range r.frame.Sections((*content)(r), func(err error) bool {
				if !errors.Is(err, format.ErrMisuse) {
					t.Errorf("the cause of %v is not ErrMisuse", err)
				}
				return true
			}) {
				t.Error("a section")
			}

			const refused = `{"version":1,"lang":"xx","words":["a"]}`
			r.frame.Reset(source(refused))
			for range 2 {
				if h, err := r.frame.FileHeader((*content)(r)); !errors.Is(err, format.ErrSkipped) || h.Commit != "" {
					t.Errorf("header %q, %v; want ErrSkipped", h.Commit, err)
				}
			}
			if diff := cmp.Diff([]string{"FATAL in:1:1: lang: xx is not a language"}, r.read()); diff != "" {
				t.Errorf("after Reset (-want +got):\n%s", diff)
			}
			if r.checks != 2 {
				t.Errorf("%d checks of headers, want one for each of two files", r.checks)
			}
		})
	}
}

// The loop and the function that gets the errors can stop the reading, and all is released then.
func TestFrameStops(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	list := "[" + strings.Repeat(`"a",`, 50_000) + `"a"]`
	for _, test := range []struct {
		name, in string
		inOrder  bool
		header   bool // it is read first
		sections int  // after which the loop stops
		want     []string
	}{
		{
			name: "in the first section", in: `{"version":1,"words":` + list + `,"lang":"en","more":[]}`, sections: 1,
		},
		{
			name: "at the second section", in: `{"version":1,"words":` + list + `,"lang":"en","more":[]}`, sections: 2,
		},
		{
			name: "with an error of the header", in: `{"version":1,"words":` + list + `,"lang":"xx"}`, header: true,
			want: []string{"in:1:1: lang: xx is not a language"},
		},
		{
			name: "at a late member", in: `{"version":1,"words":[],"lang":"en","more":[]}`, inOrder: true, sections: 3,
			want: []string{"in:1:32: lang: must come before the results when reading in order"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := format.Options{InOrder: test.inOrder, Limits: format.Limits{MaxSpoolMemory: 1}}
			r := newReader(formattest.Stream(test.in), o)
			if test.header {
				if err := r.frame.Header((*content)(r)); err == nil {
					t.Fatal("no error of the header")
				}
				if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
					t.Errorf("left behind after the header: %v, %v", files, err)
				}
			}

			var got []string
			sections := 0
			fault := func(err error) bool {
				got = append(got, err.Error())
				return false
			}
			for _, s := range r.frame.Sections((*content)(r), fault) {
				if sections++; sections == test.sections {
					break
				}
				s.Skip()
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("left behind: %v, %v", files, err)
			}
			if err := r.frame.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A stream is held for a second reading only, and Close releases it.
func TestFrameClose(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := `{"version":1,"words":[` + strings.Repeat(`"a",`, 50_000) + `"a"],"lang":"en"}`
	r := newReader(formattest.Stream(in), format.Options{Limits: format.Limits{MaxSpoolMemory: 1}})
	if err := r.frame.Close(); err != nil {
		t.Errorf("before use: %v", err)
	}
	if err := r.frame.Header((*content)(r)); err != nil || r.lang != "en" {
		t.Fatalf("lang %q, %v", r.lang, err)
	}
	for range 2 {
		if err := r.frame.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// MaxHeaderBytes counts the members of the header, wherever they are, and nothing else.
func TestHeaderLimit(t *testing.T) {
	long := strings.Repeat("n", 60)
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"fits", `{"version":1,"lang":"en","words":["a"],"note":"` + long + `"}`, []string{"en a"}},
		{"unknown members and sections",
			`{"x":"` + long + long + `","version":1,"lang":"en","words":["` + long + long + `"]}`,
			[]string{"en " + long + long}},
		{"one member", `{"version":1,"lang":"en","note":"` + long + long + `","words":["a"]}`,
			[]string{"FATAL in:1:155: note: too many bytes: more than 100 (Limits.MaxHeaderBytes)"}},
		{"on both sides", `{"version":1,"note":"` + long + `","words":["a"],"lang":"` + long + `"}`,
			[]string{"FATAL in:1:167: lang: too many bytes: more than 100 (Limits.MaxHeaderBytes)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, layout := range []string{"flat", "deep"} {
				o := format.Options{Name: layout, Limits: format.Limits{MaxHeaderBytes: 100}}
				formattest.CheckRead(t, layout, test.in, test.want, func(in io.Reader) []string {
					return newReader(in, o).read()
				})
			}
		})
	}
}
