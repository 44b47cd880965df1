package jsonscan

import (
	"strings"
	"testing"
)

// Last finds the members that are whole in the end of the document, however strings and brackets make it look.
func TestLast(t *testing.T) {
	for _, test := range []struct {
		in, tail string // tail: from where the bytes are looked at
		want     string // empty: none
	}{
		{`{"a":[1],"b":2,"c":3}`, `[1],"b":2,"c":3}`, `,"b":2,"c":3}`},
		{`{"a":[1],"b":2,"c":3}`, `1],"b":2,"c":3}`, `,"b":2,"c":3}`},
		{`{"a":[1],"b":2,"c":3}`, `"b":2,"c":3}`, `,"c":3}`},
		{`{"a":[1],"b":2,"c":3}`, `"c":3}`, ``},
		{`{"a":[1,{"x":1,"y":2}`, `"x":1,"y":2}`, `,"y":2}`}, // cut off far into a value: whoever reads on finds out
		{`{"a":[1,{"x":1,"y":2}],"b":{"x":1,"y":[2,3]} } ` + "\n", `{"x":1,"y":2}],"b":{"x":1,"y":[2,3]} }`, `,"b":{"x":1,"y":[2,3]} }`},
		{`{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`, `[1],"b":"x,\"y\",{[\\","c":"\\\\"}`, `,"b":"x,\"y\",{[\\","c":"\\\\"}`},
		{`{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`, `\"y\",{[\\","c":"\\\\"}`, `,"c":"\\\\"}`},
		{`{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`, `"y\",{[\\","c":"\\\\"}`, `,"c":"\\\\"}`},
		{`{"a":[1,2,3]}`, `[1,2,3]}`, ``},
		{`{"a":[1,2,3]`, `[1,2,3]`, ``},
		{`{"a":[1,2,3], "b":1, `, `[1,2,3], "b":1, `, ``},
		{`{"a":[1,{"x":1,"y":2}`, `[1,{"x":1,"y":2}`, ``}, // cut off
	} {
		s := newScanner(strings.NewReader(test.in))
		s.EnterObject()
		s.Member()
		max := len(test.in) - strings.LastIndex(test.in, test.tail)
		text, offset := s.lastText(max)
		if i := lastMember(text); i < 0 {
			if test.want != "" {
				t.Errorf("%s: none", test.in)
			}
		} else if got := strings.TrimSpace(test.in[offset+int64(i):]); got != test.want {
			t.Errorf("%s: %s, want %s", test.in, got, test.want)
		}

		// Last returns a Scanner of them, and the Scanner goes on as if nothing had happened.
		n := 0
		if last := s.Last(); last != nil {
			for ; last.nextOf(Object); n++ {
				last.Skip()
			}
			if !last.End() || n == 0 {
				t.Errorf("%s: %d members, %v", test.in, n, last.Err())
			}
		}
		whole := check(strings.NewReader(test.in)) == nil
		s.Skip()
		for s.nextOf(Object) {
			s.Skip()
		}
		if s.End() != whole {
			t.Errorf("%s: %v", test.in, s.Err())
		}
	}
}
