package jsonscan

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A document may be assigned to a variable, and then a semicolon may follow it.
func TestPassAssignment(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"assigned", " x.y = {\"a\":1}\n", ""},
		{"semicolon", "x.y={\"a\":1} ; ", ""},
		{"not assigned", `{"a":1}`, ""},
		{"semicolon after a document", `{"a":1};`, "in:1:8: data after the end of the document"},
		{"two semicolons", `x.y={"a":1};;`, "in:1:13: data after the end of the document"},
		{"another variable", "\nx.z = {}", "in:2:3: found 'z', expected x.y"},
		{"no equals sign", "x.y\n{}", "in:2:1: found '{', expected ="},
		{"truncated name", "x.", "in:1:3: unexpected end of input, expected x.y"},
		{"truncated assignment", "x.y ", "in:1:5: unexpected end of input, expected ="},
		{"truncated document", "x.y =", "in:1:6: unexpected end of input, expected a value"},
		{"empty", "", "in:1:1: the input is empty"},
		{"position", `x.y = {"a":!}`, "in:1:12: a: found '!', expected a value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := strings.NewReader(test.in)
			for _, in := range []io.Reader{whole, iotest.OneByteReader(strings.NewReader(test.in))} {
				s := newScanner(in)
				s.PassAssignment("x.y")
				s.Skip()
				s.End()
				got := ""
				if s.Err() != nil {
					got = s.Err().Error()
				}
				if got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
		})
	}
}

// Reset forgets that a document was assigned.
func TestResetAssignment(t *testing.T) {
	s := newScanner(strings.NewReader("x = 1;"))
	s.PassAssignment("x")
	s.Skip()
	if !s.End() {
		t.Fatal(s.Err())
	}
	s.Reset(strings.NewReader("1;"), "", s.limits)
	s.PassAssignment("x")
	s.Skip()
	if s.End() {
		t.Error("a semicolon follows a document that is not assigned")
	}
}

// The end of an assigned document is found before its semicolon.
func TestLastOfAssigned(t *testing.T) {
	s := newScanner(strings.NewReader(`x = {"a":[1],"b":2} ;`))
	s.PassAssignment("x")
	s.EnterObject()
	s.Member()
	last := s.Last(false)
	if last == nil {
		t.Fatal("not found")
	}
	if name, _, _ := last.Member(); string(name) != "b" {
		t.Errorf("found %s, want b", name)
	}
	last.Skip()
	if _, _, more := last.Member(); more || !last.End() {
		t.Error(last.Err())
	}
}

// An input may hold one document after another.
func TestMore(t *testing.T) {
	for in, want := range map[string]int{"": 0, " \n": 0, "1\n2 3\n": 3, "{}[]": 2, "1\n!": 2} {
		s := newScanner(strings.NewReader(in))
		n := 0
		for s.More() {
			s.Skip()
			n++
		}
		if n != want {
			t.Errorf("%q: %d documents, want %d", in, n, want)
		}
	}
}
