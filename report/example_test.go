package report_test

import (
	"bytes"
	"fmt"
	"strings"

	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	"perfdata/traceid"
)

func Example() {
	page := &report.Page{
		Title:     "rover",
		CommitURL: "https://github.com/acme/rover/commit/{commit}",
		Commits:   []series.Commit{{Hash: "7cd9055e"}, {Hash: "3a1f09c6", Author: "Ann", Subject: "png: decode rows in place"}},
		Series: []report.Line{{
			Params: traceid.Of("name", "BenchmarkDrive"),
			Unit:   "ns/op",
			Better: format.Lower,
			Points: []report.Point{{Commit: 0, N: 1, Value: 325}, {Commit: 1, N: 3, Value: 280, Min: 270, Max: 291}},
		}},
	}
	var out bytes.Buffer
	if err := report.Write(&out, page); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.HasPrefix(out.Bytes(), []byte("<!doctype html>")))
	// Output: true
}

func ExampleWriteFlame() {
	f := &report.Flame{
		Title: "./render scene.json",
		Unit:  "B",
		Stacks: []report.Stack{
			{Value: 4096, Frames: []report.Frame{{Name: "main"}, {Name: "read", File: "file.c", Line: 12}}},
			{Value: 1024, Frames: []report.Frame{{Name: "main"}, {Name: "draw", File: "draw.c", Line: 80}}},
		},
	}
	var out bytes.Buffer
	if err := report.WriteFlame(&out, f); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(out.String(), "<title>read\nfile.c:12\n4 KiB, 80%</title>"))
	// Output: true
}
