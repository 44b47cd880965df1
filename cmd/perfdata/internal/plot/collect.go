package plot

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/perun/report"
)

// structureSize is the field that models are functions of, unless they name another.
const structureSize = "structure-unit-size"

// People can't tell more than these apart.
const (
	maxSeries = 9 // the other uids are drawn as one series
	maxCurves = 27
)

// maxRepetitions is the number of resources of one uid up to which a bar can summarize them.
const maxRepetitions = 20

// maxCoordinate bounds the values that are drawn. Sums and differences of such values are finite.
const (
	maxPower      = 100
	maxCoordinate = 1e100
)

// A collector fills a Chart.
type collector struct {
	reader   *perun.Reader
	header   perun.Header
	options  Options
	chart    *Chart
	byUID    map[string]*series // nil: it isn't drawn
	reported map[string]bool    // several readings of the file report some errors repeatedly
	report   func(*format.Error)
}

func (c *collector) recoverable(e *format.Error) {
	if text := e.Error(); !c.reported[text] {
		c.reported[text] = true
		c.report(e)
	}
}

func (c *collector) warn(message string, args ...any) {
	c.report(&format.Error{
		Name:     c.reader.Name,
		Position: format.Position{Line: 1, Column: 1},
		Message:  fmt.Sprintf(message, args...),
		Severity: format.Warning,
	})
}

func (c *collector) collect() error {
	models, err := c.models()
	if err != nil {
		return err
	}
	x := c.options.X
	if x == "" {
		if x, err = c.defaultX(c.fieldOf(models)); err != nil {
			return err
		}
	}
	c.setAxes(x)

	if err := c.points(x); err != nil {
		return err
	}
	c.assign(models, x)
	for _, uid := range c.options.UIDs {
		if _, known := c.byUID[uid]; !known {
			return fmt.Errorf("%s: no resource or model has the uid %q", c.reader.Name, uid)
		}
	}

	c.lumpTogether()
	if err := c.curves(); err != nil {
		return err
	}
	c.chart.series = slices.DeleteFunc(c.chart.series, func(s *series) bool { return len(s.points)+len(s.curves) == 0 })
	if len(c.chart.series) == 0 {
		return fmt.Errorf("%s: there is nothing to draw: no resource has numbers as amount and %s, "+
			"and no model has a curve", c.reader.Name, x)
	}
	c.layOut()
	return nil
}

// setAxes names the picture and its axes.
func (c *collector) setAxes(x string) {
	chart := c.chart
	chart.title, chart.subtitle = Titles(c.header, c.reader.Name)
	chart.title = cmp.Or(c.options.Title, chart.title)

	// Part of the picture is for names and the legend. The rest has room for a number of ticks.
	w, height := chart.size()
	chart.x = axis{name: x, integers: true, log: strings.Contains(c.options.Log, "x"), most: float64(w) * .6 / 60}
	chart.y = axis{name: "amount", log: strings.Contains(c.options.Log, "y"), most: float64(height) * .7 / 30}
	for _, a := range []*axis{&chart.x, &chart.y} {
		a.most = min(max(a.most, minTicks), maxTicks)
	}
	chart.bars = x == UID
	chart.x.log = chart.x.log && !chart.bars
	if x == Index {
		chart.x.name = "resource #"
	}
}

// Titles returns what stands above the picture of a profile: the profiled command, which may be
// empty, and where the profile comes from.
func Titles(h perun.Header, file string) (title, subtitle string) {
	texts := func(texts ...string) []string {
		return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	}
	from := []string{}
	if name := h.Collector.Name; name != "" {
		from = append(from, "collector "+name)
	}
	if h.Origin != "" {
		const shortCommit = 12
		from = append(from, "commit "+h.Origin[:min(len(h.Origin), shortCommit)])
	}
	if file = filepath.Base(file); !strings.HasPrefix(file, "<") { // standard input
		from = append(from, file)
	}
	return strings.Join(texts(h.Cmd, h.Args, h.Workload), " "), strings.Join(from, " · ")
}

