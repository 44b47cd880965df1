package hostile

import (
	"fmt"
	"strings"
)

const (
	perunHead = `{"header":{"type":"time","cmd":"c","units":{"time":"s"}},"collector_info":{"name":"x"},`
	perunTail = `,"snapshots":[]}`
)

// perunResources returns the Generators of a Perun profile's resources.
func perunResources() []Generator {
	const head, tail = perunHead + `"snapshots":[{"time":"1","resources":[`, `]}]}`
	resources := func(name string, item func(int) string) Generator {
		return inputs(name, "perun", head, tail, ",", item).each()
	}
	one := func(name, open, end string, item func(int) string) Generator { // one resource
		return inputs(name, "perun", head+`{"amount":1,"uid":"f",`+open, end+`}`+tail, ",", item)
	}

	nested := func(open, end string) string { return strings.Repeat(open, 900) + "1" + strings.Repeat(end, 900) }
	columns := func(value string) func(int) string {
		return func(i int) string {
			values := strings.TrimSuffix(strings.Repeat(value+",", 20), ",")
			return fmt.Sprintf(`"t%d":{`, i) + list(999, func(k int) string {
				return fmt.Sprintf(`"c%d":[%s]`, k, values)
			}) + `,"amount":[` + strings.TrimSuffix(strings.Repeat("1,", 20), ",") + `]}`
		}
	}

	return []Generator{
		resources("perun resources",
			named(`{"amount":1,"uid":"f$","trace":[{"function":"a","source":"b","line":1}]}`)),
		resources("perun distinct traces",
			named(`{"amount":1,"uid":"f","trace":[{"function":"a","source":"$","line":1}]}`)),
		resources("perun deep traces",
			same(`{"amount":1,"uid":"f","trace":`+strings.Repeat("[", 990)+strings.Repeat("]", 990)+`}`)),
		resources("perun deep uids", same(`{"amount":1,"uid":`+nested(`{"a":`, `}`)+`}`)),
		resources("perun deep uids with long names",
			same(`{"amount":1,"uid":`+nested(`{"`+strings.Repeat("k", 1000)+`":`, `}`)+`}`)),
		resources("perun long uids",
			named(`{"amount":1,"uid":{"function":"f$`+strings.Repeat("x", 4000)+`","source":"s"}}`)),
		resources("perun fields", named(`{"amount":1,"uid":"u$",`+list(990, named(`"k$":"v"`))+`}`)),

		resources("perun types of resources", func(i int) string {
			return fmt.Sprintf(`{"amount":1,"uid":"f","type":"t%d"}`, i%7)
		}),
		resources("perun faults", same(`0`)),

		one("perun one list of numbers", `"x":[`, `]`, same(`0`)),
		one("perun one list of lists", `"x":[`, `]`, same(`[]`)),
		one("perun one list of objects", `"x":[`, `]`, same(`{}`)),
		one("perun one list of strings", `"x":[`, `]`, same(`""`)),
		one("perun one object", `"x":{`, `}`, named(`"$":0`)),
		one("perun one trace", `"trace":[`, `]`, named(`{"function":"$"}`)),

		inputs("perun snapshots", "perun", perunHead+`"snapshots":[`, `]}`, ",",
			same(`{"time":"1","resources":[{"amount":1,"uid":"f"}]}`)).each(),
		inputs("perun empty snapshots", "perun", perunHead+`"snapshots":[`, `]}`, ",", same(`{}`)).each(),
		inputs("perun models", "perun", perunHead+`"models":[`, `],"resources":{}}`, ",",
			named(`{"uid":"f$","model":"linear","r_square":0.5,"coeffs":[{"name":"b0","value":1}]}`)),
		inputs("perun one model", "perun", perunHead+`"models":[{"uid":"f","x":[`, `]}],"resources":{}}`, ",",
			same(`0`)),

		inputs("perun array", "perun", perunHead+`"resource_type_map":{"t":{"uid":"a"}},`+
			`"resources":{"t":{"amount":[`, `]}}}`, ",", same(`1`)),
		inputs("perun array of lists", "perun", perunHead+`"resource_type_map":{"t":{"uid":"a"}},`+
			`"resources":{"t":{"amount":[1],"x":[`, `]}}}`, ",", same(`[]`)),
		inputs("perun array of long strings", "perun", perunHead+`"resource_type_map":{"t":{"uid":"a"}},`+
			`"resources":{"t":{"amount":[1,2,3,4,5,6],"x":[`, `]}}}`, ",",
			same(`"`+strings.Repeat("x", 1_000_000)+`"`)),
		inputs("perun many arrays", "perun", perunHead+`"resource_type_map":{"t0":{"uid":"a"},"t1":{"uid":"a"}},`+
			`"resources":{`, `}}`, ",", columns(`1`)),
		inputs("perun many arrays of strings", "perun", perunHead+`"resource_type_map":{"t0":{"uid":"a"},`+
			`"t1":{"uid":"a"}},"resources":{`, `}}`, ",",
			columns(`"`+strings.Repeat("x", 100)+`"`)),
	}
}

