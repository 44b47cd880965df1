package keyval_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfdata/format"
	"perfdata/keyval"
	"perfdata/traceid"
)

const file = `host{attr}=lumpy
fps_WebGLAquarium{perf}=59.8
ms_page_load{perf}=412.25+-3.5

fps_WebGLAquarium{perf}=fast
ms_page_load{perf}=398
host{attr}=lumpy
`

// The file does not name the test: the caller does.
func ExampleReader() {
	r := keyval.NewReader(strings.NewReader(file))
	r.Name = "results/keyval"
	r.Params = traceid.FromMap(map[string]string{"test": "graphics_WebGLAquarium"})
	for rec, err := range r.Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			fmt.Println("left out:", e)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value, rec.Attrs)
	}
	// Output:
	// ,iteration=1,key=fps_WebGLAquarium,test=graphics_WebGLAquarium, 59.8 [{host lumpy}]
	// ,iteration=1,key=ms_page_load,test=graphics_WebGLAquarium, 412.25 [{host lumpy}]
	// ,iteration=1,key=ms_page_load_dev,test=graphics_WebGLAquarium, 3.5 [{host lumpy}]
	// left out: results/keyval:5:25: "fast" is not a number
	// ,iteration=2,key=ms_page_load,test=graphics_WebGLAquarium, 398 [{host lumpy}]
}

// One Reader reads many small files without new memory for each.
func ExampleReader_Reset() {
	files := map[string]string{
		"boot": "seconds_boot{perf}=6.5\n",
		"tab":  "fps{perf}=59.8\n",
	}
	r := keyval.NewReader(nil)
	for _, test := range []string{"boot", "tab"} {
		r.Reset(strings.NewReader(files[test]))
		r.Name, r.Params = test, traceid.Of("test", test)
		for rec, err := range r.Records() {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(rec.TraceID(), rec.Value)
		}
	}
	// Output:
	// ,iteration=1,key=seconds_boot,test=boot, 6.5
	// ,iteration=1,key=fps,test=tab, 59.8
}

// A results database has a row for each value, and a row for each attribute.
func ExampleReader_Iterations() {
	for it, err := range keyval.NewReader(strings.NewReader(file)).Iterations() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for attribute, text := range it.Attr.All() {
			fmt.Println("tko_iteration_attributes", it.Index, attribute, text)
		}
		for _, kv := range it.Perf {
			fmt.Println("tko_iteration_result", it.Index, kv.Key, kv.Value)
		}
	}
	// Output:
	// tko_iteration_attributes 1 host lumpy
	// tko_iteration_result 1 fps_WebGLAquarium 59.8
	// tko_iteration_result 1 ms_page_load 412.25
	// tko_iteration_result 1 ms_page_load_dev 3.5
	// 5:25: "fast" is not a number
	// tko_iteration_attributes 2 host lumpy
	// tko_iteration_result 2 ms_page_load 398
}

// A benchmark runner appends an iteration after each run.
func ExampleAppendIteration() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "keyval")
	for _, fps := range []float64{59.8, 60.1} {
		err := keyval.AppendIteration(name, &keyval.Iteration{
			Attr: traceid.Of("host", "lumpy"),
			Perf: []keyval.Keyval{{Key: "fps_WebGLAquarium", Value: fps}, {Key: "ms_frame", Value: 1000 / 64.0}},
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	err = keyval.AppendIteration(name, &keyval.Iteration{Perf: []keyval.Keyval{{Key: "fps WebGLAquarium", Value: 60}}})
	fmt.Println(err)

	text, _ := os.ReadFile(name)
	fmt.Print(string(text))
	// Output:
	// key "fps WebGLAquarium": only letters, digits and . - _ are allowed
	// host{attr}=lumpy
	// fps_WebGLAquarium{perf}=59.8
	// ms_frame{perf}=15.625
	//
	// host{attr}=lumpy
	// fps_WebGLAquarium{perf}=60.1
	// ms_frame{perf}=15.625
}

// Each iteration is written by one call.
func ExampleWriter() {
	w := keyval.NewWriter(os.Stdout, keyval.Header{})
	for i, seconds := range []float64{6.25, 6.125} {
		err := w.WriteIteration(&keyval.Iteration{
			Attr: traceid.Of("run", fmt.Sprintf("%d of 2", i+1)),
			Perf: []keyval.Keyval{{Key: "seconds_boot", Value: seconds}},
		})
		if err == nil {
			err = w.Flush() // a crash of the next run does not lose this one
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// run{attr}=1 of 2
	// seconds_boot{perf}=6.25
	//
	// run{attr}=2 of 2
	// seconds_boot{perf}=6.125
}

func ExampleTAP() {
	w, err := keyval.TAP().NewWriter(os.Stdout, format.Header{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seconds := range []float64{6.25, 6.125} {
		rec := &format.Record{Params: traceid.Of("key", "seconds_boot"), Value: seconds}
		if err := w.Write(rec); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1..2
	// ok 1 - results
	//   ---
	//   seconds_boot_perf: 6.25
	//   ...
	// ok 2 - results
	//   ---
	//   seconds_boot_perf: 6.125
	//   ...
}

func ExampleReadPlain() {
	attrs, faults := keyval.ReadPlain(strings.NewReader("platform=lumpy # as labelled\nboard id=7\n"+
		"version=1.50\n"), "host_keyvals/lumpy-7", format.Limits{})
	fmt.Println(attrs)
	for _, e := range faults {
		fmt.Println(e)
	}
	// Output:
	// [{platform lumpy} {version 1.50}]
	// host_keyvals/lumpy-7:2:6: key "board id": only letters, digits and . - _ are allowed
}

func ExampleFormat_validate() {
	const invalid = "ms page load{perf}=120\nfps{perf}=59.8\nfps{perf}=fast\nfps=60"
	for e := range keyval.Format().Validate(strings.NewReader(invalid), format.Options{Name: "keyval"}) {
		fmt.Println(e)
	}
	// Output:
	// keyval:1:3: key "ms page load": only letters, digits and . - _ are allowed
	// keyval:3:11: "fast" is not a number
	// keyval:4:1: warning: line without {perf} or {attr} is read as {perf}; further ones are not reported
	// keyval:4:1: duplicate key "fps" in this iteration: the last value is used
	// keyval:4:7: warning: the last line has no line end: the file may be truncated
}
