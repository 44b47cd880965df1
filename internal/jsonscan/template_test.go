package jsonscan

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
)

// matches reads the elements of an array, each by the template of the last one that was like none before, and shows
// how: "skip" or what was in the open holes.
func matches(s *Scanner) []string {
	var t Template
	var got []string
	for s.EnterArray(); s.Element(); {
		if !s.Match(&t) {
			s.Record(&t)
			s.Skip()
			got = append(got, fmt.Sprintf("skip %d", s.EndRecord()))
			continue
		}
		var b strings.Builder
		for i := range t.Changes() {
			k, start := t.Hole(i)
			fmt.Fprintf(&b, "%d@%d:", k, start)
			if t.holes[k].kind == String {
				fmt.Fprintf(&b, "%s ", t.Text(i))
			} else {
				fmt.Fprintf(&b, "%v ", t.Number(i))
			}
		}
		got = append(got, strings.TrimSpace(b.String()))
	}
	return got
}

func TestTemplate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{"numbers", `[{"a":1},{"a":-2.5e3},{"a":3}]`, []string{"skip 1", "0@5:-2500", "0@5:3"}},
		{"a string that changes", `[{"a":"x","b":"y"},{"a":"x","b":"y"},{"a":"long","b":"y"},{"a":"","b":"y"},{"a":"x","b":"z"}]`,
			[]string{"skip 2", "", "0@6:long", "0@6:", "0@6:x 1@14:z"}},
		{"a longer and a shorter string", `["ab","abc","a","","é","ab"]`, []string{"skip 1", "0@1:abc", "0@1:a", "0@1:", "0@1:é", "0@1:ab"}},
		{"other text", `[{"a":1},{"b":1},{"b":2},{"b": 2},{"b": 3}]`, []string{"skip 1", "skip 1", "0@5:2", "skip 1", "0@6:3"}},
		{"other kinds", `[[1],["1"],["2"],[null],[null],[true],[[]],[2]]`,
			[]string{"skip 1", "skip 1", "0@2:2", "skip 0", "skip 0", "skip 0", "skip 0", "skip 1"}},
		{"more and less", `[[1,2],[1],[1,2,3],[1,2]]`, []string{"skip 2", "skip 1", "skip 3", "skip 2"}},
		{"escape sequences", `["a","\n","b","\n","c","d"]`, []string{"skip 1", "skip 0", "skip 1", "skip 0", "skip 1", "0@1:d"}},
		{"a name isn't a string", `[{"a":"x"},{"c":"x"},{"c":"a"}]`, []string{"skip 1", "skip 1", "0@6:a"}},
		{"an infinity", `[1,1e999,2]`, []string{"skip 1", "skip 1", "0@0:2"}},
		{"nested", `[{"k":{"t":"1"},"m":[{"v":1},{"v":2}]},{"k":{"t":"2"},"m":[{"v":3},{"v":4}]}]`,
			[]string{"skip 3", "0@11:2 1@25:3 2@33:4"}},
	} {
		for way, reader := range ways {
			s := newScanner(reader([]byte(test.in)))
			got := matches(s)
			if way == "byte by byte" && len(got) == len(test.want) {
				got = test.want // values are mostly given up on before they are there; TestTemplateErrors and FuzzTemplate have this way
			}
			if diff := cmp.Diff(test.want, got); diff != "" || !s.End() {
				t.Errorf("%s, %s: %v (-want +got):\n%s", test.name, way, s.Err(), diff)
			}
		}
	}
}

