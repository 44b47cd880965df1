package table_test

import (
	"fmt"
	"strings"

	"perfdata"
	"perfdata/format"
)

// A program in any language prints its measurements, and each command reads them.
func Example() {
	const lines = `{"value":12.5,"unit":"ms","better":"lower","commit":"3f2a9c1","params":{"name":"encode","size":1000}}
{"value":12.75,"unit":"ms","better":"lower","commit":"3f2a9c1","params":{"name":"encode","size":1000}}`
	f, err := perfdata.NewReader(strings.NewReader(lines), "run.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range f.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Commit, rec.TraceID(), rec.Value, rec.Unit)
	}
	// Output:
	// 3f2a9c1 ,name=encode,size=1000, 12.5 ms
	// 3f2a9c1 ,name=encode,size=1000, 12.75 ms
}

// A spreadsheet has columns of its own, which settings name.
func Example_otherColumns() {
	const sheet = "date;revision;branch;encode;decode\n2026-07-31;3f2a9c1;main;12.5;7.25\n"
	o := perfdata.Opener{Options: format.Options{Settings: map[string]string{
		"csv.value": "encode,decode", "csv.commit": "revision", "csv.time": "date", "csv.comma": ";",
	}}}
	f, err := o.NewReader(strings.NewReader(sheet), "history.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range f.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Commit, rec.Params, rec.Value, rec.Attrs)
	}
	// Output:
	// 3f2a9c1 [{branch main} {metric encode}] 12.5 [{commit-time 2026-07-31T00:00:00Z}]
	// 3f2a9c1 [{branch main} {metric decode}] 7.25 [{commit-time 2026-07-31T00:00:00Z}]
}
