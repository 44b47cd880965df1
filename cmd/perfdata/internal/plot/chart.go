// Package plot draws Perun profiles: resources as points or bars, models as curves.
package plot

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

// Options choose the part of a profile that is drawn, and how it is drawn.
type Options struct {
	// X is the path of the field on the x axis, such as structure-unit-size or uid:line; or
	// [Snapshot], [Index] or [UID]. If it is empty, the x axis shows the field that the models are
	// functions of, if a resource has it. Else it shows the snapshot number, if the profile has
	// several snapshots. Else it shows uids, if each uid has one resource or repetitions of a time,
	// or else the number in the file.
	X string

	// UIDs select the resources and models to draw. If it is empty, all are drawn.
	UIDs []string

	// Models is [AllModels], [NoModels] or a strategy of [report.FilterModels]. Empty means all.
	Models string

	// Log names the logarithmic axes: x, y or xy.
	Log string

	Title         string // instead of the command that was profiled
	Legend        string // [LegendRight], [LegendBottom] or [LegendNone]. Empty means right
	Width, Height int    // of the picture in pixels; zero means [DefaultWidth] and [DefaultHeight]
}

const (
	Snapshot = "snapshot" // the number of the resource's snapshot
	Index    = "index"    // the resource's number in the file, from 0
	UID      = "uid"      // a bar for each uid

	AllModels = "all"
	NoModels  = "none"

	LegendRight  = "right"
	LegendBottom = "bottom"
	LegendNone   = "none"

	DefaultWidth, DefaultHeight = 1280, 720
)

// Sizes of pictures, in pixels.
const (
	minSize = 300
	maxSize = 5000
)

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if !slices.Contains([]string{"", "x", "y", "xy"}, o.Log) {
		return fmt.Errorf("unknown logarithmic axes %q: want x, y or xy", o.Log)
	}
	if o.X == UID && strings.Contains(o.Log, "x") {
		return fmt.Errorf("an x axis with uids can't be logarithmic")
	}
	if !slices.Contains([]string{"", LegendRight, LegendBottom, LegendNone}, o.Legend) {
		return fmt.Errorf("unknown place %q of the legend: want right, bottom or none", o.Legend)
	}
	for _, size := range []int{o.Width, o.Height} {
		if size != 0 && (size < minSize || size > maxSize) {
			return fmt.Errorf("a picture of %d pixels: want %d to %d", size, minSize, maxSize)
		}
	}

	switch o.Models {
	case AllModels, NoModels, "":
		return nil
	}
	_, err := report.FilterModels(func(func(*perun.Model, error) bool) {}, o.Models)
	return err
}

// A Chart is the part of a profile that is drawn.
type Chart struct {
	options  Options
	title    string
	subtitle string // where the profile comes from
	x, y     axis
	bars     bool // each series has a bar on the x axis
	series   []*series
	kinds    []string // of models, in the order of the curves
}

// A point is a point of a plot.
type point struct{ X, Y float64 }

// A series is everything that has one uid.
type series struct {
	name   string
	others bool // it has the resources of several uids
	points []point
	models []*perun.Model
	curves []*curve
}

// New reads the profile and returns a Chart of it. It passes recoverable errors to report, and
// warnings about resources and models that a picture can't show. It is an error if there is nothing
// to draw.
func New(r *perun.Reader, o Options, report func(*format.Error)) (*Chart, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	defer r.Close()

	c := &collector{
		reader: r, header: h, options: o, chart: &Chart{options: o},
		byUID: map[string]*series{}, reported: map[string]bool{}, report: report,
	}
	if err := c.collect(); err != nil {
		return nil, err
	}
	return c.chart, nil
}
