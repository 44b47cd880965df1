package hostile

import (
	"fmt"
	"strings"
)

const (
	skiaHead = `{"version":1,"git_hash":"a","key":{"a":"b"},"results":[`
	skiaTail = `]}`
)

// skiaResults returns the Generators of results of the Skia Perf format.
func skiaResults() []Generator {
	items := func(name, item string) Generator { // of one result
		return inputs(name, "skiav1", skiaHead+`{"measurements":{"x":[`, `]}}]}`, ",", named(item))
	}
	results := func(name string, item func(int) string) Generator {
		return inputs(name, "skiav1", skiaHead, skiaTail, ",", item).each()
	}

	manyLinks := list(999, named(`"$":""`))
	manyParams := list(998, named(`"k$":"v"`))
	pad := list(200, func(i int) string { return fmt.Sprintf(`"p%d":"%d"`, i, i) })
	megabyte := strings.Repeat("x", 1_000_000)

	return []Generator{
		items("skia empty items", `{}`),
		items("skia scalar items", `0`),
		items("skia good items", `{"measurement":1}`),
		items("skia named items", `{"value":"$","measurement":1}`),
		items("skia items with a link", `{"measurement":1,"links":{"a":""}}`),
		items("skia items with different links", `{"measurement":1,"links":{"$":""}}`),
		items("skia items with many links", `{"measurement":1,"links":{`+manyLinks+`}}`),
		items("skia items with unknown members", `{"measurement":1,"$":0}`),

		inputs("skia groups without items", "skiav1", skiaHead+`{"measurements":{`, `}}]}`, ",", named(`"$":[]`)),
		inputs("skia groups of one item", "skiav1", skiaHead+`{"measurements":{`, `}}]}`, ",",
			named(`"$":[{"measurement":1}]`)),
		inputs("skia groups with many params", "skiav1", skiaHead+`{"key":{`+manyParams+`},"measurements":{`,
			`}}]}`, ",", named(`"$":[{"measurement":1}]`)),

		inputs("skia unknown members in a result", "skiav1", skiaHead+`{"measurement":1,`, `}]}`, ",",
			named(`"$":0`)),
		inputs("skia null params", "skiav1", skiaHead+`{"measurement":1,"key":{`, `}}]}`, ",", named(`"$":null`)),

		results("skia scalar results", same(`0`)),
		results("skia empty results", same(`{}`)),
		results("skia results that measure nothing new", same(`{"measurement":1}`)),
		results("skia different results", named(`{"key":{"$":"$"},"measurement":1}`)),
		results("skia results with warnings", named(`{"key":{"$ !":"$ !"},"measurement":1}`)),
		results("skia long numbers", func(i int) string {
			return fmt.Sprintf(`{"measurement":0.%s%d}`, strings.Repeat("1234567890", 70), i)
		}),

		results("skia nine alternating shapes", func(i int) string {
			return `{"key":{` + pad + `},"measurement":1` + strings.Repeat(" ", i%9) + `}`
		}),
		results("skia shapes that never repeat", func(i int) string {
			return `{"key":{` + pad + `},"measurement":1` + blanks(20, i) + `}`
		}),
		results("skia strings that change one by one", func(i int) string {
			return `{"key":{"t":"1"},` + blanks(12, i/2) + `"measurements":{"x":[` +
				list(1800, same(`{"measurement":1,"value":"`+"ab"[i%2:i%2+1]+`"}`)) + `]}}`
		}),

		results("skia escapes", same(`{"key":{"a":"`+strings.Repeat(`\u00e9`, 170_000)+`"},"measurement":1}`)),
		results("skia long values", func(i int) string {
			return `{"key":{` + list(15, func(k int) string {
				return fmt.Sprintf(`"k%d":"%d%s"`, k, i, megabyte)
			}) + `},"measurement":1}`
		}),
	}
}

