package perun_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/traceid"
)

const profile = `{
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

func ExampleReader() {
	r := perun.NewReader(strings.NewReader(profile))
	r.Name = "run.perf"
	h, err := r.Header()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Type, "profile of", h.Cmd, "by", h.Collector.Name)
	for rec, err := range r.Records() {
		if err != nil {
			log.Fatal(err)
		}
		size, _ := rec.Attrs.Get("structure-unit-size")
		uid, _ := rec.Params.Get("uid")
		unit, _ := rec.Params.Get("unit")
		fmt.Println(uid, size, rec.Value, unit)
	}
	// Output:
	// mixed profile of ./sll by trace
	// SLList_insert(SLList*, int) 0 2 us
	// SLList_insert(SLList*, int) 1 3 us
	// SLList_insert(SLList*, int) 2 5 us
	// sll.c:main:22  40 us
}

func ExampleReader_Resources() {
	r := perun.NewReader(strings.NewReader(profile))
	defer r.Close()
	for res, err := range r.Resources() {
		if err != nil {
			log.Fatal(err)
		}
		for v := range res.Fields.Values("trace::function") {
			flat, _ := res.Fields.Flatten()
			uid, _ := flat.Get("uid")
			fmt.Println(res.Snapshot, uid, v)
		}
	}
	// Output:
	// 0 sll.c:main:22 main
}

func ExampleWriter() {
	w := perun.NewWriter(os.Stdout, perun.Header{
		Type:      "time",
		Units:     traceid.FromMap(map[string]string{"time": "s"}),
		Cmd:       "ls",
		Workload:  "/",
		Collector: perun.Tool{Name: "time"},
	})
	for i, uid := range []string{"real", "user", "real"} {
		rec := &format.Record{
			Params: traceid.FromMap(map[string]string{
				"cmd":       "ls",
				"workload":  "/",
				"collector": "time",
				"type":      "time",
				"unit":      "s",
				"uid":       uid,
			}),
			Value: float64(i) + 0.5,
		}
		if err := w.Write(rec); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"collector_info":{"name":"time","params":{}},"postprocessors":[],
	// "resources":{
	// "real#0":{"amount":[0.5,2.5]},
	// "user#0":{"amount":[1.5]}},
	// "resource_type_map":{
	// "real#0":{"type":"time","uid":"real"},
	// "user#0":{"type":"time","uid":"user"}},
	// "models":[],
	// "header":{"type":"time","units":{"time":"s"},"cmd":"ls","workload":"/"}}
}

func ExampleReader_ResourcesBySnapshot() {
	r := perun.NewReader(strings.NewReader(`{"snapshots": [
		{"time": "0.5", "resources": [{"uid": "f", "amount": 1}, {"uid": "g", "amount": 2}]},
		{"time": "1.0", "resources": [{"uid": "f", "amount": 3}]}
	], "models": [{"uid": "f", "model": "linear", "r_square": 0.9}]}`))
	defer r.Close()
	for res, err := range r.ResourcesBySnapshot() {
		if err != nil {
			log.Fatal(err)
		}
		uid, _ := res.Fields.Get("uid")
		amount, _ := res.Fields.Get("amount")
		fmt.Printf("snapshot %d: %v has %v\n", res.Snapshot, uid, amount)
	}
	for m, err := range r.Models() {
		if err != nil {
			log.Fatal(err)
		}
		fit, _ := m.RSquare()
		fmt.Println(m.Kind(), "model of", m.UID(), "fits", fit)
	}
	// Output:
	// snapshot 0: f has 1
	// snapshot 0: g has 2
	// snapshot 1: f has 3
	// linear model of f fits 0.9
}

// Resources and models with nested fields, in the layout of snapshots.
func ExampleWriter_WriteResource() {
	w := perun.NewWriter(os.Stdout, perun.Header{Type: "memory", Collector: perun.Tool{Name: "memory"}})
	w.Snapshots = true
	main := perun.ValueOf(perun.Fields{
		{Key: "function", Value: perun.ValueOf("main")},
		{Key: "line", Value: perun.ValueOf(22)},
	})
	err := w.WriteResource(&perun.Resource{Fields: perun.Fields{
		{Key: "amount", Value: perun.ValueOf(4)},
		{Key: "uid", Value: main},
		{Key: "trace", Value: perun.ValueOf([]perun.Value{main})},
		{Key: "type", Value: perun.ValueOf("memory")},
	}})
	if err != nil {
		log.Fatal(err)
	}
	err = w.WriteModel(&perun.Model{Fields: perun.Fields{
		{Key: "uid", Value: main},
		{Key: "model", Value: perun.ValueOf("constant")},
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"collector_info":{"name":"memory","params":{}},"postprocessors":[],
	// "header":{"type":"memory","units":{},"cmd":"","workload":""},
	// "global":{"resources":[
	// {"amount":4,"uid":{"function":"main","line":22},"trace":[{"function":"main","line":22}],"type":"memory"}]},
	// "models":[
	// {"uid":{"function":"main","line":22},"model":"constant"}]}
}

func ExampleFormat_validate() {
	in := strings.NewReader(`{"header":{"type":"speed","cmd":"c","workload":"","units":{}},` +
		`"global":[{"amount":"1","uid":"u"}]}`)
	for e := range perun.Format().Validate(in, format.Options{Name: "run.perf"}) {
		fmt.Println(e)
	}
	// Output:
	// run.perf:1:1: (root): collector_info is required
	// run.perf:1:1: (root): postprocessors is required
	// run.perf:1:11: header.type: the type is "speed", expected time, memory or mixed
	// run.perf:1:73: global.0: Invalid type. Expected: number, given: string
	// run.perf:1:73: global.0: type is required
	// run.perf:1:73: global.0: warning: header.units has no unit of type "speed" and subtype ""
}

func ExampleMerge() {
	const format = `{"header":{"type":"time","units":{"time":"s"},"cmd":"ls","args":"","workload":%q},` +
		`"collector_info":{"name":"time","params":{}},"postprocessors":[],` +
		`"resources":{"real#0":{"amount":[%d]}},"resource_type_map":{"real#0":{"uid":"real","type":"time"}}}`
	first := perun.NewReader(strings.NewReader(fmt.Sprintf(format, "home", 1)))
	defer first.Close()
	second := perun.NewReader(strings.NewReader(fmt.Sprintf(format, "tmp", 2)))
	defer second.Close()
	if err := perun.Merge(os.Stdout, first, second); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"collector_info":{"name":"time","params":{}},"postprocessors":[],
	// "resources":{
	// "real#0":{"amount":[1,2]}},
	// "resource_type_map":{
	// "real#0":{"uid":"real","type":"time"}},
	// "models":[],
	// "header":{"type":"time","units":{"time":"s"},"cmd":"ls","workload":"home"}}
}

func ExampleSortProfiles() {
	profiles := []perun.ProfileInfo{
		{Header: perun.Header{Cmd: "ls"}, Path: ".perun/jobs/ls.perf", Time: time.Unix(1, 0)},
		{Header: perun.Header{Cmd: "du"}, Path: ".perun/objects/5f/0a", Source: "du.perf", Checksum: "5f0a", Time: time.Unix(2, 0)},
	}
	if err := perun.SortProfiles(profiles, "time", true); err != nil {
		log.Fatal(err)
	}
	for _, p := range profiles {
		fmt.Println(p.Header.Cmd, p.Path)
	}
	// Output:
	// du .perun/objects/5f/0a
	// ls .perun/jobs/ls.perf
}
