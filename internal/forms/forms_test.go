package forms

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// learn learns a form of the text, in which « and » enclose placeholders: text after a quote, a nested
// value if it begins with a bracket, and a number otherwise. A placeholder belongs to the part of the
// value that begins at the last ‹ before it.
func learn(set *Set, marked string) bool {
	var f Form
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
			f.Bind(kind, Tag{Index: len(f.placeholders)}, from, start, len(text))
		default:
			text = append(text, string(r)...)
		}
	}
	set.Next()
	return set.Learn(&f, text)
}

// match shows how the input matches: its length, and index, text and part of each field that may
// have changed.
func match(set *Set, in string) string {
	m, more := set.Match(&Input{Bytes: []byte(in), Offset: 100, MaxText: 10}, nested)
	if m == nil {
		return map[bool]string{true: "more", false: "no"}[more]
	}
	show := fmt.Sprint(m.Length)
	if m.Form > 0 {
		show = fmt.Sprintf("form %d, %s", m.Form, show)
	}
	for i := range m.Changes() {
		show += fmt.Sprintf(" %d=%s@%d", m.Tag(i).Index, m.Text(i), m.Start(i))
		if number := m.Number(i); number != 0 {
			show += fmt.Sprintf("=%v", math.Trunc(number))
		}
	}
	return show
}

