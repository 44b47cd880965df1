package traceid_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/corpus"
	"perfdata/traceid"
)

// expected is the corpus's record of the reference's answers.
type expected struct {
	IDs []struct {
		ID     string
		Valid  bool
		Parsed map[string]string
	}
	Make []struct {
		Params      map[string]string
		ID          string
		StrictOK    bool   `json:"strict_ok"`
		CanonicalID string `json:"canonical_id"`
	}
	Traces  []string
	Queries []struct {
		Query string
		Error bool
		Match []string
	}
}

func TestCorpus(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpus.Dir(t, "traceid"), "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want expected
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.IDs) == 0 || len(want.Make) == 0 || len(want.Traces) == 0 || len(want.Queries) == 0 {
		t.Fatal("the corpus's file lacks something")
	}
	for _, x := range want.IDs {
		params, err := traceid.Parse(x.ID)
		if (err == nil) != x.Valid || traceid.Valid(x.ID) != x.Valid {
			t.Errorf("%q: Parse: %v, Valid: %v, want %v", x.ID, err, traceid.Valid(x.ID), x.Valid)
		}
		if x.Valid {
			if diff := cmp.Diff(x.Parsed, params.Map()); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", x.ID, diff)
			}
			if id, err := traceid.MakeStrict(params); id != x.ID || err != nil {
				t.Errorf("MakeStrict(Parse(%q)) = %q, %v", x.ID, id, err)
			}
		}
	}
	for _, x := range want.Make {
		params := traceid.FromMap(x.Params)
		id, err := traceid.MakeStrict(params)
		if (err == nil) != x.StrictOK || id != x.ID {
			t.Errorf("MakeStrict(%v) = %q, %v; want %q, %v", params, id, err, x.ID, x.StrictOK)
		}
		if id := params.ID(); id != x.CanonicalID {
			t.Errorf("%v.ID() = %q, want %q", params, id, x.CanonicalID)
		}
	}
	for _, x := range want.Queries {
		q, err := traceid.ParseQuery(x.Query)
		if (err != nil) != x.Error {
			t.Errorf("ParseQuery(%q): %v, want an error: %v", x.Query, err, x.Error)
		}
		if err != nil {
			continue
		}
		match := []string{}
		for _, id := range want.Traces {
			if ok, err := q.MatchID(id); err != nil {
				t.Error(err)
			} else if ok {
				match = append(match, id)
			}
		}
		if diff := cmp.Diff(x.Match, match); diff != "" {
			t.Errorf("query %q (-want +got):\n%s", x.Query, diff)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, test := range []struct {
		name   string
		params map[string]string
		want   string
	}{
		{"empty", nil, ""},
		{"empty key and value", map[string]string{"": ""}, ",_=_,"},
		{"an empty value", map[string]string{"a": ""}, ",a=_,"},
		{"values that change behind short keys", map[string]string{"a": "x y z", "b": "x y"}, ",a=x_y_z,b=x_y,"},
		{"unsorted", map[string]string{"b": "1", "a": "2"}, ",a=2,b=1,"},
		{"unusual characters", map[string]string{"é=": "a\xffb", "x": "\u00e9té 😀"}, ",__=a_b,x=_t___,"},
		// A key that changes goes where it then belongs.
		{"keys that change their order", map[string]string{"a b": "1", "a-": "2", "aA": "3"}, ",a-=2,aA=3,a_b=1,"},
		// T1: equal keys.
		{"equal keys: the canonical one wins", map[string]string{"a b": "1", "a_b": "2", "a~b": "3"}, ",a_b=2,"},
		{"equal keys: the last one wins", map[string]string{"a b": "1", "a~b": "3", "a!b": "2"}, ",a_b=3,"},
		{"an empty key that becomes equal", map[string]string{"": "1", "~": "2"}, ",_=2,"},
		{"an empty key and an underscore", map[string]string{"": "1", "_": "2"}, ",_=2,"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := traceid.FromMap(test.params)
			if got := p.ID(); got != test.want {
				t.Errorf("%q: ID %q, want %q", test.params, got, test.want)
			}
			if got := string(p.AppendID([]byte("x"))); got != "x"+test.want {
				t.Errorf("%q: AppendID %q", test.params, got)
			}
			c := p.Canonical()
			if got := c.ID(); got != test.want || c.CheckSorted() != nil {
				t.Errorf("%q: Canonical %v", test.params, c)
			}
			if again := c.Canonical(); !again.Equal(c) {
				t.Errorf("%q: Canonical isn't idempotent: %v", test.params, again)
			}
		})
	}
}

