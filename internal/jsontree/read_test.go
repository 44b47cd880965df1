package jsontree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/quick"
)

// show returns a tree as text: the path, kind and offset of each value.
func show(v Value) (all []string) {
	n := v.node()
	line := func(format string, args ...any) {
		path := string(v.tree.appendPath([]byte("$"), v.i))
		all = append(all, fmt.Sprintf(path+" "+format, args...))
	}
	switch v.Kind() {
	case jsonscan.None:
		if v.Faulty() {
			line("faulty")
		}
		return all
	case jsonscan.Number:
		line("%v %q @%d", v.Number(), v.Text(), v.Offset())
	case jsonscan.Array:
		if n.typ.Kinds&Packed != 0 {
			line("%v @%d", v.List(), v.Offset())
			return all
		}
		line("array %q @%d", v.Text(), v.Offset())
		if n.typ.Kinds&Raw == 0 {
			for e := range v.Elements() {
				all = append(all, show(e)...)
			}
		}
	case jsonscan.Object:
		line("object %q @%d", v.Text(), v.Offset())
		if n.typ.Kinds&Raw == 0 {
			for _, m := range n.typ.Members {
				all = append(all, show(v.Get(m.Name))...)
			}
			for _, other := range v.Others() {
				all = append(all, show(other)...)
			}
		}
	default:
		line("%q @%d", v.Text(), v.Offset())
	}
	return all
}

// readAll reads the elements of an array, and returns them as text, with all faults and the error at the
// end, and how many were read by comparing text.
func readAll(document string, typ *Type, limits format.Limits, slow bool) (all []string, matched int) {
	s := jsonscan.New(strings.NewReader(document), "", limits.WithDefaults())
	if slow {
		s.DisableFastPath()
	}
	var r Reader
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", limits.WithDefaults().MaxResultBytes, 0)
		tree := r.Read(s, typ)
		s.EndRegion()
		if s.Err() != nil {
			break
		}
		if tree.matched || slices.ContainsFunc(tree.nodes, func(n node) bool { return n.moved }) {
			matched++ // or a part of it
		}
		for _, e := range tree.Faults {
			all = append(all, e.Error())
		}
		all = append(all, show(tree.Root())...)
	}
	if s.Err() != nil {
		all = append(all, s.Err().Error())
	}
	return all, matched
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  *Type
		in   string
		want []string
	}{
		{
			name: "simple values",
			typ:  Object(Member{"t", Text}, Member{"n", Number}, Member{"l", Literal}, Member{"b", Bool}),
			in:   `{"b":true,"l":1.50,"n":-2,"t":"a\n"}`,
			want: []string{`$ object "" @1`, `$.t "a\n" @31`, `$.n -2 "" @24`, `$.l 1.5 "1.50" @15`, `$.b "true" @6`},
		},
		{
			name: "null is absent, and others are skipped",
			typ:  Object(Member{"t", Text}, Member{"o", Object(Member{"x", Text})}),
			in:   `{"t":null,"x":[{"t":"no"}],"o":null}`,
			want: []string{`$ object "" @1`},
		},
		{
			name: "other members",
			typ:  ObjectOf(Number, Member{"t", Text}),
			in:   `{"a":1,"t":"x","b":2,"c":null}`,
			want: []string{`$ object "" @1`, `$.t "x" @12`, `$.a 1 "" @6`, `$.b 2 "" @20`},
		},
		{
			name: "raw values",
			typ:  ObjectOf(Any),
			in:   `{"a":[ 1, "x"],"b":{"c" : 1},"d":1.0,"e":"s","f":true}`,
			want: []string{
				`$ object "" @1`, `$.a array "[1,\"x\"]" @6`, `$.b object "{\"c\":1}" @20`, `$.d 0 "1.0" @34`, `$.e "s" @42`,
				`$.f "true" @50`,
			},
		},
		{
			name: "faults",
			typ:  Object(Member{"t", Text}, Member{"n", Number.Or(Strings)}, Member{"l", List}, Member{"a", ArrayOf(Number)}),
			in:   `{"t":1,"n":{},"l":[1,"2",3],"a":[1,"2"]}`,
			want: []string{
				"1:7: 0.t: Invalid type. Expected: string, given: integer", "1:13: 0.n: Invalid type. Expected: number or string, given: object",
				"1:23: 0.l.1: Invalid type. Expected: number, given: string", "1:37: 0.a.1: Invalid type. Expected: number, given: string",
				`$ object "" @1`, `$.t faulty`, `$.n faulty`, `$.l [{1 20} {3 26}] @19`, `$.a array "" @33`, `$.a.0 1 "" @34`,
			},
		},
		{
			name: "lenient",
			typ:  Object(Member{"n", Number.Or(Lenient)}),
			in:   `{"n":{"x":1}}`,
			want: []string{`$ object "" @1`},
		},
		{
			name: "packed",
			typ:  List,
			in:   `[1, -2.5e1 ,3 ,[],4]`,
			want: []string{"1:17: 0.3: Invalid type. Expected: number, given: array", `$ [{1 2} {-25 5} {3 13} {4 19}] @1`},
		},
		{
			name: "a duplicate",
			typ:  Object(Member{"n", Number}),
			in:   `{"n":1,"n":2,"x":{"y":3},"x":4}`,
			want: []string{
				`1:9: 0.n: duplicate member "n": only the first one is read`,
				`1:27: 0.x: duplicate member "x": only the first one is read`,
				`$ object "" @1`, `$.n 1 "" @6`,
			},
		},
		{
			name: "a duplicate among others, after a part that repeats",
			typ:  ObjectOf(Number, Member{"part", Object(Member{"n", Number}).Or(Repeats)}),
			in:   `{"part":{"n":1,"n":2},"a":3,"a":"","part":4}`,
			want: []string{
				`1:17: 0.part.n: duplicate member "n": only the first one is read`,
				`1:30: 0.a: duplicate member "a": only the first one is read`,
				`1:37: 0.part: duplicate member "part": only the first one is read`,
				`$ object "" @1`, `$.part object "" @9`, `$.part.n 1 "" @14`, `$.a 3 "" @27`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				got, _ := readAll("["+test.in+"]", test.typ, format.Limits{}, slow)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("slow path %v (-want +got):\n%s", slow, diff)
				}
			}
		})
	}
}

