package jsonscan

import (
	"math"
	"strings"
	"testing"
)

// Last finds the complete members at the end of the document, even if strings contain brackets.
func TestLast(t *testing.T) {
	for _, test := range []struct {
		in, tail string // tail: from where the bytes are looked at
		want     string // empty: none
	}{
		{
			in:   `{"a":[1],"b":2,"c":3}`,
			tail: `[1],"b":2,"c":3}`,
			want: `,"b":2,"c":3}`,
		},
		{
			in:   `{"a":[1],"b":2,"c":3}`,
			tail: `1],"b":2,"c":3}`,
			want: `,"b":2,"c":3}`,
		},
		{
			in:   `{"a":[1],"b":2,"c":3}`,
			tail: `"b":2,"c":3}`,
			want: `,"c":3}`,
		},
		{
			in:   `{"a":[1],"b":2,"c":3}`,
			tail: `"c":3}`,
		},
		{
			in:   `{"a":[1,{"x":1,"y":2}`,
			tail: `"x":1,"y":2}`,
			want: `,"y":2}`,
		}, // truncated within a value: the Scanner finds the error later
		{
			in:   `{"a":[1,{"x":1,"y":2}],"b":{"x":1,"y":[2,3]} } ` + "\n",
			tail: `{"x":1,"y":2}],"b":{"x":1,"y":[2,3]} }`,
			want: `,"b":{"x":1,"y":[2,3]} }`,
		},
		{
			in:   `{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`,
			tail: `[1],"b":"x,\"y\",{[\\","c":"\\\\"}`,
			want: `,"b":"x,\"y\",{[\\","c":"\\\\"}`,
		},
		{
			in:   `{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`,
			tail: `\"y\",{[\\","c":"\\\\"}`,
			want: `,"c":"\\\\"}`,
		},
		{
			in:   `{"a":[1],"b":"x,\"y\",{[\\","c":"\\\\"}`,
			tail: `"y\",{[\\","c":"\\\\"}`,
			want: `,"c":"\\\\"}`,
		},
		{
			in:   `{"a":[1,2,3]}`,
			tail: `[1,2,3]}`,
		},
		{
			in:   `{"a":[1,2,3]`,
			tail: `[1,2,3]`,
		},
		{
			in:   `{"a":[1,2,3], "b":1, `,
			tail: `[1,2,3], "b":1, `,
		},
		{
			in:   `{"a":[1,{"x":1,"y":2}`,
			tail: `[1,{"x":1,"y":2}`,
		}, // cut off
	} {
		t.Run(test.tail, func(t *testing.T) {
			s := newScanner(strings.NewReader(test.in))
			s.EnterObject()
			s.Member()
			max := len(test.in) - strings.LastIndex(test.in, test.tail)
			text, offset := s.lastText(max)
			if i := lastMember(text, math.MaxInt); i < 0 {
				if test.want != "" {
					t.Error("none")
				}
			} else if got := strings.TrimSpace(test.in[offset+int64(i):]); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}

			// Last returns a Scanner of them, and the Scanner goes on as if nothing had happened.
			n := 0
			if last := s.Last(false); last != nil {
				for ; last.nextOf(Object); n++ {
					last.Skip()
				}
				if !last.End() || n == 0 {
					t.Errorf("%d members, %v", n, last.Err())
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
		})
	}
}

// After finds all members that come after a value, if they are in memory.
func TestAfter(t *testing.T) {
	for _, test := range []struct {
		in, want string // want: the names; empty: After returns nil
	}{
		{`{"a":[[1],{"x":"]"}],"b":2,"c":{"d":3}}`, "bc"},
		{`{"a":{"b":[], "x" : {} } , "c":3 }`, "c"},
		{`{"a":[ ],"b":2}`, "b"},
		{`{"a":[{},],"b":2}`, ""},
		{`{"a":[{} {}],"b":2}`, ""},
		{`{"a":[{},1],"b":2}`, "b"},
		{`{"a":{"b":[],},"c":3}`, ""},
		{`{"a":{"b",[]},"c":3}`, ""},
		{`{"a":{"\u0062":[]},"c":3}`, "c"},
		{`{"a":{"b":[}`, ""},
		{`{"a":[1,2,3`, ""},
		{`{"a":[1],"b":` + strings.Repeat(" ", fullWindow) + `2}`, ""},
	} {
		t.Run(test.in[:min(len(test.in), 20)], func(t *testing.T) {
			s := newScanner(strings.NewReader(test.in))
			s.EnterObject()
			s.Member()
			got := ""
			if after := s.After(); after != nil {
				for name, _, ok := after.Member(); ok; name, _, ok = after.Member() {
					got += string(name)
					after.Skip()
				}
				if !after.End() {
					t.Error(after.Err())
				}
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
