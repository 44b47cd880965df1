package jsonscan

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/forms"
)

// bindAll reads the value ahead and binds all its strings and numbers, beginning with field n.
func bindAll(s *Scanner, n *int) {
	switch s.Kind() {
	case Array:
		for s.EnterArray(); s.Element(); {
			bindAll(s, n)
		}
	case Object:
		for range s.Members() {
			bindAll(s, n)
		}
	case String, Number:
		if s.Skip() {
			s.Bind(forms.Tag{Index: *n}, 0)
			*n++
		}
	default:
		s.Skip()
	}
}

// matches reads the elements of an array. For each it returns "read" and the number of fields, or
// the fields that may have changed.
func matches(s *Scanner) []string {
	var f Forms[int]
	var got []string
	for s.EnterArray(); s.Element(); {
		n, match := f.Next(s)
		if match == nil {
			*n = 0
			bindAll(s, n)
			f.Keep(s, true)
			got = append(got, fmt.Sprintf("read %d", *n))
			continue
		}
		var fields []string
		for i := range match.Changes() {
			fields = append(fields, fmt.Sprintf("%d=%s", match.Tag(i).Index, match.Text(i)))
		}
		got = append(got, strings.Join(fields, " "))
	}
	return got
}

func TestForms(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "numbers",
			in:   `[{"a":1},{"a":-2.5e3},{"a":3}]`,
			want: []string{"read 1", "0=-2.5e3", "0=3"},
		},
		{
			name: "a string that changes",
			in:   `[{"a":"x","b":"y"},{"a":"x","b":"y"},{"a":"long","b":"y"},{"a":"","b":"y"},{"a":"x","b":"z"}]`,
			want: []string{"read 2", "", "0=long", "0=", "0=x 1=z"},
		},
		{
			name: "two forms",
			in:   `[{"a":1},{"b":1},{"b":2},{"a":2},{"b": 3}]`,
			want: []string{"read 1", "read 1", "0=2", "0=2", "read 1"},
		},
		{
			name: "other kinds",
			in:   `[[1],["1"],["2"],[null],[null],[]]`,
			want: []string{"read 1", "read 1", "0=2", "read 0", "read 0", "read 0"},
		},
		{
			name: "more and fewer elements",
			in:   `[[1,2],[1],[1,2,3],[2,1]]`,
			want: []string{"read 2", "read 1", "read 3", "0=2 1=1"},
		},
		{
			name: "escape sequences",
			in:   `["a","\n","b","\n"]`,
			want: []string{"read 1", "read 1", "0=b", "read 1"},
		},
		{
			name: "a name is not a string",
			in:   `[{"a":"x"},{"c":"x"},{"c":"a"}]`,
			want: []string{"read 1", "read 1", "0=a"},
		},
		{
			name: "an infinity",
			in:   `[1,1e999,2]`,
			want: []string{"read 1", "read 1", "0=2"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, way := range []string{"whole", "data and EOF"} {
				s := newScanner(ways[way]([]byte(test.in)))
				got := matches(s)
				if diff := cmp.Diff(test.want, got); diff != "" || !s.End() {
					t.Errorf("%s: %v (-want +got):\n%s", way, s.Err(), diff)
				}
			}
		})
	}
}

// A value that matches no form is read without forms, and its errors are found. The § in the
// input marks the error and is not part of the input.
func TestFormsErrors(t *testing.T) {
	for _, test := range []struct{ in, path, want string }{
		{
			in:   `[{"a":1},{"a":0§1}]`,
			path: "1.a",
			want: "found '1', expected a comma or }",
		},
		{
			in:   `[{"a":1},{"a":1.§}]`,
			path: "1.a",
			want: "found '}', expected a digit",
		},
		{
			in:   `[{"a":1},{"a":§}]`,
			path: "1.a",
			want: "found '}', expected a value",
		},
		{
			in:   "[[\"a\"],[\"b\"],[\"§\xff\"]]",
			path: "2.0",
			want: "a string holds byte 0xff, which is not valid UTF-8",
		},
		{
			in:   "[[\"a\"],[\"b\"],[\"§\x01\"]]",
			path: "2.0",
			want: "a string holds control character 0x01, which JSON wants escaped",
		},
		{
			in:   `[["a"],["b"],["c]§`,
			path: "2.0",
			want: "unexpected end of input, expected the end of the string",
		},
		{
			in:   `[["a"],["b"],["c"§`,
			path: "2.0",
			want: "unexpected end of input, expected a comma or ]",
		},
		{
			in:   `[[1],[2§`,
			path: "1.0",
			want: "unexpected end of input, expected the rest of a number",
		},
		{
			in:   `[["abcdefghij"],["b"],[§"abcdefghijk"]]`,
			path: "2.0",
			want: "bytes of one string: more than 10 (Limits.MaxStringBytes)",
		},
	} {
		t.Run(test.want, func(t *testing.T) {
			before, after, _ := strings.Cut(test.in, "§")
			want := fmt.Sprintf("in:1:%d: %s: %s", len(before)+1, test.path, test.want)
			for way, reader := range ways {
				s := New(reader([]byte(before+after)), "in", format.Limits{MaxStringBytes: 10}.WithDefaults())
				matches(s)
				if s.Err() == nil || s.Err().Error() != want {
					t.Errorf("%s:\n got %v\nwant %s", way, s.Err(), want)
				}
			}
		})
	}
}