// What a template doesn't match is read as always, and its faults are found.
func TestTemplateErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`[{"a":1},{"a":01}]`, "in:1:16: 1.a: found '1', expected a comma or }"},
		{`[{"a":1},{"a":1.}]`, "in:1:17: 1.a: found '}', expected a digit"},
		{`[{"a":1},{"a":}]`, "in:1:15: 1.a: found '}', expected a value"},
		{"[[\"a\"],[\"b\"],[\"\xff\"]]", "in:1:16: 2.0: a string holds byte 0xff, which is no UTF-8"},
		{"[[\"a\"],[\"b\"],[\"\x01\"]]", "in:1:16: 2.0: a string holds control character 0x01, which JSON wants escaped"},
		{`[["a"],["b"],["c]`, "in:1:18: 2.0: the input ends too early, expected the end of the string"},
		{`[["a"],["b"],["c"`, "in:1:18: 2.0: the input ends too early, expected a comma or ]"},
		{`[[1],[2`, "in:1:8: 1.0: the input ends too early, expected the rest of a number"},
		{`[["abcdefghij"],["b"],["abcdefghijk"]]`, "in:1:24: 2.0: bytes of one string: more than 10 (Limits.MaxStringBytes)"},
	} {
		for way, reader := range ways {
			s := New(reader([]byte(test.in)), "in", format.Limits{MaxStringBytes: 10}.WithDefaults())
			matches(s)
			if s.Err() == nil || s.Err().Error() != test.want {
				t.Errorf("%s, %s:\n got %v\nwant %s", test.in, way, s.Err(), test.want)
			}
		}
	}
}

// At the edges of windows, and however little a reader gives, the values are the same.
func TestTemplateWindows(t *testing.T) {
	for _, size := range []int{10, 1000, 40_000, 70_000} {
		var in strings.Builder
		n := 3_000_000/(size+20) + 3
		for i := range n {
			fmt.Fprintf(&in, `,{"n":%d,"t":"%s"}`, i, strings.Repeat("x", size))
		}
		doc := "[" + in.String()[1:] + "]"
		for name, s := range map[string]*Scanner{
			"whole": newScanner(strings.NewReader(doc)),
			"half":  newScanner(iotest.HalfReader(strings.NewReader(doc))),
		} {
			var template Template
			i, matched := 0, 0
			for s.EnterArray(); s.Element(); i++ {
				if s.Match(&template) {
					matched++
					if got := template.Number(0); got != float64(i) {
						t.Fatalf("%s, size %d: %v, want %d", name, size, got, i)
					}
					continue
				}
				s.Record(&template)
				s.Skip()
				s.EndRecord()
			}
			if s.Err() != nil || i != n {
				t.Errorf("%s, size %d: %d of %d elements, %v", name, size, i, n, s.Err())
			}
			if size < 30_000 && matched < n-n/20-2 {
				t.Errorf("%s, size %d: only %d of %d were matched", name, size, matched, n)
			}
		}
	}
}

// A hole that takes nested values takes what Known says, and nothing else.
func TestNested(t *testing.T) {
	known := []string{`[1,2]`, `{"x":[1]}`, `[]`, `[1,{"y":"]"}]`}
	in := `[{"a":[1,2],"n":1},{"a":[1,2],"n":2},{"a":{"x":[1]},"n":3},{"a":[],"n":4},{"a":[9],"n":5},{"a":[1,{"y":"]"}],"n":6},{"a":null,"n":7},{"a":[1,2],"n":8}]`
	want := "skip [1,2] 2 {\"x\":[1]} 3 [] 4 skip [1,{\"y\":\"]\"}] 6 skip skip"
	for way, s := range map[string]*Scanner{
		"whole": newScanner(strings.NewReader(in)),
		"half":  newScanner(iotest.HalfReader(strings.NewReader(in))),
	} {
		tmpl := Template{Known: func(k int, b []byte) int {
			if k != 0 {
				t.Errorf("hole %d", k)
			}
			for _, v := range known {
				if strings.HasPrefix(string(b), v) {
					return len(v)
				}
				if strings.HasPrefix(v, string(b)) {
					return -1
				}
			}
			return 0
		}}
		var got []string
		for s.EnterArray(); s.Element(); {
			if s.Match(&tmpl) {
				for i := range tmpl.Changes() {
					got = append(got, string(tmpl.Text(i)))
				}
				if tmpl.Changes() == 1 { // the nested value never changed
					got = append(got[:len(got)-1], "[1,2]", got[len(got)-1])
				}
				continue
			}
			got = append(got, "skip")
			s.Record(&tmpl)
			for s.EnterObject(); ; {
				name, kind, ok := s.Member()
				if !ok {
					break
				}
				if string(name) == "a" && kind >= Array {
					n := s.BeginNested()
					s.Skip()
					s.EndNested(n)
				} else {
					s.Skip()
				}
			}
			s.EndRecord()
		}
		if got := strings.Join(got, " "); got != want || !s.End() {
			t.Errorf("%s: %v\n got %s\nwant %s", way, s.Err(), got, want)
		}
	}
}