// skiaDocuments returns the Generators of the rest of the document.
func skiaDocuments() []Generator {
	result := `{"key":{"a":"b"},"measurement":1}`
	unknown := func(name, head, tail string, item func(int) string) Generator { // unknown member
		return inputs(name, "skiav1", `{"version":1,"git_hash":"a","key":{"a":"b"},`+head,
			tail+`,"results":[`+result+`]}`, ",", item)
	}
	results := func(name, head string, item func(int) string) Generator {
		return inputs(name, "skiav1", `{"version":1,`+head+`,"results":[`, `]}`, ",", item).each()
	}
	long := func() string { return strings.Repeat("x", 1_040_000) }
	clash := list(999, func(i int) string { return fmt.Sprintf(`"%c":"v"`, 0x4e00+i) })

	return []Generator{
		unknown("skia unknown members", ``, ``, named(`"$":0`)),
		unknown("skia unknown nested members", `"z":{`, `}`, named(`"$":0`)),
		unknown("skia deep arrays", `"z":[`, `]`, same(strings.Repeat("[", 998)+strings.Repeat("]", 998))),
		unknown("skia deep objects", `"z":[`, `]`, same(strings.Repeat(`{"a":`, 997)+"0"+strings.Repeat("}", 997))),
		unknown("skia deep long names", `"z":[`, `]`,
			same(strings.Repeat(`{"`+strings.Repeat("n", 2000)+`":`, 997)+"0"+strings.Repeat("}", 997))),

		later("skia faults after a long string", func(name string) Generator {
			return results(name, `"git_hash":"`+long()+`"`, same(`{"measurement":""}`))
		}),
		results("skia faults", `"git_hash":"x"`, same(`{"measurement":""}`)),
		later("skia traces after a long string", func(name string) Generator {
			return results(name, `"git_hash":"`+long()+`"`, named(`{"key":{"a":"$"},"measurement":1}`))
		}),
		later("skia long params", func(name string) Generator {
			params := list(15, func(i int) string { return fmt.Sprintf(`"k%d":"%s"`, i, long()) })
			return results(name, `"git_hash":"a","key":{`+params+`}`, named(`{"key":{"a":"$"},"measurement":1}`))
		}),
		inputs("skia many traces", "skiav1", skiaHead, skiaTail, ",", named(`{"key":{"t":"$"},"measurement":1}`)).eachTrace(),

		results("skia keys with one canonical form", `"git_hash":"a","key":{`+clash+`}`, same(`{"measurement":1}`)),
		results("skia values that need replacing", `"git_hash":"a","key":{`+list(999, named(`"$":"丁"`))+`}`,
			same(`{"measurement":1}`)),
		results("skia many links everywhere", `"git_hash":"a","links":{`+list(1000, named(`"$":"u"`))+`}`,
			same(`{"measurements":{"x":[{"measurement":1,"links":{`+list(1000, named(`"x$":"u"`))+`}}]}}`)),

		inputs("skia header last", "skiav1", `{"results":[`, `],"version":1,"git_hash":"a"}`, ",",
			named(`{"key":{"a":"$"},"measurement":1}`)),
		inputs("skia blanks", "skiav1", skiaHead, result+skiaTail, "\n", same(strings.Repeat(" ", 999))),
		inputs("skia empty lines", "skiav1", skiaHead, result+skiaTail, "", same(strings.Repeat("\n", 1000))),
		inputs("skia blanks after a name", "skiav1", `{"version"`, `:1,"git_hash":"a","results":[`+result+`]}`,
			"", same(strings.Repeat(" ", 1000))),
		inputs("skia a long number", "skiav1", skiaHead+`{"measurement":`, `}]}`, "", same("1111111111")),
	}
}

const (
	legacyHead = `{"gitHash":"a","key":{"a":"b"},"options":{},"results":{`
	legacyTail = `}}`
)

// legacy returns the Generators of the legacy format.
func legacy() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs(name, "nanolegacy", legacyHead+head, tail+legacyTail, ",", item)
	}
	options := list(999, named(`"k$":[[]]`))
	strings999 := list(999, named(`"k$":"v"`))
	return []Generator{
		of("legacy configurations", `"t":{`, `}`, named(`"$":{}`)),
		of("legacy tests", ``, ``, named(`"$":{"c":{"ms":1}}`)),
		of("legacy empty tests", ``, ``, named(`"$":{}`)),
		of("legacy sub-results", `"t":{"c":{`, `}}`, named(`"$":1`)),
		of("legacy bad sub-results", `"t":{"c":{`, `}}`, named(`"$":""`)),
		of("legacy samples", `"t":{"c":{"samples":[`, `]}}`, same(`1`)),
		of("legacy bad samples", `"t":{"c":{"samples":[`, `]}}`, same(`""`)),
		of("legacy nested options", `"t":{`, `}`, named(`"$":{"ms":1,"options":{`+options+`}}`)),
		of("legacy options", `"t":{`, `}`, named(`"$":{"ms":1,"options":{`+strings999+`}}`)),
		of("legacy option array", `"t":{"c":{"options":{"x":[`, `]},"ms":1}}`, same(`0`)),
		of("legacy option object", `"t":{"c":{"options":{"x":{`, `}},"ms":1}}`, named(`"$":0`)),
		of("legacy options after sub-results", `"t":{"c":{`, `,"options":{"a":"b"}}}`, named(`"$":1`)),
	}
}
