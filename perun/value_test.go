package perun

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlatten(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{
			in:   `{"a":1,"b":"x","c":null,"d":true,"e":1.50,"f":1e20,"g":0.00001,"h":-0}`,
			want: `a=1 b=x c=None d=True e=1.5 f=1e+20 g=1e-05 h=0`,
		},
		{
			in:   `{"uid":{"line":22,"function":"main","source":"a.c"}}`,
			want: `uid:line=22 uid:function=main uid:source=a.c uid=a.c:main:22`,
		},
		{
			in:   `{"uid":{"b":1,"aa":2,"bin":3,"":4,"instruction":5}}`,
			want: `uid:b=1 uid:aa=2 uid:bin=3 uid:=4 uid:instruction=5 uid=4:3:5:1:2`,
		},
		{
			in:   `{"t":[{"line":1,"function":"f"},{"x":{"y":2}},[3,[4]],"s"]}`,
			want: `t=1:f,2:2,3,4,s`,
		},
		{
			in:   `{"c":[{"name":"b0","value":1},{"value":2,"name":"b1"},{"name":"b0","value":3}]}`,
			want: `c:b0=3 c:b1=2 c=3:2`,
		},
		{
			in:   `{"c":[{"name":"b0","value":1,"x":1}],"e":[],"o":{}}`,
			want: `c=b0:1:1 e= o=`,
		},
		{
			in: `{"a":[{"name":"b","x":1}],"b":[{"value":"b","x":1}],"c":[{"x":"b","name":1}],"d":[{"x":"b","value":1}],` +
				`"e":[{"name":"b","value":1},2]}`,
			want: `a=b:1 b=b:1 c=b:1 d=b:1 e=b:1,2`,
		},
		{
			in:   `{"uid":{"ab":1,"Zz":2}}`, // in the rank, an uppercase letter has two digits
			want: `uid:ab=1 uid:Zz=2 uid=2:1`,
		},
		{
			in:   `{"a":{"b":{"c":1}}}`,
			want: `a:b:c=1 a:b=1 a=1:1`,
		},
	} {
		t.Run(test.in, func(t *testing.T) {
			flat, err := parseValue(t, []byte(test.in)).Fields().Flatten()
			var got []string
			for _, f := range flat {
				got = append(got, f.Key+"="+f.Value.String())
			}
			if strings.Join(got, " ") != test.want || err != nil {
				t.Errorf("%s:\n got %s, %v\nwant %s", test.in, strings.Join(got, " "), err, test.want)
			}
		})
	}
	// Every level doubles the flattened form.
	deep := strings.Repeat(`{"a":`, 200) + `"x"` + strings.Repeat("}", 200)
	if _, err := parseValue(t, []byte(deep)).Fields().Flatten(); err != errTooLarge {
		t.Errorf("%v", err)
	}
}

