package hostile

import "strings"

// tables returns the Generators of tables with the separator, or of JSON lines if it is empty.
func tables(name, separator string) []Generator {
	rows := func(kind, head string, item func(int) string) Generator {
		return inputs(name+" "+kind, name, strings.ReplaceAll(head, ",", separator), "\n", "\n", item)
	}
	one := func(kind, head, tail, between string, item func(int) string) Generator {
		return inputs(name+" "+kind, name, strings.ReplaceAll(head, ",", separator), tail, between, item)
	}
	object := func(item string) func(int) string {
		return func(int) string { return `"{` + strings.ReplaceAll(list(900, named(item)), `"`, `""`) + `}"` }
	}

	if separator == "" {
		return []Generator{
			rows("different params", "", named(`{"value":1,"params":{"p$":"$"}}`)).eachTrace(),
			rows("many params", "", func(int) string {
				return `{"value":1,"params":{` + list(900, named(`"$":"$"`)) + `}}`
			}).each(),
			rows("a trace without params", "", named(`{"value":1,"params":{"a":"$"},"trace":",b=$,"}`)).each(),
			one("members", `{"value":1`, "}", ",", named(`"$":1`)),
			one("params of one row", `{"value":1,"params":{"a":"b"`, "}}", "", named(`,"$":1`)),
			one("nested arrays", `{"value":1,"params":`, "}", "", same("[")),
			one("one text", `{"value":1,"commit":"`, `"}`, "", same(`\n\u00e9`)),
			rows("faults", "", same(`{"value":`)).each(),
		}
	}

	all := []Generator{
		rows("different params", "value,params\n", named("1"+separator+"{}")).each(),
		one("titles", "value,params", "\n", separator, named("$")),
		one("cells", "value,params\n1", "\n", separator, named("$")),
		one("one cell", "value,params\n1,", "\n", "", same(`\t`)),
		one("one object", "value,params\n1,{", "}\n", ",", named(`"$":1`)),
		rows("faults", "value,params\n", same("x")).each(),
	}

	if separator == "," {
		all = append(all,
			rows("many params", "value,params\n", func(i int) string { return "1," + object(`"$":"$"`)(i) }).each(),
			one("quotes without an end", "value,params\n1,\"", "\n", "\n", same(`x`)),
			one("quotes", "value,params\n1,\"", "\"\n", "", same(`""`)),
		)
	}
	return all
}