// The faults of one tree are bounded, and those that are not listed cost no memory.
func TestManyFaults(t *testing.T) {
	text := []byte("[" + strings.Repeat(`"",`, 50*maxFaults) + "0]")
	var tree *Tree
	if n := testing.AllocsPerRun(1, func() { tree = new(Reader).Read(jsonscan.OfBytes(text), List) }); n > 15*maxFaults {
		t.Errorf("%.0f allocations", n)
	}
	if n := len(tree.Faults); n != maxFaults+1 {
		t.Errorf("%d faults", n)
	}
	want := "more than 1000 values of the result are faulty: the others are not listed"
	if got := tree.Faults[maxFaults].Message; got != want {
		t.Errorf("the last fault is %q, want %q", got, want)
	}
	if got := tree.Root().List(); len(got) != 1 {
		t.Errorf("%d numbers", len(got))
	}
}

// Values match an earlier one although packed arrays have other lengths, and members that nobody wants
// have other strings and numbers.
func TestMatches(t *testing.T) {
	typ := Object(Member{"name", Text}, Member{"times", List}, Member{"bytes", List}, Member{"n", Number.Or(Lenient)})
	for _, test := range []struct {
		name, in string
		matches  int
	}{
		{"lists", `[{"times":[1],"bytes":[]}, {"times":[],"bytes":[1,2]}, {"times":[ 1, 2 ],"bytes":[5]}]`, 2},
		{"other forms", `[{"times":[1],"bytes":[2,3]}, {"times":[1],"x":0}, {"times":[],"x":2}, {"times":[7,8],"bytes":[9]}]`, 2},
		{"skipped", `[{"name":"a","x":{"y":[1,"u"]}}, {"name":"b","x":{"y":[2,"v"]}}, {"name":"c","x":{"y":[2,3]}}]`, 1},
		{"escapes in skipped", `[{"name":"a","x":"\n"}, {"name":"b","x":"\n"}, {"name":"b","x":"\t"}]`, 2},
		{"lenient", `[{"name":"a","n":"text"}, {"name":"a","n":"other"}, {"name":"a","n":1}]`, 1},
		{"unusual numbers", `[{"times":[1,2]}, {"times":[1e999,2]}, {"times":[1,01]}]`, 0},
		{"a fault in a list", `[{"times":[1,2]}, {"times":[1,null]}, {"times":[1,"2"]}, {"times":[1.5,2]}]`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, _ := readAll(test.in, typ, format.Limits{}, true)
			got, matches := readAll(test.in, typ, format.Limits{}, false)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-slow path +fast path):\n%s", diff)
			}
			if matches != test.matches {
				t.Errorf("%d values matched, want %d", matches, test.matches)
			}
		})
	}
}

