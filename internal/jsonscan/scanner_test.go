package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
)

func newScanner(in io.Reader) *Scanner { return New(in, "in", format.Limits{}.WithDefaults()) }

// check reads a whole document.
func check(in io.Reader) error {
	s := newScanner(in)
	if s.Skip() {
		s.End()
	}
	return s.Err()
}

// ways are the ways in which an input can arrive.
var ways = map[string]func([]byte) io.Reader{
	"whole":        func(b []byte) io.Reader { return bytes.NewReader(b) },
	"byte by byte": func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
	"data and EOF": func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
}

func TestConformance(t *testing.T) {
	verdicts := map[byte]int{}
	for _, file := range corpus.Glob(t, corpus.Dir(t, "json"), "*.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		verdicts[name[0]]++
		for way, reader := range ways {
			err := check(reader(data))
			switch {
			case strings.HasPrefix(name, "y_object_duplicated_key"):
				if err == nil || !strings.Contains(err.Error(), "duplicate member") {
					t.Errorf("%s, %s: %v, want a complaint about a repeated member", name, way, err)
				}
			case name[0] == 'y' && err != nil:
				t.Errorf("%s, %s: refused: %v", name, way, err)
			case name[0] == 'n' && err == nil:
				t.Errorf("%s, %s: accepted", name, way)
			}
			var e *format.Error
			if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset < 0 ||
				e.Offset > int64(len(data))) {
				t.Errorf("%s, %s: error %#v", name, way, err)
			}
		}
	}
	if verdicts['y'] != 95 || verdicts['n'] != 188 {
		t.Errorf("the suite has other files than it should: %v", verdicts)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{
			want: "in:1:1: the input is empty",
		},
		{
			in:   " \n ",
			want: "in:2:2: unexpected end of input, expected a value",
		},
		{
			in:   "{\n  \"a\": [1,\n 2 3]}",
			want: "in:3:4: a.1: found '3', expected a comma or ]",
		},
		{
			in:   `{"a":{"b":tru}}`,
			want: `in:1:14: a.b: found '}', expected true`,
		},
		{
			in:   `{"a":1,}`,
			want: `in:1:8: found '}', expected a member's name`,
		},
		{
			in:   `{a:1}`,
			want: `in:1:2: found 'a', expected a member's name or }`,
		},
		{
			in:   `{"a" 1}`,
			want: `in:1:6: a: found '1', expected a colon`,
		},
		{
			in:   `{"a":1 "b":2}`,
			want: `in:1:8: a: found '"', expected a comma or }`,
		},
		{
			in:   `[1,]`,
			want: `in:1:4: 0: found ']', expected a value`,
		},
		{
			in:   `[1}`,
			want: `in:1:3: 0: found '}', expected a comma or ]`,
		},
		{
			in:   `[01]`,
			want: `in:1:3: 0: found '1', expected a comma or ]`,
		},
		{
			in:   `[-]`,
			want: `in:1:3: 0: found ']', expected a digit`,
		},
		{
			in:   `[-x]`,
			want: `in:1:3: 0: found 'x', expected a digit`,
		},
		{
			in:   `[1.]`,
			want: `in:1:4: 0: found ']', expected a digit`,
		},
		{
			in:   `[1.e5]`,
			want: `in:1:4: 0: found 'e', expected a digit`,
		},
		{
			in:   `[1.5e]`,
			want: `in:1:6: 0: found ']', expected a digit`,
		},
		{
			in:   `[1e+]`,
			want: `in:1:5: 0: found ']', expected a digit`,
		},
		{
			in:   `[+1]`,
			want: `in:1:2: found '+', expected a value`,
		},
		{
			in:   `[1`,
			want: `in:1:3: 0: unexpected end of input, expected the rest of a number`,
		},
		{
			in:   `["a`,
			want: `in:1:4: 0: unexpected end of input, expected the end of the string`,
		},
		{
			in:   `["\`,
			want: `in:1:4: 0: unexpected end of input, expected the rest of an escape sequence`,
		},
		{
			in:   `["\x"]`,
			want: `in:1:4: 0: found 'x', expected one of "\/bfnrtu after a backslash`,
		},
		{
			in:   `["\u12G4"]`,
			want: `in:1:7: 0: found 'G', expected a hexadecimal digit`,
		},
		{
			in:   "[\"a\tb\"]",
			want: `in:1:4: 0: a string holds control character 0x09, which JSON wants escaped`,
		},
		{
			in:   "[\"é\xff\"]",
			want: `in:1:5: 0: a string holds byte 0xff, which is not valid UTF-8`,
		},
		{
			in:   "\ufeff{}",
			want: "in:1:1: found a byte order mark, expected a value",
		},
		{
			in:   "{}\n{}",
			want: "in:2:1: data after the end of the document",
		},
		{
			in:   "[\x00]",
			want: "in:1:2: found control character 0x00, expected a value",
		},
		{
			in:   `{"a":1,"b":{"c":[1,2],"c":2}}`,
			want: `in:1:23: b.c: duplicate member "c"`,
		},
		{
			in:   `{"a":1,"\u0061" :2}`,
			want: `in:1:8: a: duplicate member "a"`,
		},
		{
			in:   "\r\n\t nul",
			want: "in:2:6: unexpected end of input, expected null",
		},
		{
			in: strings.Repeat("[", 1001),
			want: "in:1:1001: " + strings.Repeat("0.", 999) +
				"0: arrays and objects nest too deep: more than 1000 (Limits.MaxDepth)",
		},
	} {
		t.Run(fmt.Sprintf("%.40q", test.in), func(t *testing.T) {
			for way, reader := range ways {
				err := check(reader([]byte(test.in)))
				if err == nil || err.Error() != test.want {
					t.Errorf("%q, %s:\n got %v\nwant %s", test.in, way, err, test.want)
				}
			}
		})
	}
}

