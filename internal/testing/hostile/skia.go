package hostile

// skia returns the kinds of the Skia Perf format.
func skia() []kind {
	const (
		head    = `{"version":1,"git_hash":"a","key":{"a":"b"},`
		result  = `{"key":{"a":"b"},"measurement":1}`
		results = `"results":[` + result + `]}`
		long    = `«1040000|x»`
	)
	in := func(result string) string { return head + `"results":[` + result + `]}` }
	items := func(item string) string { return in(`{"measurements":{"x":[«,|` + item + `»]}}`) }

	return []kind{
		{"skia empty items", whole, items(`{}`)},
		{"skia scalar items", whole, items(`0`)},
		{"skia good items", whole, items(`{"measurement":1}`)},
		{"skia named items", whole, items(`{"value":"$","measurement":1}`)},
		{"skia items with a link", whole, items(`{"measurement":1,"links":{"a":""}}`)},
		{"skia items with different links", whole, items(`{"measurement":1,"links":{"$":""}}`)},
		{"skia items with many links", whole, items(`{"measurement":1,"links":{«999,|"$":""»}}`)},
		{"skia items with unknown members", whole, items(`{"measurement":1,"$":0}`)},

		{"skia groups without items", whole, in(`{"measurements":{«,|"$":[]»}}`)},
		{"skia groups of one item", whole, in(`{"measurements":{«,|"$":[{"measurement":1}]»}}`)},
		{"skia groups with many params", whole,
			in(`{"key":{«998,|"k$":"v"»},"measurements":{«,|"$":[{"measurement":1}]»}}`)},

		{"skia unknown members in a result", whole, in(`{"measurement":1,«,|"$":0»}`)},
		{"skia null params", whole, in(`{"measurement":1,"key":{«,|"$":null»}}`)},

		{"skia scalar results", each, in(`«,|0»`)},
		{"skia empty results", each, in(`«,|{}»`)},
		{"skia results that measure nothing new", each, in(`«,|{"measurement":1}»`)},
		{"skia different results", each, in(`«,|{"key":{"$":"$"},"measurement":1}»`)},
		{"skia results with warnings", each, in(`«,|{"key":{"$ !":"$ !"},"measurement":1}»`)},
		{"skia long numbers", each, in(`«,|{"measurement":0.«70|1234567890»$%10$%9$%7}»`)},

		{"skia nine alternating shapes", each, in(`«,|{"key":{«200,|"p$":"$"»},"measurement":1~%9}»`)},
		{"skia shapes that never repeat", each, in(`«,|{"key":{«200,|"p$":"$"»},"measurement":1~}»`)},
		{"skia strings that change one by one", each, in(`«,|` +
			`{"key":{"t":"1"},~"measurements":{"x":[«1800,|{"measurement":1,"value":"a"}»]}},` +
			`{"key":{"t":"1"},~"measurements":{"x":[«1800,|{"measurement":1,"value":"b"}»]}}»`)},

		{"skia escapes", each, in(`«,|{"key":{"a":"«170000|\u00e9»"},"measurement":1}»`)},
		{"skia long values", each, in(`«,|{"key":{«15,|"k$":"$$«1000000|x»"»},"measurement":1}»`)},

		{"skia unknown members", whole, head + `«,|"$":0»,` + results},
		{"skia unknown nested members", whole, head + `"z":{«,|"$":0»},` + results},
		{"skia deep arrays", whole, head + `"z":[«,|«998|[»«998|]»»],` + results},
		{"skia deep objects", whole, head + `"z":[«,|«997|{"a":»0«997|}»»],` + results},
		{"skia deep long names", whole, head + `"z":[«,|«997|{"«2000|n»":»0«997|}»»],` + results},

		{"skia faults after a long string", each, `{"version":1,"git_hash":"` + long + `","results":[` +
			`«,|{"measurement":""}»]}`},
		{"skia faults", each, `{"version":1,"git_hash":"x","results":[«,|{"measurement":""}»]}`},
		{"skia traces after a long string", each, `{"version":1,"git_hash":"` + long + `","results":[` +
			`«,|{"key":{"a":"$"},"measurement":1}»]}`},
		{"skia long params", each, `{"version":1,"git_hash":"a","key":{«15,|"k$":"` + long + `"»},"results":[` +
			`«,|{"key":{"a":"$"},"measurement":1}»]}`},
		{"skia many traces", remembered, in(`«,|{"key":{"t":"$"},"measurement":1}»`)},

		{"skia keys with one canonical form", each, `{"version":1,"git_hash":"a","key":{«999,|"丁":"v"»},"results":[` +
			`«,|{"measurement":1}»]}`},
		{"skia values that need replacing", each, `{"version":1,"git_hash":"a","key":{«999,|"$":"丁"»},"results":[` +
			`«,|{"measurement":1}»]}`},
		{"skia many links everywhere", each, `{"version":1,"git_hash":"a","links":{«1000,|"$":"u"»},"results":[` +
			`«,|{"measurements":{"x":[{"measurement":1,"links":{«1000,|"x$":"u"»}}]}}»]}`},

		{"skia header last", whole, `{"results":[«,|{"key":{"a":"$"},"measurement":1}»],"version":1,"git_hash":"a"}`},
		{"skia blanks", whole, in("«\n|«999| »»" + result)},
		{"skia empty lines", whole, in("«|«1000|\n»»" + result)},
		{"skia blanks after a name", whole, `{"version"«|«1000| »»:1,"git_hash":"a",` + results},
		{"skia a long number", whole, in(`{"measurement":«|1111111111»}`)},
	}
}

// legacy returns the kinds of the legacy format.
func legacy() []kind {
	in := func(tests string) string {
		return `{"gitHash":"a","key":{"a":"b"},"options":{},"results":{` + tests + `}}`
	}
	return []kind{
		{"legacy configurations", whole, in(`"t":{«,|"$":{}»}`)},
		{"legacy tests", whole, in(`«,|"$":{"c":{"ms":1}}»`)},
		{"legacy empty tests", whole, in(`«,|"$":{}»`)},
		{"legacy sub-results", whole, in(`"t":{"c":{«,|"$":1»}}`)},
		{"legacy bad sub-results", whole, in(`"t":{"c":{«,|"$":""»}}`)},
		{"legacy samples", whole, in(`"t":{"c":{"samples":[«,|1»]}}`)},
		{"legacy bad samples", whole, in(`"t":{"c":{"samples":[«,|""»]}}`)},
		{"legacy nested options", whole, in(`"t":{«,|"$":{"ms":1,"options":{«999,|"k$":[[]]»}}»}`)},
		{"legacy options", whole, in(`"t":{«,|"$":{"ms":1,"options":{«999,|"k$":"v"»}}»}`)},
		{"legacy option array", whole, in(`"t":{"c":{"options":{"x":[«,|0»]},"ms":1}}`)},
		{"legacy option object", whole, in(`"t":{"c":{"options":{"x":{«,|"$":0»}},"ms":1}}`)},
		{"legacy options after sub-results", whole, in(`"t":{"c":{«,|"$":1»,"options":{"a":"b"}}}`)},
	}
}
