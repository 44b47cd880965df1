package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/columns"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/traceid"
)

// Bounds of what a summary keeps of a file, so that no file makes info take more than about 50 MB.
// The rank of the median of 10,000 random values typically differs from the middle by half a
// percent, and the values of all samples take 8 MB. The output shows where a bound was reached.
const (
	maxDistinct = 10_000    // keys, values of a param, and groups
	maxText     = 200       // bytes of each text: longer texts that begin with the same bytes are one
	maxKept     = 16 << 20  // bytes of all texts together
	entrySize   = 100       // rough size of a text's map entry; what belongs to an entry is added
	maxSample   = 10_000    // values of a group that are kept for its median
	maxSampled  = 1_000_000 // values of all groups that are kept
	minSample   = 16        // values of a group that are kept in any case
)

// A summary has the params of a file's measurements, and statistics of their values.
type summary struct {
	params  map[string]*paramInfo
	others  int // occurrences of params with keys beyond the bounds
	groups  map[traceid.Param]*valueInfo
	commits commitsInfo
	room    int // remaining bytes

	sampled int // values that all groups keep
	random  *rand.Rand
}

// newSummary returns a summary of no measurements.
func newSummary() *summary {
	return &summary{
		params:  make(map[string]*paramInfo),
		groups:  make(map[traceid.Param]*valueInfo),
		commits: commitsInfo{known: make(map[string]bool)},
		room:    maxKept,
		random:  rand.New(rand.NewPCG(1, 2)), // the same file has the same summary
	}
}

// add adds a measurement. The summary keeps none of its memory.
func (s *summary) add(rec *format.Record) {
	// Texts are cut before they are looked up, so that long texts with one beginning share an entry.
	for _, p := range rec.Params {
		key, value := cutText(p.Key), cutText(p.Value)
		info := s.params[key]
		if info == nil {
			// The size includes the paramInfo of the key, and its map of values.
			if !s.keep(len(s.params), &key, 3*entrySize) {
				s.others++
				continue
			}
			info = &paramInfo{Key: key, counts: make(map[string]int)}
			s.params[key] = info
		}
		if _, ok := info.counts[value]; !ok && !s.keep(len(info.counts), &value, entrySize) {
			info.Others++
			continue
		}
		info.counts[value]++
	}
	s.addCommit(rec)

	// The unit, or its substitute in formats without units, decides which values can be compared.
	// The substitutes are sub_result in nanolegacy files and key in keyval files.
	var name traceid.Param
	for _, key := range []string{"unit", "units", "sub_result", "key"} {
		if value, ok := rec.Params.Get(key); ok {
			name = traceid.Param{Key: key, Value: cutText(value)}
			break
		}
	}
	// A group beyond the bounds is counted with the others. The group of the others may itself be
	// the first that does not fit, so it is looked up as well. The size includes the valueInfo of
	// the group, but not its sample, which has bounds of its own.
	g := s.groups[name]
	if g == nil {
		if !s.keep(len(s.groups), &name.Value, 2*entrySize) {
			name = traceid.Param{Value: "others"}
		}
		if g = s.groups[name]; g == nil {
			g = &valueInfo{Key: name.Key, Value: name.Value, min: math.Inf(1), max: math.Inf(-1)}
			s.groups[name] = g
		}
	}
	s.addValue(g, rec.Value)
}

// A commitsInfo is about the commits of a file's measurements.
type commitsInfo struct {
	Count int        `json:"count"`
	More  bool       `json:"more,omitempty"`  // there are more than Count
	Since *time.Time `json:"since,omitempty"` // when the earliest was made, in UTC, if the file says so
	Until *time.Time `json:"until,omitempty"` // the same for the latest

	known map[string]bool
	last  string // of the last measurement
}

