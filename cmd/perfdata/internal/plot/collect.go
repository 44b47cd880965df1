package plot

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	perunreport "perfdata/perun/report"
	"perfdata/report"
)

// structureSize is the field that models are functions of, unless they name another.
const structureSize = "structure-unit-size"

// People can't tell more than these apart.
const (
	maxSeries      = 9 // the other uids are drawn as one series
	maxCurves      = 27
	maxRepetitions = 20 // resources of one uid that a bar summarizes
)

// A series is everything that has one uid.
type series struct {
	report.PlotSeries
	models []*perun.Model
}

// A collector collects what a plot shows.
type collector struct {
	reader  *perun.Reader
	header  perun.Header
	options Options

	plot   report.Plot
	x, y   axis     // of the plot
	units  []string // of the amounts
	series []*series

	byUID    map[string]*series // nil: it isn't drawn
	reported map[string]bool    // several readings of the file report some errors repeatedly
	report   func(*format.Error)
}

func (c *collector) recoverable(at format.Position, message string) {
	c.reportOnce(&format.Error{Name: c.reader.Name, Position: at, Message: message, Severity: format.Recoverable})
}

func (c *collector) reportOnce(e *format.Error) {
	if text := e.Error(); !c.reported[text] {
		c.reported[text] = true
		c.report(e)
	}
}

func (c *collector) warn(message string, args ...any) {
	at := format.Position{Line: 1, Column: 1}
	message = fmt.Sprintf(message, args...)
	c.report(&format.Error{Name: c.reader.Name, Position: at, Message: message, Severity: format.Warning})
}

func (c *collector) collect() error {
	models, err := chosen(format.Tolerant(c.reader.Models(), c.reportOnce), c.options.Models)
	if err != nil {
		return err
	}

	x := c.options.X
	if x == "" {
		if x, err = c.defaultX(models); err != nil {
			return err
		}
	}
	c.plot.Bars, c.x.Name, c.x.Integers = x == UID, x, true
	if x == Index {
		c.x.Name = "resource #"
	}
	c.x.Log = strings.Contains(c.options.Log, "x") && !c.plot.Bars
	c.y.Log = strings.Contains(c.options.Log, "y")

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
		c.warn("%s left out: not a function of %s", message.Plural(left, "model"), x)
	}

	for _, uid := range c.options.UIDs {
		if _, known := c.byUID[uid]; !known {
			return fmt.Errorf("%s: no resource or model has the uid %q", c.reader.Name, uid)
		}
	}

	c.lumpTogether()
	if err := c.curves(); err != nil {
		return err
	}
	c.series = slices.DeleteFunc(c.series, func(s *series) bool { return len(s.Points)+len(s.Curves) == 0 })
	if len(c.series) == 0 {
		return fmt.Errorf("%s: there is nothing to draw: no resource has numbers as amount and %s, "+
			"and no model has a curve", c.reader.Name, x)
	}
	c.hint()
	return nil
}

// Titles returns what stands above the picture of a profile: the profiled command, which may be
// empty, and where the profile comes from.
func Titles(h perun.Header, file string) (title, subtitle string) {
	const shortCommit = 12
	parts := []string{h.Collector.Name, h.Origin[:min(len(h.Origin), shortCommit)], filepath.Base(file)}
	for i, name := range []string{"collector ", "commit ", ""} {
		if parts[i] != "" {
			parts[i] = name + parts[i]
		}
	}
	if strings.HasPrefix(parts[2], "<") { // standard input
		parts[2] = ""
	}
	join := func(separator string, texts ...string) string {
		return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
	}
	return join(" ", h.Cmd, h.Args, h.Workload), join(" · ", parts...)
}

