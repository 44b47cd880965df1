package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/format"
)

func TestAppendValue(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{" null ", "null"},
		{"true", "true"},
		{"false", "false"},
		{"-1.50e+2", "-1.50e+2"},
		{"1e999", "1e999"},
		{`"a\/\u00e9\n\ud800"`, `"a/é\n` + "\ufffd" + `"`},
		{" [ ] ", "[]"},
		{"{ }", "{}"},
		{"[1 , [ ], {} , \"x\" ]", `[1,[],{},"x"]`},
		{`{ "a" : { "b c" : [ null , true ] } , "" : "" }`, `{"a":{"b c":[null,true]},"":""}`},
		{strings.Repeat("[", 50) + strings.Repeat("]", 50), strings.Repeat("[", 50) + strings.Repeat("]", 50)},
	} {
		for _, in := range []*Scanner{
			New(strings.NewReader(test.in), "", format.Limits{}.WithDefaults()),
			New(iotest.OneByteReader(strings.NewReader(test.in)), "", format.Limits{}.WithDefaults()),
		} {
			got, ok := in.AppendValue([]byte("before"))
			if !ok || string(got) != "before"+test.want || !in.End() {
				t.Errorf("%s: %s, %v, %v; want %s", test.in, got, ok, in.Err(), test.want)
			}
		}
	}
	for _, test := range []struct{ in, want string }{
		{`{"a":1,"a":2}`, `1:8: a: duplicate member "a"`},
		{`[{"x":{"b":1,"b":1}}]`, `1:14: 0.x.b: duplicate member "b"`},
		{`[1`, "1:3: 0: the input ends too early, expected the rest of a number"},
		{`["x]`, "1:5: 0: the input ends too early, expected the end of the string"},
		{`[tru]`, "1:5: 0: found ']', expected true"},
		{``, "1:1: the input is empty"},
		{strings.Repeat("[", 2000), "1:1001: " + strings.Repeat("0.", 999) + "0: arrays and objects nest too deep: more than 1000 (Limits.MaxDepth)"},
	} {
		s := New(strings.NewReader(test.in), "", format.Limits{}.WithDefaults())
		if _, ok := s.AppendValue(nil); ok || s.Err().Error() != test.want {
			t.Errorf("%s: %v, want %s", test.in, s.Err(), test.want)
		}
	}
}

// FuzzAppendValue: it takes what Skip takes, and gives what says the same, and what it would give again.
func FuzzAppendValue(f *testing.F) {
	for _, seed := range []string{`[1,{"a":[true,null,"\u00e9"]}]`, `{"a":{},"b":[]}`, "1e5", `"x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		limits := format.Limits{}.WithDefaults()
		skipping := New(strings.NewReader(in), "", limits)
		wantOK := skipping.Skip() && skipping.End()
		s := New(strings.NewReader(in), "", limits)
		got, ok := s.AppendValue(nil)
		if ok = ok && s.End(); ok != wantOK {
			t.Fatalf("%v, and Skip %v", s.Err(), skipping.Err())
		}
		if !ok {
			return
		}
		again, ok := New(bytes.NewReader(got), "", limits).AppendValue(nil)
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
