// Package plot draws Perun profiles: resources as points, models as curves.
package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

// Options say what of a profile is drawn.
type Options struct {
	// X is the path of the field on the x axis, such as structure-unit-size or uid:line; or
	// [Snapshot] or [Index]. Where it is empty, it is the field that the models are of, or else
	// the number of the snapshot if there are several, or else the resource's number.
	X string

	// UIDs select the resources and models to draw; none means all.
	UIDs []string

	// Models is [AllModels], [NoModels] or a strategy of [report.FilterModels]. Empty means all.
	Models string
}

const (
	Snapshot = "snapshot" // the number of the resource's snapshot
	Index    = "index"    // the resource's number in the file, from 0

	AllModels = "all"
	NoModels  = "none"
)

// Check returns an error if the options are none.
func (o Options) Check() error {
	switch o.Models {
	case AllModels, NoModels, "":
		return nil
	}
	_, err := report.FilterModels(func(func(*perun.Model, error) bool) {}, o.Models)
	return err
}

// structureSize is the field that models are of, unless they say another.
const structureSize = "structure-unit-size"

// What a picture can hold that people can tell apart.
const (
	maxSeries = 9 // the rest is drawn as others
	maxCurves = 27
)

// maxCoordinate bounds what is drawn: sums and differences of such are finite.
const maxCoordinate = 1e100

// A Chart is what is drawn of a profile.
type Chart struct {
	title, x, y string
	series      []*series
	dashes      []string // kinds of models, in the order in which they come
	across, up  span     // that the axes show
	integers    bool     // on the x axis
}

// A series is what has one uid.
type series struct {
	name   string
	points []report.Point
	curves []*curve
	models []*perun.Model
}

// New reads the profile and returns what to draw of it, with what was left out passed to report:
// recoverable errors, and as warnings what a picture can't show. It is an error if there is
// nothing to draw.
func New(r *perun.Reader, o Options, report func(*format.Error)) (*Chart, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &collector{
		reader: r, header: h, options: o, chart: &Chart{integers: true},
		byUID: map[string]*series{}, known: map[string]bool{}, reported: map[string]bool{}, report: report,
	}
	if err := c.collect(); err != nil {
		return nil, err
	}
	return c.chart, nil
}

// A collector fills a Chart.
type collector struct {
	reader   *perun.Reader
	header   perun.Header
	options  Options
	chart    *Chart
	byUID    map[string]*series
	known    map[string]bool // uids, those that aren't asked for, too
	reported map[string]bool // reading several times gives some errors several times
	report   func(*format.Error)
}

func (c *collector) recoverable(e *format.Error) {
	if text := e.Error(); !c.reported[text] {
		c.reported[text] = true
		c.report(e)
	}
}

func (c *collector) warn(message string, args ...any) {
	c.report(&format.Error{Name: c.reader.Name, Position: format.Position{Line: 1, Column: 1}, Message: fmt.Sprintf(message, args...), Warning: true})
}

func (c *collector) collect() error {
	models, err := c.models()
	if err != nil {
		return err
	}

	field := structureSize
	for i, m := range models {
		if key := c.keyOf(m); i == 0 {
			field = key
		} else if key != field && c.options.X == "" {
			c.warn("models are of %s and %s; the picture shows the first", field, key)
			break
		}
	}

	x := c.options.X
	if x == "" {
		if x, err = c.defaultX(field); err != nil {
			return err
		}
	}

	if err := c.points(x); err != nil {
		return err
	}
	left := 0
	for _, m := range models {
		if c.keyOf(m) != x {
			left++
		} else if s := c.seriesOf(m.UID()); s != nil {
			s.models = append(s.models, m)
		}
	}

	if left > 0 {
		c.warn("%s left out: %s isn't what they are of", count(left, "model"), x)
	}
	for _, uid := range c.options.UIDs {
		if !c.known[uid] {
			return fmt.Errorf("%s: no resource or model has the uid %q", c.reader.Name, uid)
		}
	}

	title := []string{c.header.Cmd, c.header.Args, c.header.Workload}
	c.chart.title = strings.Join(slices.DeleteFunc(title, func(s string) bool { return s == "" }), " ")
	c.chart.x = x
	if x == Index {
		c.chart.x = "number of the resource in the file"
	}

	c.lumpTogether()
	if err := c.curves(); err != nil {
		return err
	}

	for _, s := range c.chart.series {
		if len(s.points)+len(s.curves) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: there is nothing to draw: no resource with numbers as amount and %s, and no model with a curve",
		c.reader.Name, x)
}