// addCommit notes the commit of a measurement, and when it was made. Most measurements have the
// commit of the previous one, so those return at once.
func (s *summary) addCommit(rec *format.Record) {
	c := &s.commits
	if rec.Commit == "" || rec.Commit == c.last {
		return
	}
	name := cutText(rec.Commit)
	if !c.known[name] {
		if !s.keep(len(c.known), &name, entrySize) {
			c.More = true
			return
		}
		c.known[name] = true
		c.Count++
	}
	c.last = strings.Clone(rec.Commit)

	text, ok := rec.Attrs.Get("commit-time")
	if !ok {
		text, _ = rec.Params.Get("commit-time")
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return // the formats do not check times that are only attrs for them
	}
	// The day of a time depends on its zone, so all days are in UTC.
	at = at.UTC()
	if c.Since == nil || at.Before(*c.Since) {
		c.Since = &at
	}
	if c.Until == nil || at.After(*c.Until) {
		c.Until = &at
	}
}

// String returns the info as info prints it.
func (c *commitsInfo) String() string {
	text := strconv.Itoa(c.Count)
	if c.More {
		text = "more than " + text
	}
	if c.Since == nil {
		return text
	}
	// The day is precise enough for people. JSON has the time.
	since, until := c.Since.Format(time.DateOnly), c.Until.Format(time.DateOnly)
	if since == until {
		return text + ", made on " + since
	}
	return text + ", made from " + since + " to " + until
}

// keep reports whether there is room for another text in a map of n, and replaces it by a copy
// that keeps no other memory: a text of a record is a part of a large buffer.
func (s *summary) keep(n int, text *string, size int) bool {
	size += len(*text)
	if n >= maxDistinct || size > s.room {
		return false
	}
	// The room is for all maps together: many params with few values must not take more than one
	// param with many.
	s.room -= size
	*text = strings.Clone(*text)
	return true
}

// cutText returns the beginning of a long text.
func cutText(text string) string { return message.Clip(text, maxText) }

// A paramInfo has the values of a param, the most frequent one first.
type paramInfo struct {
	Key    string       `json:"key"`
	Values []valueCount `json:"values"`           // after paramInfos
	Others int          `json:"others,omitempty"` // measurements with values beyond the bounds

	counts map[string]int // how many measurements have each value
}

// A valueCount is a value of a param, and how many measurements have it.
type valueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// paramInfos returns the params in the order of their keys.
func (s *summary) paramInfos() []*paramInfo {
	infos := []*paramInfo{} // an empty list in JSON, and not null
	for _, key := range slices.Sorted(maps.Keys(s.params)) {
		info := s.params[key]
		info.Values = nil
		for value, n := range info.counts {
			info.Values = append(info.Values, valueCount{value, n})
		}
		// Values that are as frequent need an order, too: that of a map differs from run to run.
		slices.SortFunc(info.Values, func(a, b valueCount) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
		})
		infos = append(infos, info)
	}
	return infos
}

// String lists the most frequent values, such as "x86 (12), arm (3), and 4 others".
func (p *paramInfo) String() string {
	var parts []string
	for _, v := range p.Values[:min(len(p.Values), maxListed)] {
		// A value is quoted if a reader could not see where it ends.
		value := v.Value
		hidden := strings.ContainsFunc(value, func(r rune) bool { return r == ',' || chars.IsHidden(r) })
		if value == "" || len(value) > 100 || hidden {
			value = message.Quote(value)
		}
		parts = append(parts, fmt.Sprintf("%s (%d)", value, v.Count))
	}

	// Others are measurements and not values, so how many values there are is not known.
	switch more := max(0, len(p.Values)-maxListed); {
	case p.Others > 0 && len(p.Values) == 0:
		return fmt.Sprintf("%d that are not listed", p.Others)
	case p.Others > 0:
		parts = append(parts, "and more than "+message.Plural(more, "other"))
	case more > 0:
		parts = append(parts, "and "+message.Plural(more, "other"))
	}
	return strings.Join(parts, ", ")
}