// models returns the models that the options choose.
func (c *collector) models() (models []*perun.Model, err error) {
	all := format.Tolerant(c.reader.Models(), c.recoverable)
	switch c.options.Models {
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
	return report.FilterModels(all, c.options.Models)
}

// fieldOf returns the field that the first model is a function of, with a warning if others are
// functions of another one.
func (c *collector) fieldOf(models []*perun.Model) string {
	field := structureSize
	for i, m := range models {
		key := c.keyOf(m)
		if i == 0 {
			field = key
		} else if key != field {
			c.warn("models are of %s and %s; the picture shows the first", field, key)
			break
		}
	}
	return field
}

// keyOf returns the field that the model is a function of.
func (c *collector) keyOf(m *perun.Model) string {
	key := m.Fields.FlatText("per_key")
	for _, p := range slices.Backward(c.header.Postprocessors) {
		key = cmp.Or(key, p.Params.Fields().FlatText("per_key"))
	}
	return cmp.Or(key, structureSize)
}

// assign gives the models to their series.
func (c *collector) assign(models []*perun.Model, x string) {
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
}

// defaultX returns the field of the x axis for options without one: see Options.X.
func (c *collector) defaultX(field string) (string, error) {
	last, most := 0, 0
	resources := map[string]int{}
	for res, err := range format.Tolerant(c.reader.Resources(), c.recoverable) {
		if err != nil {
			return "", err
		}
		if _, ok := numberAt(res, field, true); ok {
			return field, nil
		}
		last = max(last, res.Snapshot)

		uid := res.Fields.FlatText("uid")
		if c.draws(uid) {
			resources[uid]++
			most = max(most, resources[uid])
		}
	}

	repeated := 1
	if c.header.Type == "time" {
		repeated = maxRepetitions
	}
	switch {
	case len(resources) == 0:
		return field, nil
	case last > 0:
		return Snapshot, nil
	case len(resources) <= maxSeries && most <= repeated:
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

// xOf returns where the resource is on the x axis. Bars are placed later.
func xOf(res *perun.Resource, x string, index int) (float64, bool) {
	switch x {
	case Index:
		return float64(index), true
	case UID:
		return 0, true
	}
	f, ok := numberAt(res, x, true)
	if !ok && x == Snapshot {
		return float64(res.Snapshot), true
	}
	return f, ok
}

// points reads the resources.
func (c *collector) points(x string) error {
	var units []string
	chart := c.chart
	index, noX, noLog := -1, 0, 0
	for res, err := range format.Tolerant(c.reader.Resources(), c.recoverable) {
		if err != nil {
			return err
		}
		index++
		s := c.seriesOf(res.Fields.FlatText("uid"))
		if s == nil {
			continue
		}

		// Find the point, unless something is missing.
		var p point
		var ok bool
		if p.X, ok = xOf(res, x, index); !ok {
			noX++
			continue
		}
		if p.Y, ok = numberAt(res, "amount", false); !ok {
			c.recoverable(&format.Error{
				Name: c.reader.Name, Position: res.Position, Severity: format.Recoverable,
				Message: "the resource has no number as its amount, or one that is too large to draw",
			})
			continue
		}

		if chart.x.log && p.X < smallest || chart.y.log && p.Y < smallest {
			noLog++
			continue
		}
		chart.x.integers = chart.x.integers && p.X == math.Trunc(p.X)
		s.points = append(s.points, p)

		unit := c.header.Unit(cmp.Or(res.Fields.FlatText("type"), c.header.Type), res.Fields.FlatText("subtype"))
		if unit != "" && !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}

	chart.y.unit = strings.Join(units, ", ")
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
		s = &series{name: cmp.Or(uid, "(no uid)")}
		c.chart.series = append(c.chart.series, s)
	}
	c.byUID[uid] = s
	return s
}

// lumpTogether joins the series with the fewest points to one, if there are too many series.
func (c *collector) lumpTogether() {
	all := c.chart.series
	if len(all) <= maxSeries {
		return
	}
	bySize := slices.SortedStableFunc(slices.Values(all), func(a, b *series) int {
		return cmp.Compare(len(b.points), len(a.points))
	})
	few := bySize[maxSeries:]
	others := &series{name: message.Plural(len(few), "other"), others: true}
	models := 0
	for _, s := range few {
		others.points = append(others.points, s.points...)
		models += len(s.models)
	}

	all = slices.DeleteFunc(all, func(s *series) bool { return slices.Contains(few, s) })
	c.chart.series = append(all, others)
	if models > 0 {
		c.warn("drawn together, without their %s: %s; choose uids to see more",
			message.Plural(models, "model"), message.Plural(len(few), "uid"))
	}
}

// layOut places the bars, and says which axis could be logarithmic.
func (c *collector) layOut() {
	chart := c.chart
	if chart.bars {
		for i, s := range chart.series {
			for j := range s.points {
				s.points[j].X = float64(i)
			}
		}
		const room = 0.6
		chart.x.lo, chart.x.hi, chart.x.ticks = -room, float64(len(chart.series)-1)+room, nil
	}

	axes := ""
	if !chart.x.log && !chart.bars && chart.squeezed(func(p point) float64 { return p.X }) {
		axes = "x"
	}
	if !chart.y.log && chart.squeezed(func(p point) float64 { return p.Y }) {
		axes += "y"
	}
	if axes != "" {
		c.warn("most values are near one end of an axis: --log %s spreads them", axes)
	}
}

// squeezed reports whether most of the values are so near zero that a linear axis doesn't tell them
// apart.
func (c *Chart) squeezed(of func(point) float64) bool {
	var values []float64
	for _, s := range c.series {
		for _, p := range s.points {
			values = append(values, of(p))
		}
	}
	slices.Sort(values)
	if len(values) == 0 || values[0] < 0 {
		return false
	}
	first, _ := slices.BinarySearch(values, smallest)
	values = values[first:]
	if len(values) < 3 {
		return false
	}
	largest := values[len(values)-1]
	return largest >= 50*values[0] && largest >= 8*values[len(values)/2]
}