// nested accepts arrays without arrays in them.
func nested(_ int, _ Tag, b []byte) int {
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
			name: "a string that no placeholder takes",
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
		{
			name: "forms that begin alike",
			form: `{"a":«1»,"b":«1»} | {"a":«1»,"c":"«x»"} | {"a":«1»} | {"b":«1»}`,
			in:   []string{`{"a":23,"b":4}`, `{"a":5,"c":"x"}`, `{"a":6}`, `{"b":7}`, `{"a":8,"b":9}`, `{"a":1,"d":1}`},
			want: []string{
				"14 0=23@100=23 1=4@100=4", "form 1, 15 0=5@100=5", "form 2, 7 0=6@100=6", "form 3, 7 0=7@100=7",
				"13 0=8@100=8 1=9@100=9", "no",
			},
		},
		{
			name: "a placeholder of several forms opens",
			form: `{"a":"«x»","b":«1»,"c":«1»} | {"a":"«x»","b":«22»,"d":‹"«y»","e":«3»}`,
			in: []string{
				`{"a":"x","b":2,"d":"y","e":4}`, `{"a":"long","b":2,"c":3}`, `{"a":"x","b":333,"d":"other","e":4}`,
				`{"a":"","b":"","c":3}`,
			},
			want: []string{
				"form 1, 29 1=2@100=2 3=4@119=4", "24 0=long@100 1=2@100=2 2=3@100=3",
				"form 1, 35 0=x@100 1=333@100=333 2=other@121 3=4@121=4", "no",
			},
		},
		{
			name: "nested values of several forms",
			form: `{"a":«[1]»,"b":«2»} | {"a":«[1]»,"c":«2»}`,
			in:   []string{`{"a":[2],"b":3}`, `{"a":[2],"c":3}`, `{"a":[2],"d":3}`},
			want: []string{"15 0=[2]@100 1=3@100=3", "form 1, 15 0=[2]@100 1=3@100=3", "no"},
		},
		{
			name: "no placeholder is open",
			form: `[«1»] | ["«a»"]`,
			in:   []string{`[2]`, `["a"]`, `["b"]`, `["a"]`},
			want: []string{"3 0=2@100=2", "form 1, 5", "form 1, 5 0=b@100", "form 1, 5 0=a@100"},
		},
		{
			name: "a value of another kind",
			form: `[«1»,«2»] | ["«x»",«2»] | [null,«3»]`,
			in:   []string{`["y",3]`, `[4,5]`, `[null,6]`, `["y",null]`},
			want: []string{"form 1, 7 0=y@100 1=3@100=3", "5 0=4@100=4 1=5@100=5", "form 2, 8 0=6@100=6", "no"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var set Set
			for _, form := range strings.Split(test.form, " | ") {
				if !learn(&set, form) {
					t.Fatalf("%s is not learned", form)
				}
			}
			var got []string
			for _, in := range test.in {
				got = append(got, match(&set, in))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLearnedRefuses(t *testing.T) {
	many := "[" + strings.Repeat("«0»,", maxPlaceholders) + "«0»]"
	for name, marked := range map[string]string{
		"no placeholders":          `{"a":1}`,
		"too many placeholders":    many,
		"overlapping placeholders": `[«1»]»`,
	} {
		t.Run(name, func(t *testing.T) {
			var set Set
			if learn(&set, marked) || len(set.nodes) > 0 {
				t.Error("learned")
			}
		})
	}
	var set Set
	if !learn(&set, "["+strings.Repeat("«0»,", maxPlaceholders-1)+"«0»]") {
		t.Errorf("%d placeholders are not learned", maxPlaceholders)
	}
}

// A Set that is full forgets its forms, whatever filled it.
func TestFull(t *testing.T) {
	for name, form := range map[string]func(i int) string{
		"forms": func(i int) string { return fmt.Sprintf(`{"%d":«1»}`, i) },
		"text":  func(i int) string { return fmt.Sprintf(`{"%d":«1»}`, i) + strings.Repeat(" ", maxText/10) },
		"placeholders": func(i int) string {
			return fmt.Sprintf(`{"%d":[`, i) + strings.Repeat(`"«»"`, maxPlaceholders/2) + "«1»"
		},
	} {
		t.Run(name, func(t *testing.T) {
			var set Set
			learned := 0
			for i := range 100 {
				if learn(&set, form(i)) {
					learned++
				}
				if set.forms > Count || len(set.text) > maxText || set.size > maxSize+maxPlaceholders {
					t.Fatalf("%d forms, %d bytes, %d nodes and placeholders", set.forms, len(set.text), set.size)
				}
				if i == Count {
					if got := match(&set, `{"1":1}`); got != "no" {
						t.Errorf("an old form matches: %s", got)
					}
				}
			}
			if learned < 50 {
				t.Errorf("%d forms of 100 are learned", learned)
			}
		})
	}
}

func TestLearnSkipped(t *testing.T) {
	var set Set
	if !set.LearnSkipped([]byte(`{"a":"x","b" : 1,"c":"\"","d":[]}`)) {
		t.Fatal("not learned")
	}
	for in, want := range map[string]bool{
		`{"a":"xyz","b" : 12,"c":"\"","d":[]}`: true,
		`{"a":"x","b" : 1-1,"c":"\"","d":[]}`:  true, // not a number; the parser finds out
		`{"c":"x","b" : 1,"c":"\"","d":[]}`:    false,
		`{"a":"x","b" : 1,"c":"","d":[]}`:      false,
		`{"a":"x","b" : "","c":"\"","d":[]}`:   false,
	} {
		if m, _ := set.Match(&Input{Bytes: []byte(in), MaxText: 10}, nil); m != nil && m.Length != len(in) || (m != nil) != want {
			t.Errorf("%s: matches: %v", in, m != nil)
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
		set.Missed(Small)
	}
	if tried < 1000/8 || tried > 1000/8+2*manyMisses {
		t.Errorf("tried %d of 1000", tried)
	}
	learn(&set, `[«1»]`)
	for range 10 {
		match(&set, `[2]`)
	}
	for range 2 {
		if !set.Worthwhile(8) {
			t.Error("not tried after matches")
		}
	}
}

// With many forms, trying becomes rare even if one value in four matches.
func TestWorthwhileManyForms(t *testing.T) {
	for forms, rare := range map[int]bool{1: false, Count - 1: true} {
		t.Run(fmt.Sprint(forms), func(t *testing.T) {
			var set Set
			for i := range forms {
				learn(&set, fmt.Sprintf(`{"%d":«1»}`, i))
			}
			tried := 0
			for i := range 1000 {
				if !set.Worthwhile(8) {
					continue
				}
				tried++
				if i%4 == 0 {
					match(&set, `{"0":2}`)
				} else {
					set.Missed(Small)
				}
			}
			if got := tried < 500; got != rare {
				t.Errorf("tried %d of 1000", tried)
			}
		})
	}
}
