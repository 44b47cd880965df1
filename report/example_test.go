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

// A page shows how the time of a sort grows with the number of elements.
func ExampleWritePlot() {
	p := &report.Plot{
		Title: "sort", Description: "time against elements", Legend: "right", Width: 800, Height: 500,
		X: report.PlotAxis{Name: "elements", Integers: true, Lo: 10, Hi: 30},
		Y: report.PlotAxis{Name: "time", Unit: "ms", Lo: 1, Hi: 9},
		Series: []report.PlotSeries{{
			Name:   "insertion sort",
			Points: []report.PlotPoint{{10, 1.1}, {20, 3.9}, {30, 9}},
			Curves: []report.PlotCurve{{
				Kind: "quadratic", Name: "quadratic (R² 0.999)",
				Parts: [][]report.PlotPoint{{{10, 1}, {15, 2.25}, {20, 4}, {25, 6.25}, {30, 9}}},
			}},
		}},
	}
	var page bytes.Buffer
	if err := report.WritePlot(&page, p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), "<h1><bdi>sort</bdi></h1>"))
	// Output: true
}
