package object_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/object"
)

func ExampleStore() {
	dir, err := os.MkdirTemp("", "objects")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	profile := strings.NewReader(`{"header":{"type":"time"},"global":[{"uid":"f","amount":1.5}]}`)
	h, err := perun.NewReader(profile).Header()
	if err != nil {
		panic(err)
	}
	sum, err := object.Store(dir, h.Type, profile)
	if err != nil {
		panic(err)
	}

	for name, err := range object.List(os.DirFS(dir)) {
		if err != nil {
			panic(err)
		}
		obj, err := object.Open(os.DirFS(dir), name, format.Limits{})
		if err != nil {
			panic(err)
		}
		defer obj.Close()
		for rec, err := range perun.NewReader(obj).Records() {
			fmt.Println(rec.TraceID(), rec.Value, err)
		}
		fmt.Println(obj.Type, name, obj.Sum() == sum)
	}
	// Output:
	// ,type=time,uid=f, 1.5 <nil>
	// time a3214f97edfd0e62a5f110bbdf0cb493bf692685 true
}

// An object can also be written anywhere. Data that is not an object, or cut off, is an error.
func ExampleWrite() {
	var stored bytes.Buffer
	sum, err := object.Write(&stored, "time", strings.NewReader(`{"header":{"type":"time"}}`))
	if err != nil {
		panic(err)
	}
	cut := bytes.NewReader(stored.Bytes()[:stored.Len()-4])
	r, err := object.NewReader(cut, sum, format.Limits{})
	if err == nil {
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
	}
	fmt.Println(errors.Is(err, object.ErrInvalid))
	// Output: true
}
