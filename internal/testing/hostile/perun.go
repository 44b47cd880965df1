package hostile

// perun returns the kinds of Perun's profiles.
func perun() []kind {
	const (
		header = `{"header":{"type":"time","cmd":"c","units":{"time":"s"}},"collector_info":{"name":"x"},`
		tail   = `,"snapshots":[]}`
		one    = `"resource_type_map":{"t":{"uid":"a"}},"resources":{"t":{"amount":`
		two    = `"resource_type_map":{"t0":{"uid":"a"},"t1":{"uid":"a"}},"resources":{`
		types  = `"resource_type_map":{`
	)
	in := func(resources string) string {
		return header + `"snapshots":[{"time":"1","resources":[` + resources + `]}]}`
	}
	of := func(member string) string { return in(`{"amount":1,"uid":"f",` + member + `}`) } // one resource
	columns := func(value string) string {
		return `«,|"t$":{«999,|"c$":[«20,|` + value + `»]»,"amount":[«20,|1»]}»`
	}

	return []kind{
		{"perun resources", each,
			in(`«,|{"amount":1,"uid":"f$","trace":[{"function":"a","source":"b","line":1}]}»`)},
		{"perun distinct traces", each,
			in(`«,|{"amount":1,"uid":"f","trace":[{"function":"a","source":"$","line":1}]}»`)},
		{"perun deep traces", each, in(`«,|{"amount":1,"uid":"f","trace":«990|[»«990|]»}»`)},
		{"perun deep uids", each, in(`«,|{"amount":1,"uid":«900|{"a":»1«900|}»}»`)},
		{"perun deep uids with long names", each, in(`«,|{"amount":1,"uid":«900|{"«1000|k»":»1«900|}»}»`)},
		{"perun long uids", each, in(`«,|{"amount":1,"uid":{"function":"f$«4000|x»","source":"s"}}»`)},
		{"perun fields", each, in(`«,|{"amount":1,"uid":"u$",«990,|"k$":"v"»}»`)},

		{"perun types of resources", each, in(`«,|{"amount":1,"uid":"f","type":"t$%7"}»`)},
		{"perun faults", each, in(`«,|0»`)},

		{"perun one list of numbers", whole, of(`"x":[«,|0»]`)},
		{"perun one list of lists", whole, of(`"x":[«,|[]»]`)},
		{"perun one list of objects", whole, of(`"x":[«,|{}»]`)},
		{"perun one list of strings", whole, of(`"x":[«,|""»]`)},
		{"perun one object", whole, of(`"x":{«,|"$":0»}`)},
		{"perun one trace", whole, of(`"trace":[«,|{"function":"$"}»]`)},

		{"perun snapshots", each, header + `"snapshots":[«,|{"time":"1","resources":[{"amount":1,"uid":"f"}]}»]}`},
		{"perun empty snapshots", each, header + `"snapshots":[«,|{}»]}`},
		{"perun models", whole, header + `"models":[` +
			`«,|{"uid":"f$","model":"linear","r_square":0.5,"coeffs":[{"name":"b0","value":1}]}»],"resources":{}}`},
		{"perun one model", whole, header + `"models":[{"uid":"f","x":[«,|0»]}],"resources":{}}`},

		{"perun array", whole, header + one + `[«,|1»]}}}`},
		{"perun array of lists", whole, header + one + `[1],"x":[«,|[]»]}}}`},
		{"perun array of long strings", whole, header + one + `[1,2,3,4,5,6],"x":[«,|"«1000000|x»"»]}}}`},
		{"perun many arrays", whole, header + two + columns(`1`) + `}}`},
		{"perun many arrays of strings", whole, header + two + columns(`"«100|x»"`) + `}}`},

		{"perun postprocessors", whole, header + `"postprocessors":[«,|{}»]` + tail},
		{"perun faulty postprocessors", whole, header + `"postprocessors":[«,|0»]` + tail},

		{"perun unknown member of numbers", whole, header + `"zz":[«,|0»]` + tail},
		{"perun unknown member of lists", whole, header + `"zz":[«,|[]»]` + tail},
		{"perun unknown member of objects", whole, header + `"zz":[«,|{}»]` + tail},
		{"perun unknown member of strings", whole, header + `"zz":[«,|""»]` + tail},
		{"perun unknown object", whole, header + `"zz":{«,|"$":0»}` + tail},
		{"perun unknown members", whole, header + `«,|"$":0»` + tail},
		{"perun resources in the wrong place", whole, header + `«,|"$":{"resources":[]}»` + tail},
		{"perun collector params", whole,
			header + `"chunks":0,"postprocessors":[{"name":"p","params":{«,|"$":[]»}}]` + tail},

		{"perun members of the header", whole,
			`{"header":{"type":"time",«,|"$":[]»},"collector_info":{"name":"x"}` + tail},
		{"perun units", whole, `{"header":{"type":"time","units":{«1000,|"t$":"u"»}},"collector_info":{"name":"x"},` +
			`"snapshots":[{"resources":[«,|{"amount":1,"uid":"f","type":"t$%7","subtype":"s$%11"}»]}]}`},

		{"perun resource types", whole, header + types + `«,|"$":{"uid":"a"}»},"resources":{}}`},
		{"perun resource types with large entries", whole,
			header + types + `«,|"$":{"uid":"«3000|x»"}»},"resources":{}}`},
		{"perun resources without type", whole, header + types + `"a":{}},"resources":{«,|"$":{"amount":[1]}»}}`},
		{"perun resources before their types", whole,
			header + `"resources":{«,|"$":{"amount":[1]}»},` + types + `"0":{"uid":"b"},"1":{"uid":"c"}}}`},
		{"perun resource types in reverse", few,
			header + `"resources":{«,|"$":{"amount":[1]}»},` + types + `«-,|"$":{"uid":"a"}»}}`},
		{"perun repeated members", whole, header + `"snapshots":[{"x":{«,|"a":1»}}]}`},
		{"perun repeated members, deep", whole,
			header + `"snapshots":[{"x":«900|{"«400|n»":»{«,|"a":1»}«900|}»}]}`},
	}
}