// Separators in a value are replaced wherever they are, and however many they are.
func TestSeparatorsInValues(t *testing.T) {
	plain := strings.Repeat("x", 20)
	for _, separators := range []string{",,", "==", ";;", ",=", "=,"} {
		for i := range plain {
			for j := i + 1; j < len(plain); j++ {
				in := plain[:i] + separators[:1] + plain[i+1:j] + separators[1:] + plain[j+1:]
				want := ",key=" + plain[:i] + "_" + plain[i+1:j] + "_" + plain[j+1:] + ","
				if got := traceid.Of("key", in).ID(); got != want {
					t.Errorf("%s: %s, want %s", in, got, want)
				}
			}
		}
	}
	const many = 1 << 24 // with less, a sum over all bytes in 64 bits does not overflow
	if got := traceid.Of("a", strings.Repeat(";", many)).ID(); got != ",a="+strings.Repeat("_", many)+"," {
		t.Errorf("%.20s... of %d bytes", got, len(got))
	}
}

func TestCharset(t *testing.T) {
	// As an instance of Skia Perf is configured: by an expression for the forbidden characters.
	invalid := regexp.MustCompile(`[^a-zA-Z0-9!~@#$%^&*()+ :\-_.é]`)
	c := traceid.NewCharset(func(r rune) bool { return !invalid.MatchString(string(r)) })
	p := traceid.FromMap(map[string]string{"a b": "x:y/z", "é": "ü"})
	if got, want := c.ID(p), ",a b=x:y_z,é=_,"; got != want {
		t.Errorf("ID %q, want %q", got, want)
	}
	if diff := cmp.Diff(traceid.Of("a b", "x:y_z", "é", "_"), c.Canonical(p)); diff != "" {
		t.Errorf("Canonical (-want +got):\n%s", diff)
	}
	q, err := traceid.ParseQuery("a%20b=x:y/z&%C3%A9=!%C3%BC&d/e=!x")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{",a b=x:y_z,": true, ",a_b=x_y_z,": false, ",a b=x:y_z,é=_,": false, ",a b=x:y_z,d_e=x,": false} {
		if got, err := c.Query(q).MatchID(id); got != want || err != nil {
			t.Errorf("Query selects %q: %v, %v, want %v", id, got, err, want)
		}
	}
	all := traceid.NewCharset(func(rune) bool { return true })
	if got, want := all.ID(traceid.FromMap(map[string]string{"a,b": "c=d;e ü\xff�"})), ",a_b=c_d_e ü_�,"; got != want {
		t.Errorf("with all characters allowed: %q, want %q", got, want)
	}
	if got, want := all.ID(traceid.Of("a", "\x80", "\u0080", "\u0080\x80")), ",a=_,\u0080=\u0080_,"; got != want {
		t.Errorf("around the first character that is not ASCII: %q, want %q", got, want)
	}
	none := traceid.NewCharset(func(rune) bool { return false })
	if got, want := none.ID(p), ",_=_,"; got[:3] != want[:3] || !traceid.Valid(got) {
		t.Errorf("with none allowed: %q", got)
	}
	var zero traceid.Charset
	if got := zero.ID(p); got != p.ID() {
		t.Errorf("the zero Charset: %q, want %q", got, p.ID())
	}
}

func TestParseErrors(t *testing.T) {
	for id, want := range map[string]string{
		"":              `trace id "": it must begin with a comma and end with one, as in ,key=value,`,
		",a=1":          `trace id ",a=1": it must begin with a comma and end with one, as in ,key=value,`,
		",a=1,,":        `trace id ",a=1,,": between two commas it must have key=value`,
		",a=,":          `trace id ",a=,": a key or value is empty`,
		",a=1=2,":       `trace id ",a=1=2,": a key or value holds = or ;`,
		",b=1,a=2,":     `trace id ",b=1,a=2,": key "a" comes after "b", out of order`,
		",a=1,a=2,b=3,": `trace id ",a=1,a=2,b=3,": duplicate key "a"`,
	} {
		if _, err := traceid.Parse(id); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", id, err, want)
		}
	}
}

func TestMakeErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		p    traceid.Params
		want string
	}{
		{"no params", nil, "no params to make a trace id of"},
		{"empty key", traceid.Params{{Key: "", Value: "1"}}, "empty key"},
		{"empty value", traceid.Params{{Key: "a", Value: ""}}, `key "a": empty value`},
		{"comma in a key", traceid.Params{{Key: "a,b", Value: "1"}}, `key "a,b" holds ','`},
		{"semicolon in a value", traceid.Params{{Key: "a", Value: "1;2"}}, `key "a": value "1;2" holds ';'`},
		{
			"unsorted",
			traceid.Params{{Key: "b", Value: "1"}, {Key: "a", Value: "1"}},
			`key "a" comes after "b", out of order`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := traceid.MakeStrict(test.p)
			if got != "" || err == nil || err.Error() != test.want {
				t.Errorf("%v: %q, %v; want %s", test.p, got, err, test.want)
			}
		})
	}
}

func TestParams(t *testing.T) {
	p := traceid.FromPairs([]traceid.Param{{Key: "b", Value: "1"}, {Key: "a", Value: "2"}, {Key: "b", Value: "3"}}...)
	want := traceid.Params{{Key: "a", Value: "2"}, {Key: "b", Value: "3"}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("FromPairs (-want +got):\n%s", diff)
	}
	merged := traceid.Merge(p, traceid.Params{{Key: "0", Value: "x"}, {Key: "b", Value: "y"}, {Key: "c", Value: "z"}})
	want = traceid.Params{
		{Key: "0", Value: "x"},
		{Key: "a", Value: "2"},
		{Key: "b", Value: "y"},
		{Key: "c", Value: "z"},
	}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("Merge (-want +got):\n%s", diff)
	}
	if v, ok := merged.Get("b"); v != "y" || !ok {
		t.Errorf("Get(b) = %q, %v", v, ok)
	}
	if v, ok := merged.Get("bb"); v != "" || ok {
		t.Errorf("Get(bb) = %q, %v", v, ok)
	}
	clone := merged.Clone()
	clone[0].Value = "changed"
	if merged[0].Value != "x" || clone.Equal(merged) {
		t.Error("Clone shares memory")
	}
	if !traceid.Merge(nil, nil).Equal(traceid.Params{}) {
		t.Error("nil and empty differ")
	}
	keys := []string{}
	for key := range merged.All() {
		if keys = append(keys, key); key == "b" {
			break
		}
	}
	if diff := cmp.Diff([]string{"0", "a", "b"}, keys); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	data, err := json.Marshal(merged)
	if want := `{"0":"x","a":"2","b":"y","c":"z"}`; string(data) != want || err != nil {
		t.Errorf("JSON %s, %v, want %s", data, err, want)
	}
	var back traceid.Params
	if err := json.Unmarshal(data, &back); err != nil || !back.Equal(merged) {
		t.Errorf("from JSON: %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"a":1}`), &back); err == nil {
		t.Error("a number was taken for a string")
	}
}