// models returns those that are asked for.
func (c *collector) models() ([]*perun.Model, error) {
	all := format.Tolerant(c.reader.Models(), c.recoverable)
	switch c.options.Models {
	case NoModels:
		return nil, nil
	case AllModels, "":
		var models []*perun.Model
		for m, err := range all {
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
		return models, nil
	}
	return report.FilterModels(all, c.options.Models)
}

// keyOf returns the field that the model is a function of.
func (c *collector) keyOf(m *perun.Model) string {
	of := func(f perun.Fields) string {
		key, _ := f.Get("per_key")
		text, _ := key.Text()
		return text
	}
	if key := of(m.Fields); key != "" {
		return key
	}
	for _, p := range slices.Backward(c.header.Postprocessors) {
		if key := of(p.Params.Fields()); key != "" {
			return key
		}
	}
	return structureSize
}

// defaultX returns the field of the models, if a resource has it, or there are none.
func (c *collector) defaultX(field string) (string, error) {
	last, none := 0, true
	for res, err := range format.Tolerant(c.reader.Resources(), c.recoverable) {
		if err != nil {
			return "", err
		}
		if _, ok := coordinate(res, field); ok {
			return field, nil
		}
		last, none = max(last, res.Snapshot), false
	}
	switch {
	case none:
		return field, nil
	case last > 0:
		return Snapshot, nil
	}
	return Index, nil
}

// number returns the number that the path leads to.
func number(res *perun.Resource, path string) (float64, bool) {
	for v := range res.Fields.Values(path) {
		if f, ok := v.Float(); ok && math.Abs(f) <= maxCoordinate {
			return f, true
		}
	}
	return 0, false
}

// coordinate is number, or the number that a string is, as snapshots have in their time.
func coordinate(res *perun.Resource, path string) (float64, bool) {
	if f, ok := number(res, path); ok {
		return f, true
	}
	for v := range res.Fields.Values(path) {
		if s, ok := v.Text(); ok {
			if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) <= maxCoordinate {
				return f, true
			}
		}
	}
	return 0, false
}

// points reads the resources.
func (c *collector) points(x string) error {
	var units []string
	known := map[[2]string]bool{}
	index, noX, noY := -1, 0, 0
	for res, err := range format.Tolerant(c.reader.Resources(), c.recoverable) {
		if err != nil {
			return err
		}

		index++
		s := c.seriesOf(uidOf(res))
		if s == nil {
			continue
		}
		p := report.Point{X: float64(index)}
		if x != Index {
			var ok bool
			if p.X, ok = coordinate(res, x); !ok && x == Snapshot {
				p.X, ok = float64(res.Snapshot), true
			}

			if !ok {
				noX++
				continue
			}
		}
		var ok bool
		if p.Y, ok = number(res, "amount"); !ok {
			noY++
			c.recoverable(&format.Error{Name: c.reader.Name, Position: res.Position,
				Message: "the resource has no number as its amount, or one that is too large to draw", Recoverable: true})
			continue
		}

		c.chart.integers = c.chart.integers && p.X == math.Trunc(p.X)
		s.points = append(s.points, p)
		kind := [2]string{cmp.Or(textOf(res, "type"), c.header.Type), textOf(res, "subtype")}
		if !known[kind] {
			known[kind] = true
			if unit := c.header.Unit(kind[0], kind[1]); unit != "" && !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}

	if noX > 0 {
		c.warn("%s without a number as %s left out", count(noX, "resource"), x)
	}
	c.chart.y = "amount"
	if len(units) > 0 {
		c.chart.y += " (" + strings.Join(units, ", ") + ")"
	}
	return nil
}

func textOf(res *perun.Resource, key string) string {
	v, _ := res.Fields.Get(key)
	s, _ := v.Text()
	return s
}

// uidOf returns the flattened uid.
func uidOf(res *perun.Resource) string {
	uid, ok := res.Fields.Get("uid")
	if s, isText := uid.Text(); isText || !ok {
		return s
	}
	flat, err := perun.Fields{{Key: "uid", Value: uid}}.Flatten()
	if err != nil {
		return err.Error()
	}
	uid, _ = flat.Get("uid")
	return uid.String()
}

// seriesOf returns the series of the uid, or nil if it isn't asked for.
func (c *collector) seriesOf(uid string) *series {
	s, ok := c.byUID[uid]
	if !ok {
		c.known[uid] = true
		if len(c.options.UIDs) == 0 || slices.Contains(c.options.UIDs, uid) {
			s = &series{name: cmp.Or(uid, "(no uid)")}
			c.chart.series = append(c.chart.series, s)
		}
		c.byUID[uid] = s
	}
	return s
}

// lumpTogether makes one of the series with the fewest points, if there are too many.
func (c *collector) lumpTogether() {
	all := c.chart.series
	if len(all) <= maxSeries {
		return
	}
	bySize := slices.SortedStableFunc(slices.Values(all), func(a, b *series) int {
		return cmp.Compare(len(b.points), len(a.points))
	})
	others := &series{name: fmt.Sprintf("%d others", len(all)-maxSeries)}
	models := 0
	for _, s := range bySize[maxSeries:] {
		others.points = append(others.points, s.points...)
		models += len(s.models)
	}
	c.chart.series = slices.DeleteFunc(all, func(s *series) bool { return slices.Contains(bySize[maxSeries:], s) })
	c.chart.series = append(c.chart.series, others)
	if models > 0 {
		c.warn("%d uids are drawn as others, without their %s: choose uids to see more",
			len(all)-maxSeries, count(models, "model"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var errTooManyCurves = errors.New("too many models for one picture")
