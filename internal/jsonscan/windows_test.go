package jsonscan

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/testing/quick"
)

// A very long name is shortened in paths and messages, never within a rune or an escape sequence.
func TestLongNames(t *testing.T) {
	for _, part := range []string{"x", "é", "😀", `\u00e9`, `\\`, `\n`, `\ud83d\ude00`} {
		for shift := range quick.Of(6, 2) {
			name := strings.Repeat("a", shift) + strings.Repeat(part, 1+fullWindow/len(part))
			for _, in := range []string{`{"` + name + `":{"b":x}}`, `{"` + name + `":1,"` + name + `":2}`} {
				for way, reader := range ways {
					if way == "byte by byte" {
						continue
					}
					err := check(reader([]byte(in)))
					if err == nil || len(err.Error()) > 4000 || !utf8.ValidString(err.Error()) ||
						!strings.Contains(err.Error(), "...") {
						t.Fatalf("%s: %.2000v", part, err)
					}
				}
			}
		}
	}
}

// Long tokens, and tokens at the end of the window, are complete.
func TestWindows(t *testing.T) {
	for _, length := range []int{1, minWindow - 3, minWindow, fullWindow - 1, fullWindow, 3 * fullWindow} {
		for shift := 0; shift < 40; shift += quick.Of(1, 5) {
			text := strings.Repeat("é\\n", length/4) + "end"
			in := strings.Repeat(" ", fullWindow-20+shift) + `{"` + text + `" : "` + text +
				`" , "n" : -12345.678e2 , "t" : true}` + "\n x"
			s := newScanner(iotest.HalfReader(strings.NewReader(in)))
			want := strings.ReplaceAll(text, `\n`, "\n")
			s.EnterObject()
			if name, _, ok := s.Member(); !ok || string(name) != want {
				t.Fatalf("length %d, shift %d: name of %d bytes, want %d: %v", length, shift, len(name),
					len(want), s.Err())
			}
			if text, ok := s.Text(); !ok || string(text) != want {
				t.Fatalf("length %d, shift %d: text of %d bytes, want %d: %v", length, shift, len(text),
					len(want), s.Err())
			}
			s.Member()
			if f, ok := s.Number(); !ok || f != -1234567.8 {
				t.Fatalf("length %d, shift %d: number %v: %v", length, shift, f, s.Err())
			}
			s.Member()
			if b, ok := s.Bool(); !ok || !b {
				t.Fatalf("length %d, shift %d: %v: %v", length, shift, b, s.Err())
			}
			s.Member()
			s.End()
			if want := "in:2:2: data after the end of the document"; s.Err() == nil || s.Err().Error() != want {
				t.Fatalf("length %d, shift %d: %v", length, shift, s.Err())
			}
		}
	}
}

// Positions are correct across windows.
func TestPositions(t *testing.T) {
	long := strings.Repeat("\n      ", 30_000)
	s := newScanner(strings.NewReader("{\n\"outer\": {\"in\\u006eer\":\n [" + long + " 1,[" + long + "2]]}}"))
	s.EnterObject()
	s.Member()
	s.EnterObject()
	s.Member()
	s.EnterArray()
	s.Element()
	s.Number()
	s.Element()
	s.EnterArray()
	s.Element()
	for _, test := range []struct{ got, want string }{
		{s.Error("value").Error(), "in:60003:7: outer.inner.1.0: value"},
		{s.OpenError("array").Error(), "in:30003:10: outer.inner.1: array"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestLookAhead(t *testing.T) {
	const element = `{"text":"]}\"{[\\","y_Y":[[],{}]},` + "\n"
	var members strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&members, `"member %d":%s`, i, element)
	}
	testLookAhead(t, "array", "["+strings.Repeat(element, 10_000)+"0]")
	testLookAhead(t, "object", "{"+members.String()+`"":0}`)
	// These become forms.
	members.Reset()
	for i := range 10_000 {
		fmt.Fprintf(&members, `"%d":{"text":"%d","y":[%d,{},"\u00e9"],"z":{"n":-1.5e3}},`+"\n", i, i%3, i)
	}
	testLookAhead(t, "similar members", "{"+members.String()+`"x":0}`)
}

// testLookAhead skips the value fast, which has 10,000 line ends, and returns to it.
func testLookAhead(t *testing.T, what, value string) {
	in := `{"first": 1, "results": ` + value + `, "last": [ 1 ], "end": 2}`
	column := len(value) - strings.LastIndexByte(value, '\n') + len(`, "last": [ 1 ]`)
	for name, src := range map[string]func() io.Reader{
		"seekable": func() io.Reader { return strings.NewReader(in) },
		"stream":   func() io.Reader { return iotest.HalfReader(strings.NewReader(in)) },
		"data with the error": func() io.Reader {
			return iotest.DataErrReader(io.MultiReader(strings.NewReader(in)))
		},
	} {
		name = what + ", " + name
		for _, limits := range []format.Limits{{}, {MaxSpoolMemory: 1}} {
			s := New(src(), "in", limits.WithDefaults())
			s.EnterObject()
			s.Member()
			s.Skip()
			s.Member()
			s.Kind()
			mark := s.LookAhead()
			if !s.SkipFast() {
				t.Fatalf("%s: %v", name, s.Err())
			}
			end := s.Offset()
			if next, _, _ := s.Member(); string(next) != "last" {
				t.Fatalf("%s: after what was skipped fast: member %q, %v", name, next, s.Err())
			}
			s.Skip()
			if e := s.Error("here"); e.Error() != fmt.Sprintf("in:10001:%d: last: here", column) {
				t.Errorf("%s: ahead: %v, want column %d", name, e, column)
			}
			if !s.Return(mark) {
				t.Fatalf("%s: %v", name, s.Err())
			}
			if e := s.Error("back"); e.Error() != "in:1:25: results: back" {
				t.Errorf("%s: %v", name, e)
			}
			if !s.Skip() || s.Offset() != end {
				t.Errorf("%s: second reading ends at %d, the first at %d: %v", name, s.Offset(), end, s.Err())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The position of a name is known even if the name or its colon is at the end of the window.
func TestNamePositionAtWindowEnd(t *testing.T) {
	for shift := range 40 {
		before := `{"` + strings.Repeat("x", fullWindow-40) + `":0,` + strings.Repeat(" ", shift)
		in := before + `"abcdefgh" : {"i":1}}`
		s := New(iotest.OneByteReader(strings.NewReader(in)), "", format.Limits{}.WithDefaults())
		s.EnterObject()
		s.Member()
		s.Skip()
		if name, kind, ok := s.Member(); string(name) != "abcdefgh" || kind != Object || !ok {
			t.Fatalf("shift %d: Member() = %q, %v, %v", shift, name, kind, ok)
		}
		if at := s.NamePosition(); at.Offset != int64(len(before)) {
			t.Errorf("shift %d: the name is at %d, want %d", shift, at.Offset, len(before))
		}
	}
}

// A path of many long names is shortened in its middle: the errors of one input must not take
// gigabytes.
func TestLongPath(t *testing.T) {
	name := strings.Repeat("n", 400)
	in := strings.Repeat(`{"`+name+`":`, 900) + "x"
	s := New(strings.NewReader(in), "in", format.Limits{}.WithDefaults())
	s.Skip()
	path := s.Err().(*format.Error).Path
	if !strings.HasPrefix(path, name+"."+name) || !strings.HasSuffix(path, name+"."+name) ||
		strings.Count(path, "...") != 1 {
		t.Errorf("path %.50q...", path)
	}
	if len(path) > 6000 {
		t.Errorf("a path of %d bytes", len(path))
	}
}