// The values are the same at the ends of windows, and if a reader returns few bytes at a time.
func TestFormsWindows(t *testing.T) {
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
			t.Run(fmt.Sprint(size, " ", name), func(t *testing.T) {
				var f Forms[int]
				i, matched := 0, 0
				for s.EnterArray(); s.Element(); i++ {
					fields, match := f.Next(s)
					if match != nil {
						matched++
						if got := match.Number(0); got != float64(i) {
							t.Fatalf("%v, want %d", got, i)
						}
						continue
					}
					bindAll(s, fields)
					f.Keep(s, true)
				}
				if s.Err() != nil || i != n {
					t.Errorf("%d of %d elements, %v", i, n, s.Err())
				}
				if size < 30_000 && matched < n-n/20-2 {
					t.Errorf("only %d of %d matched", matched, n)
				}
			})
		}
	}
}

// A nested field matches exactly the values that Nested accepts.
func TestFormsNested(t *testing.T) {
	known := []string{`[1,2]`, `{"x":[1]}`, `[]`, `[1,{"y":"]"}]`}
	in := `[{"a":[1,2],"n":1},{"a":[1,2],"n":2},{"a":{"x":[1]},"n":3},{"a":[],"n":4},{"a":[9],"n":5},` +
		`{"a":[1,{"y":"]"}],"n":6},{"a":null,"n":7},{"a":[1,2],"n":8}]`
	want := `read, 2, {"x":[1]} 3, [] 4, read, [1,{"y":"]"}] 6, read, [1,2] 8`
	for way, s := range map[string]*Scanner{
		"whole": newScanner(strings.NewReader(in)),
		"half":  newScanner(iotest.HalfReader(strings.NewReader(in))),
	} {
		t.Run(way, func(t *testing.T) {
			f := Forms[struct{}]{Nested: func(_ *struct{}, _ forms.Tag, b []byte) int {
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
				_, match := f.Next(s)
				if match != nil {
					var texts []string
					for i := range match.Changes() {
						texts = append(texts, string(match.Text(i)))
					}
					got = append(got, strings.Join(texts, " "))
					continue
				}
				got = append(got, "read")
				for _, kind := range s.Members() {
					from := s.Offset()
					if s.Skip(); kind >= Array {
						s.BindWhole(forms.Nested, forms.Tag{}, from)
					} else if kind == Number {
						s.Bind(forms.Tag{}, from)
					}
				}
				f.Keep(s, true)
			}
			if got := strings.Join(got, ", "); got != want || !s.End() {
				t.Errorf("%v\n got %s\nwant %s", s.Err(), got, want)
			}
		})
	}
}

// A value that matches is charged like the value that was read. It does not match if that exceeds
// the limit, and a refused match is not charged.
func TestFormsCharge(t *testing.T) {
	s := newScanner(strings.NewReader(`[{"a":1},{"a":2},{"a":3},{"a":4}]`))
	var f Forms[int]
	read := func(charge int) {
		fields, _ := f.Next(s)
		s.Charge(charge)
		bindAll(s, fields)
		f.Keep(s, true)
	}
	s.EnterArray()
	s.Element()
	s.BeginRegion("Some", 1000, 0)
	read(93)
	s.EndRegion()

	s.Element()
	s.BeginRegion("Some", 100, 0)
	if _, match := f.Next(s); match == nil || s.Charged() != 93 {
		t.Errorf("match %v, charged %d of 100 - 7", match, s.Charged())
	}
	at := s.Offset() - int64(len(`{"a":2}`))
	if f.Refuse(s); s.Offset() != at || s.Charged() != 0 || s.Left() != 100 {
		t.Errorf("refused: at %d, charged %d, want at %d", s.Offset(), s.Charged(), at)
	}
	s.Charge(93)
	bindAll(s, new(int))
	f.Keep(s, true)
	s.EndRegion()

	s.Element()
	s.BeginRegion("Some", 99, 0)
	if _, match := f.Next(s); match != nil || s.Charged() != 0 || s.Err() != nil {
		t.Errorf("match %v, charged %d, %v, want none", match, s.Charged(), s.Err())
	}
	s.EndRegion()
	s.Skip()

	s.Element()
	if _, match := f.Next(s); match == nil || s.Element() || !s.End() {
		t.Errorf("last element: match %v, %v", match, s.Err())
	}
}

// A value that charges much memory is not kept as a form, and its memory is not reused.
func TestFormsMemory(t *testing.T) {
	s := newScanner(strings.NewReader(strings.Repeat(`[1,`, 1) + strings.Repeat(`2,`, 20) + `3]`))
	var f Forms[[]byte]
	for s.EnterArray(); s.Element(); {
		v, match := f.Next(s)
		if match != nil || *v != nil {
			t.Fatalf("match %v, memory of %d bytes", match, cap(*v))
		}
		*v = make([]byte, maxCharged+1)
		s.Charge(len(*v))
		s.Number()
		s.Bind(forms.Tag{}, 0)
		if f.Keep(s, true) {
			t.Error("remembered")
		}
	}
}

func TestMembers(t *testing.T) {
	const in = `{"b":1,"x":[2],"a":null,"y":{}}`
	var got []string
	s := newScanner(strings.NewReader(in))
	for name, kind := range s.Members() {
		got = append(got, fmt.Sprint(string(name), " ", kind))
		s.Skip()
	}
	want := []string{"b number", "x array", "a null", "y object"}
	if diff := cmp.Diff(want, got); diff != "" || !s.End() {
		t.Errorf("Members: %v (-want +got):\n%s", s.Err(), diff)
	}

	got = nil
	s = newScanner(strings.NewReader(in))
	for i, kind := range s.KnownMembers([]string{"a", "b"}) {
		got = append(got, fmt.Sprint(i, " ", kind))
		s.Skip()
	}
	want = []string{"1 number", "-1 array", "0 null", "-1 object"}
	if diff := cmp.Diff(want, got); diff != "" || !s.End() {
		t.Errorf("KnownMembers: %v (-want +got):\n%s", s.Err(), diff)
	}

	for _, in := range []string{`{"a":1,"b":1,"a":1}`, `{"x":1,"b":1,"x":1}`, `{"a":1,"b"`} {
		s, known := newScanner(strings.NewReader(in)), newScanner(strings.NewReader(in))
		for range s.Members() {
			s.Skip()
		}
		for range known.KnownMembers([]string{"a", "b"}) {
			known.Skip()
		}
		if s.Err() == nil || fmt.Sprint(s.Err()) != fmt.Sprint(known.Err()) {
			t.Errorf("%s: %v, and of known members %v", in, s.Err(), known.Err())
		}
	}
}

// Duplicate members are reported and skipped.
func TestReportRepeated(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "duplicates",
			in:   `{"a":1,"x":2,"a":[3],"x":4,"b":5,"x":6}`,
			want: []string{"a 1", "x 2", "duplicate a", "duplicate x", "b 5", "duplicate x"},
		},
		{
			name: "in a value that is skipped",
			in:   `{"a":1,"a":{"y":2,"y":3},"b":4}`,
			want: []string{"a 1", "duplicate a", "duplicate y", "b 4"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			scanner := func() *Scanner {
				got = nil
				s := newScanner(strings.NewReader(test.in))
				s.ReportRepeated(func(name []byte) { got = append(got, "duplicate "+string(name)) })
				return s
			}
			check := func(s *Scanner) {
				t.Helper()
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if !s.End() {
					t.Error(s.Err())
				}
			}

			s := scanner()
			for name := range s.Members() {
				text := string(name)
				f, _ := s.Number()
				got = append(got, fmt.Sprint(text, " ", f))
			}
			check(s)

			s = scanner()
			for i := range s.KnownMembers([]string{"a", "b"}) {
				f, _ := s.Number()
				got = append(got, fmt.Sprint([]string{"x", "a", "b"}[i+1], " ", f))
			}
			check(s)
		})
	}
}

