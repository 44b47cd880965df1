package jsontree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A value that is read by comparing text has the positions of its own text, also of null, of objects
// and of absent members.
func TestPositions(t *testing.T) {
	typ := Object(
		Member{"name", Text},
		Member{"codes", ArrayOf(Literal)},
		Member{"inner", Object(Member{"absent", Text}, Member{"on", Bool})},
	)
	const document = `[{"name":"a", "codes":[0, null], "inner":{"on":true}},` + "\n" +
		` {"name":"a longer name", "codes":[10, null], "inner":{"on":true}}]`

	read := func(slow bool) (got []string, matched bool) {
		s := jsonscan.New(strings.NewReader(document), "", format.Limits{}.WithDefaults())
		if slow {
			s.DisableFastPath()
		}
		var r Reader
		for s.EnterArray(); s.Element(); {
			tree := r.Read(s, typ)
			matched = tree.matched
			root := tree.Root()
			inner := root.Get("inner")
			values := []Value{root, root.Get("name"), root.Get("codes"), inner, inner.Get("absent"), inner.Get("on")}
			for v := range root.Get("codes").Places() {
				values = append(values, v)
			}
			for _, v := range values {
				e := v.Error("")
				got = append(got, fmt.Sprintf("%d:%d %d %s", e.Line, e.Column, e.Offset, e.Path))
			}
		}
		return got, matched
	}

	want, _ := read(true)
	got, matched := read(false)
	if !matched {
		t.Error("the second value was not read by comparing text")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-slow path +fast path):\n%s", diff)
	}
}

// Places has an absent value for null and for a faulty element. Elements leaves them out.
func TestPlaces(t *testing.T) {
	s := jsonscan.OfBytes([]byte(`[1,null,"2",3]`))
	root := new(Reader).Read(s, ArrayOf(Number)).Root()
	var places, elements []string
	for v := range root.Places() {
		places = append(places, fmt.Sprint(v.Has(), v.Faulty(), v.Number()))
	}
	for v := range root.Elements() {
		elements = append(elements, fmt.Sprint(v.Number()))
	}
	if diff := cmp.Diff([]string{"true false 1", "false false 0", "false true 0", "true false 3"}, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1", "3"}, elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

// In a value that is larger than the Scanner's window, errors also know their lines.
func TestPositionsInLargeValue(t *testing.T) {
	typ := Object(Member{"name", Text}, Member{"rows", ArrayOf(Object(
		Member{"text", Text}, Member{"n", Number}, Member{"inner", Object(Member{"absent", Text})},
	).Or(Repeats))})
	var document strings.Builder
	document.WriteString("[{\n\"name\":\"a\",\n\"rows\":[")
	for i := range 3000 {
		fmt.Fprintf(&document, "{\"text\": \"%d\\n\",\n\"n\": %d, \"inner\": {\"x\": %d}},\n", i, i*i, i%3)
	}
	document.WriteString(`{"inner":{}}]}]`)

	read := func(slow bool) (got []string, parts int) {
		s := jsonscan.New(strings.NewReader(document.String()), "", format.Limits{}.WithDefaults())
		if slow {
			s.DisableFastPath()
		}
		var r Reader
		for s.EnterArray(); s.Element(); {
			s.BeginRegion("MaxResultBytes", 1<<30, 0)
			s.KeepRegion()
			tree := r.Read(s, typ)
			s.EndRegion()
			for v := range tree.Root().Get("rows").Elements() {
				for _, v := range []Value{v, v.Get("text"), v.Get("n"), v.Get("inner"), v.Get("inner").Get("absent")} {
					if v.node().moved {
						parts++
					}
					e := v.Error(v.Text())
					got = append(got, fmt.Sprintf("%d:%d %d %s %s", e.Line, e.Column, v.Offset(), e.Path, e.Message))
				}
			}
		}
		return got, parts
	}
	want, _ := read(true)
	got, parts := read(false)
	if parts < 3000 {
		t.Errorf("%d values were read by comparing text", parts)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-slow path +fast path):\n%s", diff)
	}
}

// The numbers of a list have the places of their elements. With Gaps, null and faults are among them.
func TestItems(t *testing.T) {
	for _, test := range []struct {
		typ  *Type
		want []string
	}{
		{List, []string{"1:2 0 1 false", "1:12 3 NaN false", "1:16 4 3 false"}},
		{List.Or(Gaps), []string{"1:2 0 1 false", "1:4 1 NaN true", "1:7 2 NaN false", "1:12 3 NaN false", "1:16 4 3 false"}},
	} {
		s := jsonscan.OfBytes([]byte(`[1,"",null,NaN,3]`))
		s.AllowNaN()
		root := new(Reader).Read(s, test.typ).Root()
		var got []string
		for i, n := range root.List() {
			e := root.ItemError(i, "")
			got = append(got, fmt.Sprintf("%d:%d %s %v %v", e.Line, e.Column, e.Path, n.Value, root.ItemFaulty(i)))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