func TestValueLen(t *testing.T) {
	for _, test := range []struct {
		in            string
		length, depth int
	}{
		{`[]`, 2, 1}, {`{}x`, 2, 1}, {`[1,2],3]`, 5, 1}, {`{"a":[{"b":"]}\"\\"}]}]`, 22, 3}, {`[1`, 0, 0}, {`["`, 0, 0}, {`["\`, 0, 0}, {`["]\"`, 0, 0}, {`[`, 0, 0},
	} {
		if length, depth := ValueLen([]byte(test.in)); length != test.length || depth != test.depth {
			t.Errorf("%s: %d, %d, want %d, %d", test.in, length, depth, test.length, test.depth)
		}
	}
}

// FuzzTemplate reads an array with a template and without.
func FuzzTemplate(f *testing.F) {
	f.Add(`[{"a":"x","b":1},{"a":"y","b":2},{"a":"y","b":3}]`)
	f.Add(`["a","ab","",1,2,"\u0061","é"]`)
	f.Fuzz(func(t *testing.T, in string) {
		if !strings.HasPrefix(in, "[") {
			return
		}
		want := check(strings.NewReader(in))
		if want != nil && strings.Contains(want.Error(), "twice") {
			return
		}
		for way, reader := range ways {
			s := newScanner(reader([]byte(in)))
			matches(s)
			s.End()
			if got := s.Err(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: with a template %v, without %v", way, got, want)
			}
		}
	})
}

// A value of many numbers isn't remembered at length.
func TestTemplateManyHoles(t *testing.T) {
	s := New(strings.NewReader("["+strings.Repeat("1,", 2*maxHoles)+"1]"), "", format.Limits{}.WithDefaults())
	s.Kind()
	var tmpl Template
	s.Record(&tmpl)
	if !s.Skip() || len(tmpl.holes) != maxHoles {
		t.Errorf("%d holes, %v", len(tmpl.holes), s.Err())
	}
	if n := s.EndRecord(); n != 0 {
		t.Errorf("EndRecord() = %d", n)
	}
}

// A match that is taken back leaves its value to be read in the general way.
func TestUnmatch(t *testing.T) {
	s := newScanner(strings.NewReader(`[{"a":1},{"a":2},{"a":3}]`))
	var template Template
	s.EnterArray()
	s.Element()
	s.Record(&template)
	s.Skip()
	s.EndRecord()
	s.Element()
	at := s.Offset()
	s.BeginRegion("MaxResultBytes", 10, 0)
	if !s.Match(&template) || s.Left() != 3 {
		t.Fatalf("no match, or %d bytes are left", s.Left())
	}
	if s.Unmatch(&template); s.Offset() != at || s.Left() != 10 {
		t.Errorf("at %d, want %d; %d bytes are left", s.Offset(), at, s.Left())
	}
	s.EndRegion()
	s.EnterObject()
	s.Member()
	if f, _ := s.Number(); f != 2 {
		t.Errorf("%v", f)
	}
	s.Member()
	if s.Element(); !s.Match(&template) || s.Element() || !s.End() {
		t.Error(s.Err())
	}
}