// The keys and joined values that are made may use up the budget, but not more than it.
func TestFlattenBudget(t *testing.T) {
	for _, test := range []struct {
		in    string
		bytes int
		want  Fields
	}{
		{
			in:    `{"a":["xyz"],"b":"xyz","c":{}}`,
			bytes: len("xyz"),
			want:  Fields{{"a", stringOf("xyz")}, {"b", stringOf("xyz")}, {"c", stringOf("")}},
		},
		{
			in:    `{"a":[["x"],{"b":[1]}]}`,
			bytes: len("x" + "1" + "x,1"),
			want:  Fields{{"a", stringOf("x,1")}},
		},
		{
			in:    `{"ab":{"c":"xy","d":"z"}}`,
			bytes: len("ab:c" + "ab:d" + "xy:z"),
			want:  Fields{{"ab:c", stringOf("xy")}, {"ab:d", stringOf("z")}, {"ab", stringOf("xy:z")}},
		},
		{
			in:    `{"a":{"b":{"c":"xy"}}}`,
			bytes: len("b:c" + "xy" + "a:b:c" + "a:b" + "xy:xy"),
			want:  Fields{{"a:b:c", stringOf("xy")}, {"a:b", stringOf("xy")}, {"a", stringOf("xy:xy")}},
		},
	} {
		t.Run(test.in, func(t *testing.T) {
			fields := parseValue(t, []byte(test.in)).Fields()
			got, ok := new(flattener).fields(nil, fields, test.bytes)
			if !ok || !slices.Equal(got, test.want) {
				t.Errorf("with a budget of %d bytes: %v, %v", test.bytes, got, ok)
			}
			if got, ok := new(flattener).fields(nil, fields, test.bytes-1); ok {
				t.Errorf("with a budget of %d bytes: %v", test.bytes-1, got)
			}
		})
	}
	for n, want := range map[int]int{1 << 20: 1 << 20, 1<<20 + 1: len("...")} {
		if got := len(listOf(stringOf(strings.Repeat("x", n))).FlatText()); got != want {
			t.Errorf("%d bytes: a text of %d, want %d", n, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	fields := parseValue(t, []byte(`{"uid":{"line":1,"x":{"y":2}},"trace":[{"function":"f","l":[1,2]},`+
		`{"function":"g"},3,{"line":4}],"a":5}`)).Fields()
	for path, want := range map[string]string{
		"a":               "[5]",
		"uid:line":        "[1]",
		"uid:x:y":         "[2]",
		"uid:x":           `[{"y":2}]`,
		"trace::function": "[f g]",
		"trace::l:":       "[1 2]",
		"trace::l::":      "[]",
		"b":               "[]",
		"a:b":             "[]",
		"trace:":          `[{"function":"f","l":[1,2]} {"function":"g"} 3 {"line":4}]`,
		"uid::line":       "[]",
		"":                "[]",
	} {
		var got []string
		for v := range fields.Values(path) {
			got = append(got, v.String())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", path, got, want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{
			a:    "1",
			b:    "1.0",
			want: true,
		},
		{
			a: "1",
			b: "2",
		},
		{
			a: "1",
			b: `"1"`,
		},
		{
			a:    "0",
			b:    "-0.0",
			want: true,
		},
		{
			a: "9007199254740993",
			b: "9007199254740992",
		},
		{
			a:    "1e2",
			b:    "100",
			want: true,
		},
		{
			a:    `{"a":1,"b":2}`,
			b:    `{"b":2,"a":1}`,
			want: true,
		},
		{
			a: `{"a":1}`,
			b: `{"a":1,"b":2}`,
		},
		{
			a: "[1,2]",
			b: "[2,1]",
		},
		{
			a:    "[1,[2]]",
			b:    "[1,[2.0]]",
			want: true,
		},
		{
			a:    "null",
			b:    "null",
			want: true,
		},
		{
			a: "true",
			b: "false",
		},
		{
			a:    "NaN",
			b:    "NaN",
			want: true,
		},
	} {
		t.Run(test.a+" and "+test.b, func(t *testing.T) {
			a, b := parseValue(t, []byte(test.a)), parseValue(t, []byte(test.b))
			if a.Equal(b) != test.want || b.Equal(a) != test.want ||
				(string(a.AppendKey(nil)) == string(b.AppendKey(nil))) != test.want {
				t.Errorf("%s, %s: %v, %v, keys %s, %s; want %v", test.a, test.b, a.Equal(b), b.Equal(a),
					a.AppendKey(nil), b.AppendKey(nil), test.want)
			}
		})
	}
	var many, reversed Fields
	for i := range 40 {
		many = append(many, Field{fmt.Sprint(i), numberOf(float64(i))})
		reversed = append(Fields{{fmt.Sprint(i), numberOf(float64(i))}}, reversed...)
	}
	if !object(many).Equal(object(reversed)) || object(many).Equal(object(reversed[1:])) {
		t.Error("many fields")
	}
}

// Values marshal to JSON, and keep their original text.
func TestValueJSON(t *testing.T) {
	v := objectOf(Field{
		"a",
		listOf(numberOf(1.5), numberOf(10), stringOf("\"x"), boolOf(true), boolOf(false), Value{}, numberOf(math.NaN())),
	}, Field{"b", parseValue(t, []byte("NaN"))})
	got, err := json.Marshal(v)
	if diff := cmp.Diff(`{"a":[1.5,10,"\"x",true,false,null,null],"b":null}`, string(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := v.String(); got != `{"a":[1.5,10,"\"x",true,false,null,null],"b":NaN}` {
		t.Error(got)
	}
	if got, err := json.Marshal(v.Fields()[:1]); err != nil ||
		string(got) != `{"a":[1.5,10,"\"x",true,false,null,null]}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, ok := v.Text(); ok || v.List() != nil || v.Fields() == nil {
		t.Error(v.kind)
	}
	if s, ok := stringOf("s").Text(); s != "s" || !ok {
		t.Error(s)
	}
}

func listOf(values ...Value) Value { return ValueOf(values) }

func objectOf(fields ...Field) Value { return ValueOf(Fields(fields)) }
