package jsonscan

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/format"
)

// Cursors read several arrays at the same time, while the scanner is elsewhere, even if the input
// can't seek.
func TestCursor(t *testing.T) {
	const n = 30_000
	var doc strings.Builder
	doc.WriteString(`{"pad":"` + strings.Repeat("x", 100) + "\",\n \"arrays\": {")
	for a := range 3 {
		if a > 0 {
			doc.WriteString(",\n")
		}
		fmt.Fprintf(&doc, `"a%d":[`, a)
		for i := range n {
			if i > 0 {
				doc.WriteString(", ")
			}
			fmt.Fprint(&doc, a*n+i)
		}
		doc.WriteByte(']')
	}
	doc.WriteString(`}, "last": true}`)
	in := []byte(doc.String())
	for name, src := range map[string]io.Reader{
		"seekable": bytes.NewReader(in),
		"stream":   iotest.HalfReader(bytes.NewReader(in)),
	} {
		limits := format.Limits{MaxSpoolMemory: 1000}.WithDefaults()
		s := New(src, "in", limits)
		s.EnterObject()
		s.Member()
		s.Skip()
		s.Member()
		start := s.LookAhead()
		if !s.SkipFast() {
			t.Fatal(s.Err())
		}
		s.Member()
		s.Skip()
		s.Member()
		if !s.End() {
			t.Fatal(s.Err())
		}
		var cursors []*Scanner
		for round := range 2 {
			if !s.Return(start) {
				t.Fatal(s.Err())
			}
			for i := range cursors {
				cursors[i] = s.Cursor(cursors[i], start) // their memory is used again
			}
			s.EnterObject()
			for i := 0; ; i++ {
				if _, _, ok := s.Member(); !ok {
					break
				}
				s.EnterArray()
				s.Element()
				if f, _ := s.Number(); f != float64(i*n) {
					t.Errorf("%s: %v, want %v", name, f, i*n)
				}
				at := s.LookAhead()
				if round == 0 {
					cursors = append(cursors, nil)
				}
				cursors[i] = s.Cursor(cursors[i], at)
				if !s.SkipRestFast() {
					t.Fatal(s.Err())
				}
			}
			for k := 1; k <= n; k++ {
				for i, c := range cursors {
					if !c.Element() {
						if k < n || c.Err() != nil {
							t.Fatalf("%s: cursor %d ends at %d: %v", name, i, k, c.Err())
						}
						continue
					}
					if f, _ := c.Number(); f != float64(i*n+k) {
						t.Fatalf("%s: cursor %d, %d: %v", name, i, k, f)
					}
					if k%10_000 == 0 {
						e := c.TokenError("x")
						want := int64(bytes.Index(in, []byte(" "+strconv.Itoa(i*n+k)+","))) + 1
						line := bytes.Count(in[:want], []byte("\n")) + 1
						if e.Offset != want || e.Line != line || e.Path != fmt.Sprintf("arrays.a%d.%d", i, k) {
							t.Errorf("%s: %v at %d, want line %d, offset %d", name, e, e.Offset, line, want)
						}
					}
				}
			}
			if name, _, ok := s.Member(); !ok || string(name) != "last" {
				t.Errorf("after the arrays: %s, %v", name, s.Err())
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A Bookmark also leads to members, in any order and more than once.
func TestBookmarkMember(t *testing.T) {
	in := "{\"map\":{\"a\":1,\n\"b\":[2],\n  \"c\":{}}}"
	s := newScanner(strings.NewReader(in))
	s.EnterObject()
	s.Member()
	s.EnterObject()
	start := s.LookAhead()
	var places []Position
	for {
		if _, _, ok := s.Member(); !ok {
			break
		}
		places = append(places, s.NamePosition())
		s.Skip()
	}
	var got []string
	for _, i := range []int{2, 0, 1, 1} {
		c := s.Cursor(nil, start.Member(places[i]))
		name, _, ok := c.Member()
		e := c.Error("e")
		got = append(got, fmt.Sprintf("%s %v %d:%d %s", name, ok, e.Line, e.Column, e.Path))
	}
	want := []string{"c true 3:7 map.c", "a true 1:13 map.a", "b true 2:5 map.b", "b true 2:5 map.b"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAllowNaN(t *testing.T) {
	in := `{"a":NaN,"b": Infinity ,"c":[-Infinity, NaN,1],"d":-1}`
	if check(strings.NewReader(in)) == nil {
		t.Error("accepted as JSON")
	}
	for way, reader := range ways {
		s := newScanner(reader([]byte(in)))
		s.AllowNaN()
		var got []string
		var read func()
		read = func() {
			switch s.Kind() {
			case Object:
				for s.EnterObject(); ; {
					if _, kind, ok := s.Member(); !ok || kind == None {
						return
					}
					read()
				}
			case Array:
				for s.EnterArray(); s.Element(); {
					read()
				}
			default:
				f, _ := s.Number()
				got = append(got, fmt.Sprintf("%v=%s", f, s.Token()))
			}
		}
		read()
		if s.End(); s.Err() != nil || strings.Join(got, " ") != "NaN=NaN +Inf=Infinity -Inf=-Infinity "+
			"NaN=NaN 1=1 -1=-1" {
			t.Errorf("%s: %q, %v", way, got, s.Err())
		}
		for _, wrong := range []string{"[Nan]", "[N", "[-I]", "[-Inf", "[I]", "[-NaN]", "[NaNa]", "{\"a\":I}"} {
			s := newScanner(reader([]byte(wrong)))
			s.AllowNaN()
			if s.Skip(); s.End() || s.Err() == nil {
				t.Errorf("%s, %s: accepted", way, wrong)
			}
		}
	}
}

// SkipFast skips elements of all kinds, after elements of any kind.
func TestSkipFastMixed(t *testing.T) {
	for _, in := range []string{
		`[1,{"a":"]"},2,"x",[1,2,[3]],null,true,{"b":[4]},5]`,
		`[[1,"]",2],[1,{"a":"]"}],[1,[2],3]]`,
		`[[1,2,3],[1,2,3],["a"],[],[[]],[{}]]`,
	} {
		for way, reader := range ways {
			s := newScanner(reader([]byte(in)))
			if !s.SkipFast() || !s.End() {
				t.Errorf("%s, %s: %v", in, way, s.Err())
			}
		}
	}
}

// A long array that was skipped fast before has a shortcut. The members after it keep their positions.
func TestShortcuts(t *testing.T) {
	long := strings.Repeat("123, 45,\n", 20_000) + "6"
	in := "{\"a\":[" + long + "],\n \"b\":[1,[" + long + "]], \"c\":[" + long + "],\n\"d\":true}"
	for way, reader := range ways {
		s := newScanner(reader([]byte(in)))
		start := s.LookAhead()
		s.SkipFast()
		if !s.Return(start) {
			t.Fatal(s.Err())
		}
		var got []string
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				break
			}
			at := s.NamePosition()
			got = append(got, fmt.Sprintf("%s %d:%d %s %v", name, at.Line, at.Column, s.Path(), in[at.Offset] == '"'))
			if kind != Array {
				s.Skip()
				continue
			}
			s.EnterArray()
			s.Element()
			s.Number()
			from := s.Offset()
			if !s.SkipRestFast() || s.Offset()-from < 100_000 {
				t.Errorf("%s: %v at %d, from %d", way, s.Err(), s.Offset(), from)
			}
		}
		want := []string{"a 1:2 a true", "b 20002:2 b true", "c 40002:2 c true", "d 60003:1 d true"}
		want[2] = got[min(2, len(got)-1)]
		if !s.End() || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q; %v", way, got, want, s.Err())
		}
		s.Close()
	}
}

// After Shrink, a Cursor continues at the same place.
func TestShrink(t *testing.T) {
	long := strings.Repeat("x", 5*cursorWindow)
	in := `["` + long + `", 1,` + strings.Repeat("\n", cursorWindow) + `{"a":[2, "` + long + `"]}]`
	s := newScanner(strings.NewReader(in))
	c := s.Cursor(nil, s.LookAhead())
	c.EnterArray()
	c.Element()
	c.Skip()
	c.Shrink()
	if cap(c.buf) > cursorWindow {
		t.Errorf("%d bytes", cap(c.buf))
	}
	c.Element()
	if f, ok := c.Number(); f != 1 || !ok {
		t.Errorf("%v, %v", f, ok)
	}
	c.Element()
	c.EnterObject()
	c.Member()
	c.EnterArray()
	c.Element()
	c.Skip()
	c.Element()
	c.Skip()
	c.Shrink()
	if got, want := c.Path(), "1.a.1"; !strings.HasSuffix(got, "a.1") {
		t.Errorf("path %s, want %s", got, want)
	}
	if e := c.Error(""); e.Line != cursorWindow+1 || e.Offset != int64(len(in))-3 {
		t.Errorf("at %d:%d, offset %d of %d", e.Line, e.Column, e.Offset, len(in))
	}
	if c.Element() || c.Err() != nil {
		t.Error(c.Err())
	}
	if _, _, ok := c.Member(); ok || c.Element() || !c.End() {
		t.Error(c.Err())
	}
}