// chosen returns the models that the option Models chooses.
func chosen(all iter.Seq2[*perun.Model, error], option string) (models []*perun.Model, err error) {
	switch option {
	case NoModels:
		return nil, nil
	case AllModels, "":
		for m, err := range all {
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
		return models, nil
	}
	return perunreport.FilterModels(all, option)
}

// keyOf returns the field that the model is a function of.
func (c *collector) keyOf(m *perun.Model) string {
	key := m.Fields.FlatText("per_key")
	for _, p := range slices.Backward(c.header.Postprocessors) {
		key = cmp.Or(key, p.Params.Fields().FlatText("per_key"))
	}
	return cmp.Or(key, structureSize)
}

// defaultX returns the field of the x axis for options without one: see Options.X.
func (c *collector) defaultX(models []*perun.Model) (string, error) {
	field := structureSize
	for i, m := range models {
		key := c.keyOf(m)
		if i > 0 && key != field {
			c.warn("models are of %s and %s; the picture shows the first", field, key)
			break
		}
		field = key
	}
	last, most := 0, 0
	resources := map[string]int{}
	for res, err := range format.Tolerant(c.reader.Resources(), c.reportOnce) {
		if err != nil {
			return "", err
		}
		if _, ok := numberAt(res, field, true); ok {
			return field, nil
		}

		last = max(last, res.Snapshot)
		if uid := res.Fields.FlatText("uid"); c.draws(uid) {
			resources[uid]++
			most = max(most, resources[uid])
		}
	}

	switch {
	case len(resources) == 0:
		return field, nil
	case last > 0:
		return Snapshot, nil
	case len(resources) <= maxSeries && (most <= 1 || most <= maxRepetitions && c.header.Type == "time"):
		return UID, nil
	}
	return Index, nil
}

// numberAt returns the number that the path leads to, or that a string there has, such as the time of
// a snapshot, if strings are allowed.
func numberAt(res *perun.Resource, path string, strings bool) (float64, bool) {
	for v := range res.Fields.Values(path) {
		f, ok := v.Float()
		if text, is := v.Text(); is && strings {
			parsed, err := strconv.ParseFloat(text, 64)
			f, ok = parsed, err == nil
		}
		if ok && math.Abs(f) <= maxCoordinate {
			return f, true
		}
	}
	return 0, false
}

// points reads the resources.
func (c *collector) points(x string) error {
	index, noX, noLog := -1, 0, 0
	for res, err := range format.Tolerant(c.reader.Resources(), c.reportOnce) {
		if err != nil {
			return err
		}
		index++
		s := c.seriesOf(res.Fields.FlatText("uid"))
		if s == nil {
			continue
		}

		at, ok := numberAt(res, x, true)
		switch {
		case x == Index:
			at, ok = float64(index), true
		case x == UID: // bars are placed later
			at, ok = 0, true
		case x == Snapshot && !ok:
			at, ok = float64(res.Snapshot), true
		}
		if !ok {
			noX++
			continue
		}
		amount, ok := numberAt(res, "amount", false)
		if !ok {
			c.recoverable(res.Position, "the resource has no number as its amount, or one that is too large to draw")
			continue
		}
		if !c.x.shows(at) || !c.y.shows(amount) {
			noLog++
			continue
		}

		c.x.Integers = c.x.Integers && at == math.Trunc(at)
		s.Points = append(s.Points, report.PlotPoint{at, amount})
		unit := c.header.Unit(cmp.Or(res.Fields.FlatText("type"), c.header.Type), res.Fields.FlatText("subtype"))
		if unit != "" && !slices.Contains(c.units, unit) {
			c.units = append(c.units, unit)
		}
	}

	if noX > 0 {
		c.warn("%s without a number as %s left out", message.Plural(noX, "resource"), x)
	}
	if noLog > 0 {
		c.warn("%s left out: a logarithmic axis shows positive numbers only", message.Plural(noLog, "resource"))
	}
	return nil
}

// draws reports whether the options choose the uid.
func (c *collector) draws(uid string) bool {
	return len(c.options.UIDs) == 0 || slices.Contains(c.options.UIDs, uid)
}

// seriesOf returns the series of the uid, or nil if the options leave it out.
func (c *collector) seriesOf(uid string) *series {
	s, ok := c.byUID[uid]
	if !ok && c.draws(uid) {
		s = &series{PlotSeries: report.PlotSeries{Name: cmp.Or(uid, "(no uid)")}}
		c.series = append(c.series, s)
	}
	c.byUID[uid] = s
	return s
}

// lumpTogether joins the series with the fewest points to one, if there are too many series.
func (c *collector) lumpTogether() {
	if len(c.series) <= maxSeries {
		return
	}
	// Of uids with as many points, those that the file has first are drawn.
	bySize := slices.SortedStableFunc(slices.Values(c.series), func(a, b *series) int {
		return cmp.Compare(len(b.Points), len(a.Points))
	})
	few := bySize[maxSeries:]
	others := &series{PlotSeries: report.PlotSeries{Name: message.Plural(len(few), "other"), Others: true}}
	models := 0
	for _, s := range few {
		others.Points = append(others.Points, s.Points...)
		models += len(s.models)
	}

	all := slices.DeleteFunc(c.series, func(s *series) bool { return slices.Contains(few, s) })
	c.series = append(all, others)
	if models > 0 {
		c.warn("drawn together, without their %s: %s; choose uids to see more",
			message.Plural(models, "model"), message.Plural(len(few), "uid"))
	}
}

// hint names the axes that should be logarithmic: those on which most values are so near zero that a
// linear axis doesn't tell them apart.
func (c *collector) hint() {
	var all []report.PlotPoint
	for _, s := range c.series {
		all = append(all, s.Points...)
	}
	axes := ""
	for i, a := range []axis{c.x, c.y} {
		values := sorted(all, i)
		if a.Log || i == 0 && c.plot.Bars || len(values) == 0 || values[0] < 0 {
			continue
		}
		first, _ := slices.BinarySearch(values, 1/maxCoordinate)
		values = values[first:]
		n := len(values)
		if n >= 3 && values[n-1] >= 50*values[0] && values[n-1] >= 8*values[n/2] {
			axes += "xy"[i : i+1]
		}
	}
	if axes != "" {
		c.warn("most values are near one end of an axis: --log %s spreads them", axes)
	}
}

// sorted returns a coordinate of the points, sorted.
func sorted(points []report.PlotPoint, coordinate int) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p[coordinate]
	}
	slices.Sort(values)
	return values
}
