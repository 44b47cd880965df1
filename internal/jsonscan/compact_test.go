package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/format"
)

func TestAppendValue(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{
			in:   " null ",
			want: "null",
		},
		{
			in:   "true",
			want: "true",
		},
		{
			in:   "false",
			want: "false",
		},
		{
			in:   "-1.50e+2",
			want: "-1.50e+2",
		},
		{
			in:   "1e999",
			want: "1e999",
		},
		{
			in:   `"a\/\u00e9\n\ud800"`,
			want: `"a/é\n` + "\ufffd" + `"`,
		},
		{
			in:   " [ ] ",
			want: "[]",
		},
		{
			in:   "{ }",
			want: "{}",
		},
		{
			in:   "[1 , [ ], {} , \"x\" ]",
			want: `[1,[],{},"x"]`,
		},
		{
			in:   `{ "a" : { "b c" : [ null , true ] } , "" : "" }`,
			want: `{"a":{"b c":[null,true]},"":""}`,
		},
		{
			in:   strings.Repeat("[", 50) + strings.Repeat("]", 50),
			want: strings.Repeat("[", 50) + strings.Repeat("]", 50),
		},
	} {
		t.Run(fmt.Sprintf("%.40q", test.in), func(t *testing.T) {
			for _, in := range []*Scanner{
				New(strings.NewReader(test.in), "", format.Limits{}.WithDefaults()),
				New(iotest.OneByteReader(strings.NewReader(test.in)), "", format.Limits{}.WithDefaults()),
			} {
				got, ok := in.AppendValue([]byte("before"), nil)
				if !ok || string(got) != "before"+test.want || !in.End() {
					t.Errorf("%s: %s, %v, %v; want %s", test.in, got, ok, in.Err(), test.want)
				}
			}
		})
	}
	for _, test := range []struct{ in, want string }{
		{
			in:   `{"a":1,"a":2}`,
			want: `1:8: a: duplicate member "a"`,
		},
		{
			in:   `[{"x":{"b":1,"b":1}}]`,
			want: `1:14: 0.x.b: duplicate member "b"`,
		},
		{
			in:   `[1`,
			want: "1:3: 0: unexpected end of input, expected the rest of a number",
		},
		{
			in:   `["x]`,
			want: "1:5: 0: unexpected end of input, expected the end of the string",
		},
		{
			in:   `[tru]`,
			want: "1:5: 0: found ']', expected true",
		},
		{
			want: "1:1: the input is empty",
		},
		{
			in: strings.Repeat("[", 2000),
			want: "1:1001: " + strings.Repeat("0.", 999) +
				"0: arrays and objects nest too deep: more than 1000 (Limits.MaxDepth)",
		},
	} {
		t.Run(fmt.Sprintf("%.40q", test.in), func(t *testing.T) {
			s := New(strings.NewReader(test.in), "", format.Limits{}.WithDefaults())
			if _, ok := s.AppendValue(nil, nil); ok || s.Err().Error() != test.want {
				t.Errorf("%s: %v, want %s", test.in, s.Err(), test.want)
			}
		})
	}
}

// FuzzAppendValue checks that AppendValue accepts the same values as Skip, and returns an
// equivalent value, which it does not change further.
func FuzzAppendValue(f *testing.F) {
	for _, seed := range []string{`[1,{"a":[true,null,"\u00e9"]}]`, `{"a":{},"b":[]}`, "1e5", `"x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		limits := format.Limits{}.WithDefaults()
		skipping := New(strings.NewReader(in), "", limits)
		wantOK := skipping.Skip() && skipping.End()
		s := New(strings.NewReader(in), "", limits)
		got, ok := s.AppendValue(nil, nil)
		if ok = ok && s.End(); ok != wantOK {
			t.Fatalf("%v, and Skip %v", s.Err(), skipping.Err())
		}
		if !ok {
			return
		}
		again, ok := New(bytes.NewReader(got), "", limits).AppendValue(nil, nil)
		if !ok || !bytes.Equal(got, again) {
			t.Errorf("%s becomes %s", got, again)
		}
		if !strings.Contains(in, `\`) {
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(in)); err != nil || want.String() != string(got) {
				t.Errorf("%s, %v; want %s", got, err, &want)
			}
		}
	})
}
