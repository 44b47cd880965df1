package perfdata_test

import (
	"fmt"
	"strings"
	"testing/fstest"

	"perfdata"
	"perfdata/format"
)

func ExampleOpen() {
	r, err := perfdata.Open("testdata/keyval/example.keyval")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range r.Records() { // its end closes the file
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,iteration=1,key=fps_WebGLAquarium, 59.8
	// ,iteration=1,key=ms_page_load, 412.25
	// ,iteration=2,key=fps_WebGLAquarium, 60.1
	// ,iteration=2,key=ms_page_load, 398
}

func ExampleOpenFS() {
	fsys := fstest.MapFS{"run.txt": {Data: []byte("BenchmarkEncode 100 12.5 ns/op\n")}}
	r, err := perfdata.OpenFS(fsys, "run.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,name=Encode,unit=ns_op, 12.5
}

// A service that takes uploads of any format sets limits of its own.
func ExampleDecompress() {
	in := strings.NewReader("BenchmarkEncode 100 12.5 ns/op\n")
	limits := format.Limits{MaxDecompressedBytes: 1 << 20, MaxLineBytes: 1 << 10}
	src, compression, err := perfdata.Decompress(in, "upload", limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	info, src, err := perfdata.DetectReader(src, "upload")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range info.NewReader(src, "upload", limits).Records() {
		fmt.Println(info.Name, compression, rec.TraceID(), err)
	}
	// Output:
	// benchfmt [] ,name=Encode,unit=ns_op, <nil>
}
