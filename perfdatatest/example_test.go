package perfdatatest_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"perfdata/format"
	"perfdata/perfdatatest"
	"perfdata/skiav1"
)

// A parser of its own, that decodes files of Skia Perf with encoding/json, is compared with the
// Reader: it should accept the same documents.
func Example() {
	accepts := func(document []byte) bool {
		var file struct {
			Version int                               `json:"version"`
			GitHash string                            `json:"git_hash"`
			Results []struct{ Key map[string]string } `json:"results"`
		}
		return json.Unmarshal(document, &file) == nil && file.Version == 1 && file.GitHash != ""
	}
	isValid := func(document []byte) bool {
		for e := range skiav1.Format().Validate(bytes.NewReader(document), format.Options{}) {
			if e.Severity != format.Warning {
				return false
			}
		}
		return true
	}

	different := make(map[string]bool)
	for seed := range uint64(1000) {
		if document := perfdatatest.Valid("skiav1", seed, 500); !accepts(document) {
			fmt.Printf("seed %d: a valid document is rejected\n", seed)
		}
		document, fault := perfdatatest.NearlyValid("skiav1", seed, 500)
		if accepts(document) && !isValid(document) {
			different[fault] = true
		}
	}
	for _, fault := range []string{"missing comma", "duplicate member", "name in another case", "invalid UTF-8"} {
		fmt.Printf("%s: wrongly accepted: %v\n", fault, different[fault])
	}
	// Output:
	// missing comma: wrongly accepted: false
	// duplicate member: wrongly accepted: true
	// name in another case: wrongly accepted: true
	// invalid UTF-8: wrongly accepted: true
}

func ExampleNearlyValid() {
	document, fault := perfdatatest.NearlyValid("keyval", 3, 100)
	fmt.Println(fault)
	fmt.Printf("%s", document)
	// Output:
	// missing key
	// _textblob-io_buffer_bitmap_bitmap_gradient0{attr}=textblob-io_buffer_bitmap_bitmap_gradient
	// {perf}=9007199254740993
	// _clip-vector11{perf}=0.25+-0.125
	// fps_wikipedia12{perf}=90644
}

func ExampleHostile() {
	document, kind := perfdatatest.Hostile("skiav1", 1, 1000)
	fmt.Println(kind)
	fmt.Printf("%.90s...", document)
	// Output:
	// skia scalar items
	// {"version":1,"git_hash":"a","key":{"a":"b"},"results":[{"measurements":{"x":[0,0,0,0,0,0,0...
}
