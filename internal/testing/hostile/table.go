package hostile

import "strings"

// jsonLines are the kinds of tables of JSON lines.
var jsonLines = []kind{
	{"jsonl different params", traces, "«\n|{\"value\":1,\"params\":{\"p$\":\"$\"}}»\n"},
	{"jsonl many params", each, "«\n|{\"value\":1,\"params\":{«900,|\"$\":\"$\"»}}»\n"},
	{"jsonl a trace without params", each, "«\n|{\"value\":1,\"params\":{\"a\":\"$\"},\"trace\":\",b=$,\"}»\n"},
	{"jsonl members", whole, `{"value":1,«,|"$":1»}`},
	{"jsonl params of one row", whole, `{"value":1,"params":{"a":"b"«|,"$":1»}}`},
	{"jsonl nested arrays", whole, `{"value":1,"params":«|[»}`},
	{"jsonl one text", whole, `{"value":1,"commit":"«|\n\u00e9»"}`},
	{"jsonl faults", each, "«\n|{\"value\":»\n"},
}

// tables returns the kinds of tables with the separator, which is a semicolon here.
func tables(name, separator string) []kind {
	all := []kind{
		{"different params", each, "value;params\n«\n|1;{}»\n"},
		{"titles", whole, "value;params«;|$»\n"},
		{"cells", whole, "value;params\n1«;|$»\n"},
		{"one cell", whole, `value;params` + "\n" + `1;«|\t»` + "\n"},
		{"one object", whole, "value;params\n1;{«,|\"$\":1»}\n"},
		{"faults", each, "value;params\n«\n|x»\n"},
	}
	if separator == "," {
		all = append(all,
			kind{"many params", each, "value;params\n«\n|1;\"{«900,|\"\"$\"\":\"\"$\"\"»}\"»\n"},
			kind{"quotes without an end", whole, "value;params\n1;\"«\n|x»\n"},
			kind{"quotes", whole, "value;params\n1;\"«|\"\"»\"\n"},
		)
	}
	for i := range all {
		all[i].Name, all[i].text = name+" "+all[i].Name, strings.ReplaceAll(all[i].text, ";", separator)
	}
	return all
}
