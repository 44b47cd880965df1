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
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/traceid"
)

// Bounds of what a summary keeps of a file.
const (
	maxDistinct = 10_000    // keys, values of a param, and groups
	maxText     = 200       // bytes of each text: longer texts that begin with the same bytes are one
	maxKept     = 16 << 20  // bytes of all texts together
	entrySize   = 100       // rough size of a text's map entry
	maxSample   = 10_000    // values of a group that are kept for its median
	maxSampled  = 1_000_000 // values of all groups that are kept
	minSample   = 16        // values of a group that are kept in any case
)

// A summary has the params of a file's measurements, and statistics of their values.
type summary struct {
	params map[string]*valueCounts
	others int // number of params with keys beyond the bounds
	groups map[traceid.Param]*group
	made   commits
	room   int // remaining bytes

	sampled int // values that all groups keep
	random  *rand.Rand
}

func newSummary() *summary {
	return &summary{
		params: make(map[string]*valueCounts),
		groups: make(map[traceid.Param]*group),
		made:   commits{known: make(map[string]bool)},
		room:   maxKept,
		random: rand.New(rand.NewPCG(1, 2)), // the same file has the same summary
	}
}

func (s *summary) add(rec *format.Record) {
	for _, p := range rec.Params {
		key := cutText(p.Key)
		v := s.params[key]
		if v == nil {
			if !s.keep(len(s.params), &key, 3*entrySize) {
				s.others++
				continue
			}
			v = &valueCounts{counts: make(map[string]int)}
			s.params[key] = v
		}

		value := cutText(p.Value)
		if _, ok := v.counts[value]; !ok && !s.keep(len(v.counts), &value, entrySize) {
			v.others++
			continue
		}
		v.counts[value]++
	}

	s.addCommit(rec)
	name := groupOf(rec.Params)
	g := s.groups[name]
	if g == nil {
		if !s.keep(len(s.groups), &name.Value, 2*entrySize) {
			name = traceid.Param{Value: "others"}
		}
		if g = s.groups[name]; g == nil {
			g = &group{min: math.Inf(1), max: math.Inf(-1)}
			s.groups[name] = g
		}
	}
	s.addValue(g, rec.Value)
}

// The commits of a file's measurements.
type commits struct {
	known        map[string]bool
	more         bool      // there are others, beyond the bounds
	last         string    // of the last measurement
	since, until time.Time // in UTC: when they were made, if the file says so
}

// addCommit notes the commit of a measurement.
func (s *summary) addCommit(rec *format.Record) {
	c := &s.made
	if rec.Commit == "" || rec.Commit == c.last {
		return
	}
	name := cutText(rec.Commit)
	if !c.known[name] {
		if !s.keep(len(c.known), &name, entrySize) {
			c.more = true
			return
		}
		c.known[name] = true
	}
	c.last = strings.Clone(rec.Commit)

	text, ok := rec.Attrs.Get("commit-time")
	if !ok {
		text, _ = rec.Params.Get("commit-time")
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return
	}
	at = at.UTC()
	if c.since.IsZero() || at.Before(c.since) {
		c.since = at
	}
	if at.After(c.until) {
		c.until = at
	}
}

// A commitsInfo is about the commits of a file's measurements.
type commitsInfo struct {
	Count int        `json:"count"`
	More  bool       `json:"more,omitempty"`  // there are more than Count
	Since *time.Time `json:"since,omitempty"` // when the earliest was made, and the latest, if the file says so
	Until *time.Time `json:"until,omitempty"`
}

// commitsInfo returns nil if no measurement has a commit.
func (s *summary) commitsInfo() *commitsInfo {
	c := &s.made
	if len(c.known) == 0 {
		return nil
	}
	info := &commitsInfo{Count: len(c.known), More: c.more}
	if !c.since.IsZero() {
		info.Since, info.Until = &c.since, &c.until
	}
	return info
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
	since, until := c.Since.Format(time.DateOnly), c.Until.Format(time.DateOnly)
	if since == until {
		return text + ", made on " + since
	}
	return text + ", made from " + since + " to " + until
}

// groupOf returns the param whose value decides which values can be compared: the unit, or its
// substitute in formats without units.
func groupOf(params traceid.Params) traceid.Param {
	for _, key := range []string{"unit", "units", "sub_result", "key"} {
		if value, ok := params.Get(key); ok {
			return traceid.Param{Key: key, Value: cutText(value)}
		}
	}
	return traceid.Param{}
}

// keep reports whether there is room for another text in a map of n, and replaces it by a copy
// that keeps no other memory.
func (s *summary) keep(n int, text *string, size int) bool {
	size += len(*text)
	if n >= maxDistinct || size > s.room {
		return false
	}
	s.room -= size
	*text = strings.Clone(*text)
	return true
}

