package hostile

import (
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// A frame is the text around the results of a document, or around a value in it.
type frame struct{ head, tail string }

func (f frame) in(head, tail string) frame { return frame{f.head + head, tail + f.tail} }

// A specKind makes the kinds of a runner's format from the tables of members of its Spec.
type specKind struct {
	format    string
	all       []kind
	open      []*jsontree.Type // the types that a value is in
	anyOthers bool             // there is a kind of results with other members each
	anyRaw    bool
}

// ofSpec returns the kinds of a runner's format.
func ofSpec(format string, spec *rows.Spec) []kind {
	k := &specKind{format: format}
	for _, s := range []*rows.Spec{spec, spec.Other} {
		if s != nil {
			k.document(s, s != spec)
		}
	}
	return k.all
}

// add adds a kind, unless there is one of that name: several types may have equal members.
func (k *specKind) add(name string, size int, f frame, separator, item string) {
	name = k.format + " " + name
	if strings.Count(f.head, "`") == 1 {
		size = embedded
	}
	if !slices.ContainsFunc(k.all, func(other kind) bool { return other.Name == name }) {
		k.all = append(k.all, kind{name, size, quoteEmbedded(f.head + "«" + separator + "|" + item + "»" + f.tail)})
	}
}

// quoteEmbedded makes a string of the document that is between two quotes of Go, if any.
func quoteEmbedded(text string) string {
	head, rest, _ := strings.Cut(text, "`")
	document, tail, ok := strings.Cut(rest, "`")
	if !ok {
		return text
	}
	return head + `"` + strings.ReplaceAll(document, `"`, `\"`) + `"` + tail
}

// document adds the kinds of the documents of a Spec, which may be the Other of another.
func (k *specKind) document(s *rows.Spec, second bool) {
	results, separator, prefix, item := frame{"[", "]"}, ",", "", ""
	switch s.Shape {
	case rows.ByName:
		results, item = frame{"{", "}"}, `"$":`
	case rows.InGroups:
		results = frame{`{"a":[`, `]}`}
	case rows.Embedded:
		results = frame{"`[", "]`"}
	case rows.InLines:
		results, separator = frame{}, "\n"
	}
	row := needed(s.Row, "$")
	if second {
		prefix = "other "
	}
	if len(s.Sections) > 0 {
		results = k.header(s, results, item+row)
	}

	add := func(name string, size int, text string) {
		k.add(prefix+name, size, results, separator, item+text)
	}
	size := traces
	if s.Shape == rows.ByName && len(s.Sections) > 0 {
		size = remembered // the names of a section are checked
	}
	add("results", size, row)
	add("empty results", each, `{}`)
	inside := results
	if s.Shape == rows.ByName {
		inside = results.in(`"a":`, "")
	}
	if second {
		k.value(s.Row, "element", inside)
		return
	}

	if !s.InText {
		add("scalar results", each, `0`)
	}
	add("faulty results", each, faulty(s.Row))
	add("blanks and results", each, `«999| »`+row)
	k.add("nested members", whole, inside.in(`{"x":[`, `]}`), ",", `«990|[»«990|]»`)
	k.value(s.Row, "result", inside)
}

// header adds the kinds of the members that are not results, and returns the frame of the results, given that
// of the section.
func (k *specKind) header(s *rows.Spec, section frame, result string) frame {
	head := ""
	for _, m := range s.Head {
		head += `"` + m.Name + `":` + needed(m.Type, "a") + ","
	}
	section.head = `"` + s.Sections[0] + `":` + section.head
	for _, m := range s.Head {
		k.value(m.Type, m.Name, frame{`{"` + m.Name + `":`, "," + section.head + section.tail + "}"})
	}
	if head != "" {
		last := "," + strings.TrimSuffix(head, ",") + "}"
		k.add("header last", whole, frame{"{" + section.head, section.tail + last}, ",", result)
	}
	return frame{"{" + head + section.head, section.tail + "}"}
}

// value adds the kinds of what may repeat in a value, whose name says where it is.
func (k *specKind) value(t *jsontree.Type, name string, f frame) {
	if slices.Contains(k.open, t) {
		return
	}
	k.open = append(k.open, t)
	defer func() { k.open = k.open[:len(k.open)-1] }()

	has := t.Kinds
	switch {
	case has&jsontree.Packed != 0:
		k.add(name+": numbers", whole, f.in("[", "]"), ",", strings.Trim(needed(t, ""), "[]"))
		k.add(name+": faulty numbers", whole, f.in("[", "]"), ",", `{}`)
	case has&jsontree.Raw != 0 && !k.anyRaw:
		k.anyRaw = true
		k.add(name+": empty values", whole, f.in("[", "]"), ",", `{}`)
	case has&jsontree.Strings != 0 && t.Sample.Part != "":
		k.add(name+": parts", whole, f.in(`"a`, `"`), "", strings.Trim(strconv.Quote(t.Sample.Part), `"`))
	}

	if has&jsontree.Arrays != 0 && t.Elements != nil {
		k.add(name+": elements", whole, f.in("[", "]"), ",", needed(t.Elements, "$"))
		k.value(t.Elements, name+" element", f.in("[", "]"))
	}
	if has&jsontree.Objects == 0 {
		return
	}

	for _, m := range t.Members {
		k.value(m.Type, m.Name, f.in("{"+members(t, "a", m.Name)+`"`+m.Name+`":`, "}"))
	}
	if t.Others != nil {
		k.add(name+": members", whole, f.in("{"+members(t, "a", ""), "}"), ",", `"$":`+needed(t.Others, "a"))
		if !k.anyOthers && name != "result" {
			k.anyOthers = true
			k.add(name+": long texts", whole, f.in("{", "}"), ",", `"$":"«100000|x»"`)
		}
		k.value(t.Others, name+" member", f.in(`{"a":`, "}"))
	}
}

// needed returns a JSON text of the type, with only the members that are needed. A text that is unique
// is the name.
func needed(t *jsontree.Type, name string) string {
	has := t.Kinds
	switch {
	case has&jsontree.Packed != 0:
		return "[" + append(slices.Clip(t.Sample.Texts), "1")[0] + "]"
	case len(t.Sample.Texts) > 0:
		return t.Sample.Texts[0]
	case t.Sample.Unique:
		return `"` + name + `"`
	case has&jsontree.Numbers != 0:
		return "1"
	case has&jsontree.Objects != 0:
		if len(t.Members) == 0 && t.Others != nil && t.Sample.Needed {
			return `{"a":` + needed(t.Others, name) + "}"
		}
		return "{" + strings.TrimSuffix(members(t, name, ""), ",") + "}"
	case has&jsontree.Arrays != 0:
		return "[" + needed(t.Elements, name) + "]"
	case has&(jsontree.Strings|jsontree.Raw) != 0:
		return `"x"`
	}
	return "false"
}

// members returns the members that an object needs, except one, with a comma after each.
func members(t *jsontree.Type, name, except string) (text string) {
	for _, m := range t.Members {
		if m.Type.Sample.Needed && m.Name != except {
			text += `"` + m.Name + `":` + needed(m.Type, name) + ","
		}
	}
	return text
}

// faulty returns an object of the type whose members are all of another type.
func faulty(t *jsontree.Type) string {
	var members []string
	for _, m := range t.Members {
		value := "true"
		if m.Type.Kinds&jsontree.Bools != 0 {
			value = "1"
		}
		members = append(members, `"`+m.Name+`":`+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}
