package forms

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// learn returns a form of the text, in which « and » enclose holes: text after a quote, a nested
// value if it begins with a bracket, and a number otherwise. A hole belongs to the part of the
// value that begins at the last ‹ before it.
func learn(marked string) *Form {
	var f Form
	f.Learn()
	var text []byte
	from, start := 0, 0
	for _, r := range marked {
		switch r {
		case '‹':
			from = len(text)
		case '«':
			start = len(text)
		case '»':
			kind := Number
			switch {
			case start > 0 && text[start-1] == '"':
				kind = Text
			case text[start] == '[':
				kind = Nested
			}
			f.Bind(kind, Tag{Index: len(f.holes)}, from, start, len(text))
		default:
			text = append(text, string(r)...)
		}
	}
	f.Learned(text)
	return &f
}

// match shows how the input matches: its length, and index, text and part of each field that may
// have changed.
func match(f *Form, in string) string {
	n, more := f.Match(&Input{Bytes: []byte(in), Offset: 100, MaxText: 10}, nested)
	if n == 0 {
		return map[bool]string{true: "more", false: "no"}[more]
	}
	show := fmt.Sprint(n)
	for i := range f.Changes() {
		show += fmt.Sprintf(" %d=%s@%d", f.Tag(i).Index, f.Text(i), f.Start(i))
		if number := f.Number(i); number != 0 {
			show += fmt.Sprintf("=%v", math.Trunc(number))
		}
	}
	return show
}

// nested accepts arrays without arrays in them.
func nested(_ Tag, b []byte) int {
	end := strings.IndexByte(string(b), ']')
	switch {
	case b[0] != '[' || strings.Count(string(b[:max(end, 0)]), "[") > 1:
		return 0
	case end < 0:
		return -1
	}
	return end + 1
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		name, form string
		in, want   []string
	}{
		{
			name: "numbers",
			form: `{"a":«1»}`,
			in: []string{
				`{"a":-2.5}x`,
				`{"a":1`,
				`{"a":`,
				`{"a":"1"}`,
				`{"a":01}`,
				`{"a":1e999}`,
				`{"a":12345678901}`,
			},
			want: []string{"10 0=-2.5@100=-2", "more", "more", "no", "no", "no", "no"},
		},
		{
			name: "literal text",
			form: `{"a":1,"b":«2»}`,
			in:   []string{`{"a":1,"b":3}`, `{"a":2,"b":2}`, `{"a": 1,"b":2}`, `{"a":1,"b":2 }`, `{"a`},
			want: []string{"13 0=3@100=3", "no", "no", "no", "more"},
		},
		{
			name: "a string opens",
			form: `["«ab»","«c»",1]`,
			in:   []string{`["ab","c",1]`, `["ab","cd",1]`, `["a","c",1]`, `["","c",1]`, `["é","c",1]`},
			want: []string{"12", "13 1=cd@100", "11 0=a@100 1=c@100", "10 0=@100 1=c@100", "12 0=é@100 1=c@100"},
		},
		{
			name: "a string that no hole takes",
			form: `["«a»"]`,
			in:   []string{`["\n"]`, "[\"\xff\"]", "[\"\x01\"]", `["12345678901"]`, `["b`, `[1]`},
			want: []string{"no", "no", "no", "no", "more", "no"},
		},
		{
			name: "nested",
			form: `{"a":«[1]»,"b":«2»}`,
			in:   []string{`{"a":[1],"b":3}`, `{"a":[1,2],"b":3}`, `{"a":[[1]],"b":3}`, `{"a":[1`, `{"a":1,"b":3}`},
			want: []string{"15 1=3@100=3", "17 0=[1,2]@100 1=3@100=3", "no", "more", "no"},
		},
		{
			name: "parts",
			form: `[‹{"v":"«ab»","n":«1»},‹{"n":«2»,"v":"«c»"}]`,
			in:   []string{`[{"v":"ab","n":1},{"n":2,"v":"c"}]`, `[{"v":"abcd","n":1},{"n":22,"v":"ccc"}]`},
			want: []string{"34 1=1@101=1 2=2@118=2", "39 0=abcd@101 1=1@101=1 2=22@120=22 3=ccc@120"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := learn(test.form)
			var got []string
			for _, in := range test.in {
				got = append(got, match(f, in))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLearnedRefuses(t *testing.T) {
	many := "[" + strings.Repeat("«0»,", maxHoles) + "«0»]"
	for name, marked := range map[string]string{
		"no holes":          `{"a":1}`,
		"too many holes":    many,
		"overlapping holes": `[«1»]»`,
	} {
		t.Run(name, func(t *testing.T) {
			f := learn(marked)
			text := strings.NewReplacer("«", "", "»", "").Replace(marked)
			if n, more := f.Match(&Input{Bytes: []byte(text)}, nil); n != 0 || more || f.Changes() != 0 {
				t.Errorf("matches %d bytes", n)
			}
		})
	}
	if f := learn("[" + strings.Repeat("«0»,", maxHoles-1) + "«0»]"); f.Changes() != maxHoles {
		t.Errorf("%d holes, want %d", f.Changes(), maxHoles)
	}
}

func TestLearnSkimmed(t *testing.T) {
	var f Form
	if !f.LearnSkimmed([]byte(`{"a":"x","b" : 1,"c":"\"","d":[]}`)) {
		t.Fatal("not learned")
	}
	for in, want := range map[string]bool{
		`{"a":"xyz","b" : 12,"c":"\"","d":[]}`: true,
		`{"a":"x","b" : 1-1,"c":"\"","d":[]}`:  true, // not a number; the parser finds out
		`{"c":"x","b" : 1,"c":"\"","d":[]}`:    false,
		`{"a":"x","b" : 1,"c":"","d":[]}`:      false,
		`{"a":"x","b" : "","c":"\"","d":[]}`:   false,
	} {
		if n, _ := f.Match(&Input{Bytes: []byte(in), MaxText: 10}, nil); n != len(in) && want || n != 0 && !want {
			t.Errorf("%s: %d bytes match", in, n)
		}
	}
}

// Where values match none of the forms, trying becomes rare, and common again after some matches.
func TestWorthwhile(t *testing.T) {
	var set Set
	tried := 0
	for range 1000 {
		if set.Worthwhile(8) {
			tried++
		}
		set.Missed(Small, false)
	}
	if tried < 1000/8 || tried > 1000/8+2*manyMisses {
		t.Errorf("tried %d of 1000", tried)
	}
	for range 10 {
		for range set.Candidates() {
			break
		}
	}
	for range 2 {
		if !set.Worthwhile(8) {
			t.Error("not tried after matches")
		}
	}
}