// perunHeaders returns the Generators of the rest of a profile.
func perunHeaders() []Generator {
	of := func(name, open, end string, item func(int) string) Generator {
		return inputs(name, "perun", perunHead+open, end+perunTail, ",", item)
	}
	types := func(name, open, end string, item func(int) string) Generator {
		return inputs(name, "perun", perunHead+open, end, ",", item)
	}
	units := list(1000, func(i int) string { return fmt.Sprintf(`"t%d":"u"`, i) })
	return []Generator{
		of("perun postprocessors", `"postprocessors":[`, `]`, same(`{}`)),
		of("perun faulty postprocessors", `"postprocessors":[`, `]`, same(`0`)),

		of("perun unknown member of numbers", `"zz":[`, `]`, same(`0`)),
		of("perun unknown member of lists", `"zz":[`, `]`, same(`[]`)),
		of("perun unknown member of objects", `"zz":[`, `]`, same(`{}`)),
		of("perun unknown member of strings", `"zz":[`, `]`, same(`""`)),
		of("perun unknown object", `"zz":{`, `}`, named(`"$":0`)),
		of("perun unknown members", ``, ``, named(`"$":0`)),
		of("perun resources in the wrong place", ``, ``, named(`"$":{"resources":[]}`)),
		of("perun collector params", `"chunks":0,"postprocessors":[{"name":"p","params":{`, `}}]`, named(`"$":[]`)),

		inputs("perun members of the header", "perun", `{"header":{"type":"time",`,
			`},"collector_info":{"name":"x"}`+perunTail, ",", named(`"$":[]`)),
		inputs("perun units", "perun", `{"header":{"type":"time","units":{`+units+`}},`+
			`"collector_info":{"name":"x"},"snapshots":[{"resources":[`, `]}]}`, ",",
			func(i int) string {
				return fmt.Sprintf(`{"amount":1,"uid":"f","type":"t%d","subtype":"s%d"}`, i%7, i%11)
			}),

		types("perun resource types", `"resource_type_map":{`, `},"resources":{}}`, named(`"$":{"uid":"a"}`)),
		types("perun resource types with large entries", `"resource_type_map":{`, `},"resources":{}}`,
			named(`"$":{"uid":"`+strings.Repeat("x", 3000)+`"}`)),
		types("perun resources without type", `"resource_type_map":{"a":{}},"resources":{`, `}}`,
			named(`"$":{"amount":[1]}`)),
		inputs("perun resources before their types", "perun", perunHead+`"resources":{`,
			`},"resource_type_map":{"0":{"uid":"b"},"1":{"uid":"c"}}}`, ",", named(`"$":{"amount":[1]}`)),
		{Name: "perun resource types in reverse", Format: "perun", generate: reversedTypes},
		types("perun repeated members", `"snapshots":[{"x":{`, `}}]}`, same(`"a":1`)),
		types("perun repeated members, deep",
			`"snapshots":[{"x":`+strings.Repeat(`{"`+strings.Repeat("n", 400)+`":`, 900)+`{`,
			`}`+strings.Repeat("}", 900)+`}]}`, same(`"a":1`)),
	}
}

// reversedTypes returns a profile whose map has the resource types in the reverse order of the
// resources.
func reversedTypes(size int) []byte {
	n := size / 40
	b := append(make([]byte, 0, size+size/4), perunHead+`"resources":{`...)
	b = append(b, list(n, named(`"$":{"amount":[1]}`))...)
	b = append(b, `},"resource_type_map":{`...)
	entry := named(`"$":{"uid":"a"}`)
	b = append(b, list(n, func(i int) string { return entry(n - 1 - i) })...)
	return append(b, "}}"...)
}