// Errors have different causes.
func TestErrorCauses(t *testing.T) {
	if err := check(strings.NewReader(`{"a":`)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("truncated: %v", err)
	}
	broken := errors.New("broken pipe")
	err := check(io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || err.Error() != "in:1:6: a: reading failed: broken pipe" {
		t.Errorf("I/O error: %v", err)
	}
	if err := check(io.MultiReader(strings.NewReader(`[1]`), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("I/O error after the document: %v", err)
	}
	if err := check(stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLimits(t *testing.T) {
	limits := format.Limits{MaxStringBytes: 10, MaxMembers: 40}.WithDefaults()
	var many strings.Builder
	for i := range 42 {
		fmt.Fprintf(&many, `,"%d":0`, i)
	}
	for _, test := range []struct {
		name     string
		in, want string
	}{
		{
			name: "longest string",
			in:   `["0123456789"]`,
		},
		{
			name: "longer string",
			in:   `["01234567890"]`,
			want: "in:1:2: 0: bytes of one string: more than 10 (Limits.MaxStringBytes)",
		},
		{
			name: "longer string of escape sequences",
			in:   `["\u0061\u0061"]`,
			want: "in:1:2: 0: bytes of one string: more than 10 (Limits.MaxStringBytes)",
		},
		{
			name: "members",
			in:   "{" + many.String()[1:] + "}",
			want: "in:1:272: 40: members of an object and the objects around it: " +
				"more than 40 (Limits.MaxMembers)",
		},
		{
			name: "members of nested objects",
			in:   `{"a":1,"b":{` + many.String()[1:strings.Index(many.String(), `,"38"`)] + `,"c":{"x":1}}}`,
			want: "in:1:269: b.c: members of an object and the objects around it: " +
				"more than 40 (Limits.MaxMembers)",
		},
		{
			name: "members of successive objects",
			in: `[{` + many.String()[1:strings.Index(many.String(), `,"38"`)] + `},{` +
				many.String()[1:strings.Index(many.String(), `,"38"`)] + `}]`,
		},
		{
			name: "very long string",
			in:   `["` + strings.Repeat("x", 1<<20) + `"]`,
			want: "in:1:2: 0: bytes of one string or number: more than 10 (Limits.MaxStringBytes)",
		},
		{
			name: "very long number",
			in:   `[` + strings.Repeat("1", 1<<20) + `]`,
			want: "in:1:2: 0: bytes of one string or number: more than 10 (Limits.MaxStringBytes)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(strings.NewReader(test.in), "in", limits)
			s.Skip()
			if got := fmt.Sprint(s.Err()); got != test.want && !(test.want == "" && s.Err() == nil) {
				t.Errorf("%.40s:\n got %s\nwant %s", test.in, got, test.want)
			}
		})
	}
	s := newScanner(strings.NewReader(`[1,[` + strings.Repeat(" ", 100_000) + `]]`))
	s.EnterArray()
	s.Element()
	s.Skip()
	s.Element()
	s.BeginRegion("MaxHeaderBytes", 1000, 0)
	s.Skip()
	s.EndRegion()
	if want := "(Limits.MaxHeaderBytes)"; s.Err() == nil || !strings.Contains(s.Err().Error(), want) {
		t.Errorf("region: got %v, want %s", s.Err(), want)
	}
}

// If looking ahead fails, the scanner returns and finds the position of the error.
func TestReturnAfterError(t *testing.T) {
	for _, length := range []int{1, 100_000} {
		in := `{"results":` + "\n" + `["a` + strings.Repeat(`","a`, length) + `]}`
		for name, src := range map[string]io.Reader{
			"seekable": strings.NewReader(in),
			"stream":   iotest.OneByteReader(strings.NewReader(in)),
		} {
			s := newScanner(src)
			s.EnterObject()
			s.Member()
			mark := s.LookAhead()
			if s.SkipFast() {
				t.Fatalf("%s: skipped fast over an open string", name)
			}
			s.Return(mark)
			if s.Skip() {
				t.Fatalf("%s: skipped over an open string", name)
			}
			want := fmt.Sprintf("in:2:%d: results.%d: unexpected end of input, expected the end of the string",
				2+4*length+4, length)
			if s.Err().Error() != want {
				t.Errorf("%s: got %v\nwant %s", name, s.Err(), want)
			}
			s.Close()
		}
	}
}

// The temporary file of a spool is removed.
func TestSpoolFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := `[[` + strings.Repeat("0,", 100_000) + `0]]`
	s := New(iotest.HalfReader(strings.NewReader(in)), "in", format.Limits{MaxSpoolMemory: 1}.WithDefaults())
	s.EnterArray()
	s.Element()
	mark := s.LookAhead()
	if !s.SkipFast() || !s.Return(mark) || !s.Skip() {
		t.Fatal(s.Err())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}

	s = New(iotest.HalfReader(strings.NewReader(in)), "in", format.Limits{
		MaxSpoolMemory: 1,
		MaxSpoolBytes:  100_000,
	}.WithDefaults())
	s.EnterArray()
	s.Element()
	s.LookAhead()
	s.SkipFast()
	if s.Err() == nil || !strings.Contains(s.Err().Error(), "MaxSpoolBytes") {
		t.Errorf("error %v, want one that names MaxSpoolBytes", s.Err())
	}
	s.Close()
}

func TestNumbers(t *testing.T) {
	for _, in := range []string{
		"0", "-0", "1", "-1", "0.1", "1e3", "1E+2", "1.5e-3", "123456789012345678", "12345678901234567890123",
		"0.1234567890123456789", "9007199254740993", "9007199254740992e22", "1e22", "1e23", "1e-22",
		"1e-23", "5e-324", "1e-400",
		"1.7976931348623157e308", "1.7976931348623159e308", "-1e400", "1e99999999999999999999",
		"0e99999999999999999999",
		"0.000000000000000000000000000000001", "2.2250738585072011e-308",
	} {
		want, err := strconv.ParseFloat(in, 64)
		if err != nil && !math.IsInf(want, 0) {
			t.Fatal(err)
		}
		for way, reader := range ways {
			s := newScanner(reader([]byte("[" + in + "]")))
			s.EnterArray()
			s.Element()
			got, ok := s.Number()
			if !ok || got != want || math.Signbit(got) != math.Signbit(want) {
				t.Errorf("%s, %s: %v, want %v", in, way, got, want)
			}
		}
	}
}

// FuzzAgainstEncodingJSON compares Skip with encoding/json, however the input arrives, and SkipFast
// with Skip.
func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,"b\u00e9\ud83d\ude00",true,false,null,{}],"é":""}`,
		`{"a":1,"a":2}`,
		`["\ud800"]`,
		"[1,]",
		"[y_Y\x7f]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := check(bytes.NewReader(data))
		for way, reader := range ways {
			if other := check(reader(data)); fmt.Sprint(other) != fmt.Sprint(err) {
				t.Errorf("%s: %v, but whole: %v", way, other, err)
			}
		}
		valid := json.Valid(data)
		if err == nil && !valid {
			t.Errorf("accepted what encoding/json refuses")
		}
		if err != nil && valid {
			// encoding/json accepts these.
			if m := err.Error(); !strings.Contains(m, "duplicate member") && !strings.Contains(m, "UTF-8") &&
				!strings.Contains(m, "Limits.") {
				t.Errorf("refused what encoding/json accepts: %v", err)
			}
		}
		if err == nil {
			s := newScanner(bytes.NewReader(data))
			if !s.SkipFast() || !s.End() {
				t.Errorf("Skip accepts, SkipFast fails: %v", s.Err())
			}
		}
	})
}

// FuzzText compares the text of strings with encoding/json.
func FuzzText(f *testing.F) {
	f.Add(`a\u00e9\ud83d\ude00\ud800\udc00\ud800x\/\"`)
	f.Add(`\ud800\ud83d\ude00`)
	f.Fuzz(func(t *testing.T, in string) {
		quoted := `"` + in + `"`
		var want string
		if json.Unmarshal([]byte(quoted), &want) != nil {
			return
		}
		for way, reader := range ways {
			s := newScanner(reader([]byte(quoted)))
			got, ok := s.Text()
			if ok && string(got) != want || !ok && !strings.Contains(s.Err().Error(), "UTF-8") {
				t.Errorf("%s: %q, want %q: %v", way, got, want, s.Err())
			}
		}
	})
}