// cutText returns the beginning of a long text.
func cutText(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for n > maxText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// valueCounts counts how often a param has each value.
type valueCounts struct {
	counts map[string]int
	others int // number of values beyond the bounds
}

// A paramInfo has the values of a param, the most frequent one first.
type paramInfo struct {
	Key    string       `json:"key"`
	Values []valueCount `json:"values"`
	Others int          `json:"others,omitempty"` // measurements with values beyond the bounds
}

type valueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// paramInfos returns the params in the order of their keys.
func (s *summary) paramInfos() []paramInfo {
	infos := []paramInfo{}
	for _, key := range slices.Sorted(maps.Keys(s.params)) {
		v := s.params[key]
		info := paramInfo{Key: key, Others: v.others}
		for value, n := range v.counts {
			info.Values = append(info.Values, valueCount{value, n})
		}
		slices.SortFunc(info.Values, func(a, b valueCount) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
		})
		infos = append(infos, info)
	}
	return infos
}

// String lists the most frequent values, such as "x86 (12), arm (3), and 4 others".
func (p paramInfo) String() string {
	var b strings.Builder
	for i, v := range p.Values[:min(len(p.Values), maxListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		value := v.Value
		hidden := strings.ContainsFunc(value, func(r rune) bool { return r == ',' || chars.IsHidden(r) })
		if value == "" || len(value) > 100 || hidden {
			value = message.Quote(value)
		}
		fmt.Fprintf(&b, "%s (%d)", value, v.Count)
	}

	switch more := max(0, len(p.Values)-maxListed); {
	case p.Others > 0 && len(p.Values) == 0:
		fmt.Fprintf(&b, "%d that are not listed", p.Others)
	case p.Others > 0:
		fmt.Fprintf(&b, ", and more than %s", message.Plural(more, "other"))
	case more > 0:
		fmt.Fprintf(&b, ", and %s", message.Plural(more, "other"))
	}
	return b.String()
}

// A group has statistics of comparable values.
type group struct {
	n, nans  int
	min, max float64
	sample   []float64 // all values, or a random sample of them; without NaN
}

func (s *summary) addValue(g *group, f float64) {
	g.n++
	if math.IsNaN(f) {
		g.nans++
		return
	}
	g.min, g.max = min(g.min, f), max(g.max, f)

	// This is reservoir sampling: each value has the same chance to be in the sample.
	seen, kept := g.n-g.nans, len(g.sample)
	if kept == seen-1 && (kept < minSample || kept < maxSample && s.sampled < maxSampled) {
		g.sample = append(g.sample, f)
		s.sampled++
	} else if i := s.random.IntN(seen); i < kept {
		g.sample[i] = f
	}
}

// A valueInfo is the statistics of a group of values. Without any value other than NaN, Min,
// Median and Max are absent.
type valueInfo struct {
	Key     string      `json:"key"` // of the param that the values share; empty if there is none
	Value   string      `json:"value"`
	N       int         `json:"n"`
	NaN     int         `json:"nan,omitempty"`
	Min     *jsonNumber `json:"min,omitempty"`
	Median  *jsonNumber `json:"median,omitempty"`
	Max     *jsonNumber `json:"max,omitempty"`
	Sampled bool        `json:"sampled,omitempty"` // Median is that of a sample
}

// A jsonNumber is a number in JSON, or one of the strings "NaN", "+Inf" and "-Inf".
type jsonNumber float64

// MarshalJSON returns the number or string.
func (f jsonNumber) MarshalJSON() ([]byte, error) { return appendJSONValue(nil, float64(f)), nil }

// valueInfos returns the groups in the order of their names.
func (s *summary) valueInfos() []valueInfo {
	infos := []valueInfo{}
	for _, name := range slices.SortedFunc(maps.Keys(s.groups), func(a, b traceid.Param) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	}) {
		g := s.groups[name]
		info := valueInfo{Key: name.Key, Value: name.Value, N: g.n, NaN: g.nans}
		if seen := g.n - g.nans; seen > 0 {
			low, middle, high := jsonNumber(g.min), jsonNumber(series.Median(g.sample)), jsonNumber(g.max)
			info.Min, info.Median, info.Max = &low, &middle, &high
			info.Sampled = len(g.sample) < seen
		}
		infos = append(infos, info)
	}
	return infos
}

// valueLines returns the lines of a table of the groups, with its titles.
func valueLines(infos []valueInfo) []string {
	rows := [][]string{{"", "n", "min", "median", "max"}}
	for _, v := range infos {
		name := v.Key + "=" + v.Value
		if v.Key == "" {
			name = cmp.Or(v.Value, "no unit")
		}
		row := []string{chars.Visible(name), strconv.Itoa(v.N), "", "", ""}
		if v.Min != nil {
			row[2], row[3], row[4] = rounded(*v.Min), rounded(*v.Median), rounded(*v.Max)
		}
		if v.Sampled {
			row[3] = "~" + row[3]
		}
		if v.NaN > 0 {
			row = append(row, fmt.Sprintf("%d NaN", v.NaN))
		}
		rows = append(rows, row)
	}
	return align(rows)
}

// rounded returns a number with at least 4 significant digits.
func rounded(f jsonNumber) string {
	x := float64(f)
	if a := math.Abs(x); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.4g", x)
}

// align returns lines with the rows' cells in columns: the first one aligned to the left, the
// others to the right.
func align(rows [][]string) (lines []string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}

	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + space)
			} else {
				b.WriteString("  " + space + cell)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