func TestValueLen(t *testing.T) {
	for _, test := range []struct {
		in            string
		length, depth int
	}{
		{`[]`, 2, 1}, {`{}x`, 2, 1}, {`[1,2],3]`, 5, 1}, {`{"a":[{"b":"]}\"\\"}]}]`, 22, 3},
		{`[1`, 0, 0}, {`["`, 0, 0}, {`["\`, 0, 0}, {`["]\"`, 0, 0}, {`[`, 0, 0},
	} {
		t.Run(test.in, func(t *testing.T) {
			if length, depth := ValueLen([]byte(test.in)); length != test.length || depth != test.depth {
				t.Errorf("%d, %d, want %d, %d", length, depth, test.length, test.depth)
			}
		})
	}
}

// FuzzForms compares reading an array with forms and without them.
func FuzzForms(f *testing.F) {
	f.Add(`[{"a":"x","b":1},{"a":"y","b":2},{"a":"y","b":3}]`)
	f.Add(`["a","ab","",1,2,"\u0061","é"]`)
	f.Fuzz(func(t *testing.T, in string) {
		if !strings.HasPrefix(in, "[") {
			return
		}
		want := check(strings.NewReader(in))
		for way, reader := range ways {
			s := newScanner(reader([]byte(in)))
			matches(s)
			s.End()
			if got := s.Err(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: with forms %v, without %v", way, got, want)
			}
		}
	})
}