func TestMerge(t *testing.T) {
	for _, test := range []struct {
		name             string
		base, over, want traceid.Params
	}{
		{"nothing", nil, nil, nil},
		{"no base", nil, traceid.Of("a", "1"), traceid.Of("a", "1")},
		{"only a base", traceid.Of("a", "1"), nil, traceid.Of("a", "1")},
		{"over ends first", traceid.Of("b", "1", "c", "2"), traceid.Of("a", "3"), traceid.Of("a", "3", "b", "1", "c", "2")},
		{"base ends first", traceid.Of("a", "1"), traceid.Of("b", "2", "c", "3"), traceid.Of("a", "1", "b", "2", "c", "3")},
		{"over wins", traceid.Of("a", "1", "b", "2"), traceid.Of("a", "3", "b", ""), traceid.Of("a", "3", "b", "")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, traceid.Merge(test.base, test.over)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueryErrors(t *testing.T) {
	for _, query := range []string{"a=", "a", "a=~[", "a=!~(", "a=%zz", "a=1&a="} {
		if _, err := traceid.ParseQuery(query); err == nil {
			t.Errorf("%q was accepted", query)
		}
	}
	if _, err := new(traceid.Query).MatchID("a=1"); err == nil {
		t.Error("an invalid id was matched")
	}
}

// A * is one alternative among others, and exclusions hold in addition.
func TestQueryWildcard(t *testing.T) {
	q, err := traceid.ParseQuery("a=*&a=!2&a=3")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{",a=1,": true, ",a=2,": false, ",a=3,": true, ",b=1,": false} {
		if got, err := q.MatchID(id); got != want || err != nil {
			t.Errorf("%s: %v, %v", id, got, err)
		}
	}
}

// T2: a=! excludes the empty value, and each regular expression is one by itself.
func TestT2(t *testing.T) {
	for _, test := range []struct {
		name, query string
		params      traceid.Params
		want        bool
	}{
		{"an exclusion of the empty value", "a=!", traceid.Params{{Key: "a", Value: "1"}}, true},
		{"an exclusion of the empty value, without the key", "a=!", traceid.Params{{Key: "b", Value: "1"}}, true},
		{"an exclusion of the empty value, which is there", "a=!", traceid.Params{{Key: "a", Value: ""}}, false},
		{"a quotation without end", `a=~\Qb`, traceid.Params{{Key: "a", Value: "abc"}}, true},
		{"two expressions, the first matches", `a=~\Qb&a=~\Qx`, traceid.Params{{Key: "a", Value: "abc"}}, true},
		{"two expressions, the second matches", `a=~\Qx&a=~\Qb`, traceid.Params{{Key: "a", Value: "abc"}}, true},
		{"a flag of one is not one of the other", `a=~(?i)x&a=~b`, traceid.Params{{Key: "a", Value: "B"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := traceid.ParseQuery(test.query)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := q.Match(test.params); got != test.want || err != nil {
				t.Errorf("%s: %v, %v, want %v", test.query, got, err, test.want)
			}
		})
	}
}

func TestParamSet(t *testing.T) {
	var a, b traceid.ParamSet
	a.Add(traceid.FromMap(map[string]string{"arch": "x86", "test": "t2"}))
	a.Add(traceid.FromMap(map[string]string{"arch": "arm", "test": "t1"}))
	b.Add(traceid.FromMap(map[string]string{"arch": "x86", "os": "linux"}))
	for key, values := range a.All() {
		for _, value := range values {
			b.Add(traceid.Of(key, value))
		}
	}
	got, err := json.Marshal(&b)
	if want := `{"arch":["arm","x86"],"os":["linux"],"test":["t1","t2"]}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if v := a.Values("nope"); len(v) > 0 {
		t.Errorf("values of an unknown key: %v", v)
	}
}

// FuzzID: what Parse accepts, Make gives back; what ID makes is valid and canonical.
func FuzzID(f *testing.F) {
	f.Add(",a=1,b=2,", "k 1", "v=é", "k_1")
	f.Add(",a=1,a=2,", "", "", "\xff")
	f.Fuzz(func(t *testing.T, id, k1, v, k2 string) {
		p, err := traceid.Parse(id)
		if (err == nil) != traceid.Valid(id) {
			t.Errorf("%q: Parse: %v, Valid: %v", id, err, traceid.Valid(id))
		}
		if err == nil {
			if back, err := traceid.MakeStrict(p); back != id || err != nil {
				t.Errorf("%q: Make(Parse) = %q, %v", id, back, err)
			}
		}
		p = traceid.FromMap(map[string]string{k1: v, k2: v, k1 + k2: id})
		made := p.ID()
		if !traceid.Valid(made) {
			t.Errorf("%q: the id %q isn't valid", p, made)
		}
		if back, err := traceid.Parse(made); err != nil || back.ID() != made || !back.Equal(p.Canonical()) {
			t.Errorf("%q: the id %q isn't canonical: %v, %v", p, made, back, err)
		}
		if strict, err := traceid.MakeStrict(p); err == nil {
			if back, err := traceid.Parse(strict); err != nil || !back.Equal(p) {
				t.Errorf("%q: Parse(Make) = %v, %v", p, back, err)
			}
		}
	})
}

// FuzzQuery: a query never panics, and gives the same answer again; so does its canonical form.
func FuzzQuery(f *testing.F) {
	f.Add("a=1&a=!2&b=~x&c=*", ",a=1,b=xy,c=z,")
	f.Fuzz(func(t *testing.T, query, id string) {
		q, err := traceid.ParseQuery(query)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "query ") {
				t.Errorf("error %v", err)
			}
			return
		}
		first, err1 := q.MatchID(id)
		second, err2 := q.MatchID(id)
		valid := traceid.Valid(id) && !errors.Is(err1, traceid.ErrLimit)
		if first != second || (err1 == nil) != (err2 == nil) || (err1 == nil) != valid {
			t.Errorf("%q, %q: %v %v, then %v %v", query, id, first, err1, second, err2)
		}

		// To be canonical twice changes nothing.
		if p, err := traceid.Parse(id); err == nil {
			p, c := p.Canonical(), q.Canonical()
			first, err1 := c.Match(p)
			second, err2 := c.Canonical().Match(p)
			if first != second || (err1 == nil) != (err2 == nil) {
				t.Errorf("%q, %q: a canonical query changes", query, id)
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	p := traceid.FromMap(map[string]string{"arch": "x86", "test": "draw a circle"})
	buf := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { buf = p.AppendID(buf[:0]) }); n > 0 {
		t.Errorf("AppendID allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { traceid.Valid(",a=1,b=2,c,") }); n > 0 {
		t.Errorf("Valid allocates %v times", n)
	}
	if !slices.Equal(buf, []byte(",arch=x86,test=draw_a_circle,")) {
		t.Errorf("%s", buf)
	}
}

// A canonical query selects the records whose canonical IDs it would select.
func TestQueryCanonical(t *testing.T) {
	params := traceid.Of("test", "draw a", "units", "µs")
	for query, want := range map[string]bool{
		"units=µs":               true,
		"units=_s":               true,
		"units=!µs":              false,
		"units=ms&units=µs":      true,
		"units=~^_s$":            true,
		"units=~µ":               false, // expressions match canonical text
		"test=draw a&units=*":    true,
		"te st=*":                false,
		"a b=!1&a_b=!2&test=!":   true,
		"a b=1&a_b=!2":           false,
		"units=!~s&test=draw%20": false,
	} {
		q, err := traceid.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		canonical := q.Canonical()
		if got, err := canonical.Match(params.Canonical()); got != want || err != nil {
			t.Errorf("%s: params: %v, %v, want %v", query, got, err, want)
		}
		if got, err := canonical.MatchID(params.ID()); got != want || err != nil {
			t.Errorf("%s: ID: %v, %v, want %v", query, got, err, want)
		}

		// The query itself is compared as it is, with the ID as well.
		if query == "units=µs" {
			if got, err := q.MatchID(params.ID()); got || err != nil {
				t.Errorf("%s: ID, not canonical: %v, %v", query, got, err)
			}
		}
	}
}

func TestTerms(t *testing.T) {
	q, err := traceid.ParseQuery("arch=x86&arch=arm&arch=!arm&test=~^draw_&units=*&stat=!max")
	if err != nil {
		t.Fatal(err)
	}
	type term struct {
		Key      string
		Required bool
		Values   []string
		Exact    bool
		Matches  []string
	}
	var got []term
	for _, x := range q.Terms() {
		values, exact := x.Values()
		one := term{Key: x.Key(), Required: x.Required(), Values: values, Exact: exact}
		for _, value := range []string{"x86", "arm", "draw_a", "max"} {
			if selected, err := x.Match(value); err != nil {
				t.Error(err)
			} else if selected {
				one.Matches = append(one.Matches, value)
			}
		}
		got = append(got, one)
	}

	want := []term{
		{Key: "arch", Required: true, Values: []string{"x86", "arm"}, Exact: true, Matches: []string{"x86"}},
		{Key: "stat", Matches: []string{"x86", "arm", "draw_a"}},
		{Key: "test", Required: true, Matches: []string{"draw_a"}},
		{Key: "units", Required: true, Matches: []string{"x86", "arm", "draw_a", "max"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}