// randomValues returns an array of values of a few shapes, some of which are faulty.
func randomValues(rng *rand.Rand) string {
	pick := func(usual, unusual []string) string {
		if rng.IntN(400) == 0 {
			return unusual[rng.IntN(len(unusual))]
		}
		return usual[rng.IntN(len(usual))]
	}
	number := func() string {
		return pick([]string{"0", "-1", "1.25", "3e2", "0.0036594250000000004", "77"},
			[]string{"12345678901234567890", "1e999", "null", `"x"`})
	}
	list := func() string {
		var b strings.Builder
		for i := range rng.IntN(30) {
			if i > 0 {
				b.WriteString(pick([]string{",", ", ", ",\n  "}, []string{" ,"}))
			}
			b.WriteString(number())
		}
		return "[" + b.String() + "]"
	}
	var all []string
	for range 1 + rng.IntN(60) {
		members := []string{
			`"name":"` + strings.Repeat(pick([]string{"n", "\u00e9", `\n`, `\u00E9`}, []string{`\x`, "\xff", "\n", `\u00x`}), rng.IntN(4)) + `"`,
			`"n":` + number(), `"times":` + list(), `"bytes": ` + list(),
			fmt.Sprintf(`"skipped":{"a":%d,"b":"%d\n"}`, rng.IntN(3), rng.IntN(10)/9),
			fmt.Sprintf(`"other":%d`, rng.IntN(100)), fmt.Sprintf(`"inner":{"text":"%d","raw":[%d]}`, rng.IntN(3), rng.IntN(10)/9),
		}
		if from := max(rng.IntN(20)-16, 0); from > 0 {
			members = append(members[from:], members[:rng.IntN(from)]...)
		}
		all = append(all, "{"+strings.Join(members, ",")+"}")
	}
	return "[" + strings.Join(all, ",\n") + "]"
}

// Both paths read the same, and fail at the same place.
func TestPaths(t *testing.T) {
	inner := Member{"inner", Object(Member{"text", Text}, Member{"raw", Any})}
	known := []Member{{"name", Text}, {"n", Number.Or(Lenient)}, {"times", List}, {"bytes", List}, inner}
	parts := slices.Clone(known)
	parts[4].Type = inner.Type.Or(Repeats)
	types := map[string]*Type{
		"skipping": Object(known...), "others": ObjectOf(Any, known...),
		"parts": Object(known[0], Member{"all", ArrayOf(Object(parts...).Or(Repeats))}), "a part": Object(parts...),
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		typ := types[name]
		t.Run(name, func(t *testing.T) {
			matched := 0
			for range quick.Of(250, 36) {
				document := randomValues(rng)
				if name == "parts" {
					document = `[{"all":` + document + `}, {"all":` + randomValues(rng) + `}]`
				}
				limits := format.Limits{}
				switch rng.IntN(3) {
				case 0:
					limits.MaxResultBytes = int64(500 + rng.IntN(3000))
				case 1:
					limits.MaxStringBytes = 5 + rng.IntN(100)
				}
				want, _ := readAll(document, typ, limits, true)
				got, n := readAll(document, typ, limits, false)
				if !slices.Equal(got, want) {
					t.Fatalf("%s\n%+v (-slow path +fast path):\n%s", document, limits, cmp.Diff(want, got))
				}
				matched += n
			}
			if matched < quick.Of(60, 9) {
				t.Errorf("only %d values matched", matched)
			}
		})
	}
}

// Text that is an escape sequence in one value is not taken for the same text of an earlier value, in which
// it was escaped.
func TestEscapes(t *testing.T) {
	const document = `[{"t":"a\\b","n":1}, {"t":"a\b","n":2}, {"t":"a\\b","n":3}, {"t":"a\u0062","n":4}, {"t":"ab","n":5}]`
	typ := Object(Member{"t", Text}, Member{"n", Number})
	want, _ := readAll(document, typ, format.Limits{}, true)
	got, matched := readAll(document, typ, format.Limits{}, false)
	if matched == 0 {
		t.Error("no value was read by comparing text")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-slow path +fast path):\n%s", diff)
	}
}