// A valueInfo is the statistics of a group of comparable values. Without any value other than NaN,
// Min, Median and Max are absent.
type valueInfo struct {
	Key     string      `json:"key"` // of the param that the values share; empty if there is none
	Value   string      `json:"value"`
	N       int         `json:"n"`
	NaN     int         `json:"nan,omitempty"`
	Min     *jsonNumber `json:"min,omitempty"` // after valueInfos, like Median, Max and Sampled
	Median  *jsonNumber `json:"median,omitempty"`
	Max     *jsonNumber `json:"max,omitempty"`
	Sampled bool        `json:"sampled,omitempty"` // Median is the median of a sample

	min, max float64
	sample   []float64 // all values, or a random sample of them; without NaN
}

// A jsonNumber is a number in JSON, or one of the strings "NaN", "+Inf" and "-Inf".
type jsonNumber float64

// MarshalJSON returns the number or string.
func (f jsonNumber) MarshalJSON() ([]byte, error) {
	return columns.AppendNumber(nil, float64(f), `"`), nil
}

// addValue adds a value to a group. NaN has no place in an order, so it is only counted.
func (s *summary) addValue(g *valueInfo, f float64) {
	g.N++
	if math.IsNaN(f) {
		g.NaN++
		return
	}
	// These are exact, because they take no memory: only the median needs a sample.
	g.min, g.max = min(g.min, f), max(g.max, f)

	// This is reservoir sampling: each value has the same chance to be in the sample. A group beyond
	// the bound of all groups keeps the size that its sample has, and at least a small one: of no
	// values, there would be no median.
	seen, kept := g.N-g.NaN, len(g.sample)
	if kept == seen-1 && (kept < minSample || kept < maxSample && s.sampled < maxSampled) {
		g.sample = append(g.sample, f)
		s.sampled++
	} else if i := s.random.IntN(seen); i < kept {
		g.sample[i] = f
	}
}

// valueInfos returns the groups in the order of their names.
func (s *summary) valueInfos() []*valueInfo {
	infos := slices.AppendSeq([]*valueInfo{}, maps.Values(s.groups))
	slices.SortFunc(infos, func(a, b *valueInfo) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
	// Sorting a sample, as Median does, changes nothing for values that are added later: each
	// replaces a random value.
	for _, v := range infos {
		if seen := v.N - v.NaN; seen > 0 {
			low, middle, high := jsonNumber(v.min), jsonNumber(series.Median(v.sample)), jsonNumber(v.max)
			v.Min, v.Median, v.Max = &low, &middle, &high
			v.Sampled = len(v.sample) < seen
		}
	}
	return infos
}

// valueLines returns the lines of a table of the groups, with its titles. The number of NaN has no
// title, because most files have none.
func valueLines(infos []*valueInfo) []string {
	rows := [][]string{{"", "n", "min", "median", "max", ""}}
	for _, v := range infos {
		name := v.Key + "=" + v.Value
		if v.Key == "" {
			name = cmp.Or(v.Value, "no unit")
		}
		row := []string{chars.Visible(name), strconv.Itoa(v.N), "", "", "", ""}
		if v.Min != nil {
			row[2], row[3], row[4] = rounded(*v.Min), rounded(*v.Median), rounded(*v.Max)
		}

		// A sample is marked, and NaN has a cell without a title: both are rare.
		if v.Sampled {
			row[3] = "~" + row[3]
		}
		if v.NaN > 0 {
			row[5] = fmt.Sprintf("%d NaN", v.NaN)
		}
		rows = append(rows, row)
	}

	var text strings.Builder
	// The rows are set, because Write would cut names after 60 characters.
	table := &alignedTable{out: &text, rows: rows}
	table.measure()
	for i := range table.numeric {
		table.numeric[i] = i > 0 // including cells that are not a number: empty, or with a ~
	}
	table.Flush()
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}

// rounded returns a number with at least 4 significant digits.
func rounded(f jsonNumber) string {
	x := float64(f)
	if a := math.Abs(x); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64) // %.4g would print 12345 as 1.234e+04
	}
	return fmt.Sprintf("%.4g", x)
}