// Reset makes a Scanner like a new one, even after an error.
func TestReset(t *testing.T) {
	s := newScanner(strings.NewReader(`[1,`))
	for _, test := range []struct{ in, want string }{
		{`[1,`, "unexpected end of input"},
		{`{"a":[1]}`, ""},
		{`{"a":]`, "found ']'"},
		{`"text"`, ""},
	} {
		s.Reset(strings.NewReader(test.in), s.name, s.limits)
		s.Skip()
		s.End()
		if err := s.Err(); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.in, err)
		}
	}
}

// Lines are counted forward and backward, for positions in any order.
func TestLineAtInAnyOrder(t *testing.T) {
	in := "[" + strings.Repeat("1,\n\n  2, ", 100) + "3]"
	s := New(strings.NewReader(in), "", format.Limits{}.WithDefaults())
	s.EnterArray()
	s.Element()
	for k := range 2000 {
		i := k * 7919 % len(in)
		before := in[:i]
		want := Position{
			Offset: int64(i),
			Line:   strings.Count(before, "\n") + 1,
			Column: i - strings.LastIndex(before, "\n"),
		}
		if got := s.locate(i); got != want {
			t.Fatalf("locate(%d) = %+v, want %+v", i, got, want)
		}
	}
}

// NaN and similar words can be skipped where they are forgiven, and are errors elsewhere.
func TestForgiveNaN(t *testing.T) {
	for _, word := range []string{"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"} {
		t.Run(word, func(t *testing.T) {
			scan := func(in string) *Scanner {
				s := New(iotest.OneByteReader(strings.NewReader(in)), "", format.Limits{}.WithDefaults())
				s.ForgiveNaN()
				return s
			}
			s := scan(`{"a":[1, ` + word + ` ,2]}`)
			s.EnterObject()
			s.Member()
			s.EnterArray()
			s.Element()
			if s.Number(); !s.Element() || !s.SkipNaN() || string(s.Token()) != word || !s.Element() || s.SkipNaN() {
				t.Errorf("token %s, %v", s.Token(), s.Err())
			}
			for _, in := range []string{
				`{"a":[` + word + `],"b":{"c":[]}}`,
				`{"a":` + word + `}`,
				`{"a":[[` + word + `]]}`,
				`{"a":{"b":` + word + `}}`,
				word,
			} {
				if s = scan(in); s.Skip() {
					t.Errorf("%s was skipped", in)
				}
				if _, ok := scan(in).AppendValue(nil, nil); ok {
					t.Errorf("%s was read", in)
				}
				if s = scan(in); !s.SkipForgiving() || s.skipsNaN {
					t.Errorf("%s: %v", in, s.Err())
				}
			}
		})
	}
}
