package report_test

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"strings"

	"perfdata/perun"
	"perfdata/perun/report"
)

const profileText = `{
  "resources": {
    "SLList_insert(SLList*, int)#0": {"amount": [2, 3, 5], "structure-unit-size": [0, 1, 2]},
    "main#0": {"amount": [40]}
  },
  "resource_type_map": {
    "SLList_insert(SLList*, int)#0": {"uid": "SLList_insert(SLList*, int)", "type": "mixed", "subtype": "time delta"},
    "main#0": {"uid": {"function": "main", "source": "sll.c", "line": 22}, "type": "mixed", "subtype": "time delta",
      "trace": [{"function": "main", "source": "sll.c", "line": 22}]}
  },
  "models": [
    {"uid": "SLList_insert(SLList*, int)", "model": "constant", "r_square": 0.0, "x_start": 0, "x_end": 2,
      "coeffs": [{"name": "b0", "value": 3.5}, {"name": "b1", "value": 0.0}]},
    {"uid": "SLList_insert(SLList*, int)", "model": "linear", "r_square": 0.96, "x_start": 0, "x_end": 2,
      "coeffs": [{"name": "b0", "value": 2.0}, {"name": "b1", "value": 1.5}]}
  ],
  "header": {"type": "mixed", "units": {"mixed(time delta)": "us"}, "cmd": "./sll", "workload": "small"},
  "collector_info": {"name": "trace", "params": {}},
  "postprocessors": []
}`

func ExampleUniqueValues() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	all, err := report.FieldNames(r.Resources())
	fmt.Println(all, err)
	numerical, err := report.NumericalFields(r.Resources())
	fmt.Println(numerical, err)
	functions, err := report.UniqueValues(r.Resources(), "uid:function")
	fmt.Println(functions, err)
	// Output:
	// [amount structure-unit-size subtype trace type uid uid:function uid:line uid:source] <nil>
	// [amount structure-unit-size uid:line] <nil>
	// [main] <nil>
}

func ExampleFilterModels() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	models, err := report.FilterModels(r.Models(), "best-param")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		xs, ys, err := report.Curve(m, 3)
		fmt.Println(m.UID(), m.Kind(), xs, ys, err)
	}
	// Output:
	// SLList_insert(SLList*, int) linear [1e-06 1 2] [2.0000015 3.5 5] <nil>
}

// A table of the resources, for spreadsheets and data frames.
func ExampleResourceTable() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	w := csv.NewWriter(os.Stdout)
	for row, err := range report.ResourceTable(r) {
		if err != nil {
			log.Fatal(err)
		}
		w.Write(row)
	}
	w.Flush()
	// Output:
	// amount,snapshots,structure-unit-size,subtype,trace,type,uid,uid:function,uid:line,uid:source
	// 2,0,0,time delta,,mixed,"SLList_insert(SLList*, int)",,,
	// 3,0,1,time delta,,mixed,"SLList_insert(SLList*, int)",,,
	// 5,0,2,time delta,,mixed,"SLList_insert(SLList*, int)",,,
	// 40,0,,time delta,main:sll.c:22,mixed,sll.c:main:22,main,22,sll.c
}

func ExampleFlameLines() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	for line, err := range report.FlameLines(r) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(line)
	}
	// Output:
	// SLList_insert(SLList*, int) 2
	// SLList_insert(SLList*, int) 3
	// SLList_insert(SLList*, int) 5
	// main()~sll.c~22;main()~sll.c~22 40
}

// A profile for go tool pprof.
func ExamplePprof() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	h, err := r.Header()
	if err != nil {
		log.Fatal(err)
	}
	p, err := report.Pprof(h, report.Stacks(h, r.Resources(), report.UIDAtRoot))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range p.Sample {
		fmt.Println(s.Location[0].Line[0].Function.Name, s.Value[0], "samples,", s.Value[1], p.SampleType[1].Unit)
	}
	// Output:
	// SLList_insert(SLList*, int) 3 samples, 10000 nanoseconds
	// main 1 samples, 40000 nanoseconds
}

// Main at the root of all stacks.
func ExampleStacks() {
	r := perun.NewReader(strings.NewReader(profileText))
	defer r.Close()
	h, err := r.Header()
	if err != nil {
		log.Fatal(err)
	}
	for s, err := range report.Stacks(h, r.Resources(), report.UIDAtLeaf) {
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range s.Frames {
			fmt.Print(f.Function, " ")
		}
		fmt.Println(s.Amount, s.Unit)
	}
	// Output:
	// SLList_insert(SLList*, int) 2 us
	// SLList_insert(SLList*, int) 3 us
	// SLList_insert(SLList*, int) 5 us
	// main 40 us
}
