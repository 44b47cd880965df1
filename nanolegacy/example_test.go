package nanolegacy_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

const file = `{
  "gitHash": "fe4a402",
  "key": {"arch": "x86"},
  "options": {"system": "UNIX"},
  "results": {
    "copy": {
      "8888": {"min_ms": 2.223606, "max_ms": "n/a", "samples": [2.5, 2.223606, 2.25]},
      "gpu": {"wall_time_ms": 0.11, "options": {"GL_VENDOR": "NVIDIA", "source": "bench"}}
    }
  }
}`

// A service reads all sound measurements, and logs the faulty ones.
func ExampleReader() {
	r := nanolegacy.NewReader(strings.NewReader(file))
	r.Name = "run.json"
	r.Limits.MaxDepth = 16
	h, err := r.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.GitHash, h.Options)
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
	// fe4a402 [{system UNIX}]
	// ,arch=x86,config=8888,sub_result=min_ms,test=copy, 2.223606 [{system UNIX}]
	// left out: run.json:7:46: results.copy.8888.max_ms: Invalid type. Expected: number, given: string
	// ,arch=x86,config=gpu,sub_result=wall_time_ms,test=copy, 0.11 [{GL_VENDOR NVIDIA} {source bench} {system UNIX}]
}

// Skia Perf stores options as params, so they are part of what identifies a measurement.
func ExampleReader_optionsAsParams() {
	r := nanolegacy.NewReader(strings.NewReader(file))
	r.OptionsAsParams = true
	for rec, err := range r.Records() {
		if err != nil {
			continue
		}
		fmt.Println(rec.TraceID(), rec.Value, rec.Attrs)
	}
	// Output:
	// ,arch=x86,config=8888,sub_result=min_ms,system=UNIX,test=copy, 2.223606 []
	// ,arch=x86,config=gpu,source=bench,sub_result=wall_time_ms,system=UNIX,test=copy, 0.11 [{GL_VENDOR NVIDIA}]
}

// Records and samples are read by two Readers, one after the other.
func ExampleReader_Samples() {
	in := strings.NewReader(file)
	for s, err := range nanolegacy.NewReader(in).Samples() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(s.Params.ID(), s.Values)
	}
	// Output:
	// ,arch=x86,config=8888,sub_result=min_ms,test=copy, [2.5 2.223606 2.25]
}

// A benchmark runner writes a line for each test.
func ExampleWriter() {
	machine := traceid.Of("arch", "x86")
	w := nanolegacy.NewWriter(os.Stdout, nanolegacy.Header{GitHash: "fe4a402", Key: machine})
	w.Limits.MaxUniqueTraces = 1_000_000
	record := func(test, config, sub string, value float64) *format.Record {
		own := traceid.Of("test", test, "config", config, "sub_result", sub)
		return &format.Record{Params: traceid.Merge(machine, own), Value: value}
	}
	withOptions := record("encode", "gpu", "min_ms", 1.5)
	withOptions.Attrs = traceid.Of("GL_VENDOR", "NVIDIA")
	err := errors.Join(
		w.Write(record("encode", "8888", "min_ms", 12.75)),
		w.Write(record("encode", "8888", "max_ms", 14)),
		w.Write(withOptions),
		w.Write(record("decode", "8888", "min_ms", 8.25)),
		w.WriteSamples(&format.Samples{
			Params: traceid.Of("test", "decode", "config", "8888", "sub_result", "min_ms"),
			Values: []float64{9, 8.25, 8.5},
		}),
		w.Close(),
	)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"gitHash":"fe4a402","key":{"arch":"x86"},"results":{
	// "encode":{"8888":{"min_ms":12.75,"max_ms":14},"gpu":{"options":{"GL_VENDOR":"NVIDIA"},"min_ms":1.5}},
	// "decode":{"8888":{"min_ms":8.25,"samples":[9,8.25,8.5]}}
	// }}
}

func ExampleLegacyKey() {
	params := traceid.FromMap(map[string]string{
		"arch": "x86", "gpu": "GTX660", "model": "ShuttleA", "os": "Ubuntu12",
		"config": "8888", "test": "DeferredSurfaceCopy_discardable_640_480", "sub_result": "ms",
	})
	fmt.Println(nanolegacy.LegacyKey(params))

	params = traceid.FromMap(map[string]string{"gpu": "GTX 660", "test": "a:b", "sub_result": "ms"})
	_, err := nanolegacy.LegacyKey(params)
	fmt.Println(err)
	fmt.Println(nanolegacy.LenientLegacyKey(params))
	// Output:
	// x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms <nil>
	// legacy key: param "gpu" is "GTX 660", which holds ' '
	// GTX_660:a_b:ms
}

func ExampleFormat_validate() {
	const invalid = `{
  "results": {
    "draw circle": {"8888": {"ms": "fast"}},
    "draw_square": {"8888": {"ms": 1, "samples": [1, null]}}
  }
}`
	for e := range nanolegacy.Format().Validate(strings.NewReader(invalid), format.Options{Name: "run.json"}) {
		fmt.Println(e)
	}
	// Output:
	// run.json:1:1: (root): warning: gitHash is missing: Skia Perf can't tell which commit was measured
	// run.json:3:5: results.draw circle: warning: "draw circle" becomes "draw_circle" in trace ids
	// run.json:3:36: results.draw circle.8888.ms: Invalid type. Expected: number, given: string
	// run.json:4:54: results.draw_square.8888.samples.1: Invalid type. Expected: number, given: null
}
