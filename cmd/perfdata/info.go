package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/visible"
)

func (t *tool) infoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Summarize files",
		Long: `For each file, print format, header, number of measurements, most frequent
values of each param, value range per unit, and the number of errors and
warnings (see "perfdata validate" for details). Values that begin with the same
200 bytes are counted as one. Use - for standard input.`,
		Example: "  perfdata info run.json.gz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			t.prints = true
			first := true

			var failure error
			_, err := t.eachInput(files, func(in *input) {
				if !first {
					fmt.Fprintln(t.stdout)
				}
				first = false
				failure = firstError(failure, t.info(in))
			})
			return firstError(err, failure)
		},
	}

	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// info summarizes an input. It reads the input twice: it validates first, because that finds more
// errors.
func (t *tool) info(in *input) (failure error) {
	src, err := in.reader()
	if err != nil {
		t.report(err)
		return nil
	}

	errs, warnings := 0, 0
	for e := range in.info.Validate(src, in.name, in.limits) {
		switch {
		case e.Warning:
			warnings++
			continue
		case statusOf(e) == statusFailed:
			t.report(e) // the file could not be read
		}
		errs++
		t.status = max(t.status, statusInvalid)
	}

	fmt.Fprintf(t.stdout, "%s %s\n", t.title("File:"), visible.String(in.name))
	about := fmt.Sprintf("%s (%s)", in.info.Name, in.info.Title)
	if len(in.compression) > 0 {
		about += ", compressed with " + strings.Join(in.compression, ", ")
	}
	fmt.Fprintf(t.stdout, "%s %s\n", t.title("Format:"), about)
	failure = t.infoRecords(in, errs > 0)
	fmt.Fprintf(t.stdout, "%s %d\n%s %d\n", t.title("Errors:"), errs, t.title("Warnings:"), warnings)
	return failure
}

func (t *tool) title(s string) string { return styled(t.colorOut, bold, s) }

// infoRecords prints the header and a summary of the measurements. It returns the error that ends
// the reading, unless validation found errors too.
func (t *tool) infoRecords(in *input, invalid bool) error {
	ended := func(err error) error {
		if !invalid {
			return readAgain(err)
		}
		t.report(err)
		return nil
	}
	r, err := in.open()
	if err != nil {
		return ended(err)
	}
	defer r.Close()

	header, err := r.FileHeader()
	if err != nil {
		return ended(err)
	}

	// Marshaling a Header does not fail.
	object, _ := json.Marshal(header)
	var pretty bytes.Buffer
	json.Indent(&pretty, object, "  ", "  ")
	fmt.Fprintf(t.stdout, "%s\n  %s\n", t.title("Header:"), appendShown(nil, pretty.Bytes()))

	s := newSummary()
	n, _ := in.tallyRecords(r, func(rec *format.Record) error {
		s.add(rec)
		return nil
	}, func(err error) {
		if !invalid {
			t.report(err)
		}
	})

	fmt.Fprintf(t.stdout, "%s %d\n%s\n", t.title("Measurements:"), n.records, t.title("Params:"))
	for _, key := range slices.Sorted(maps.Keys(s.params)) {
		fmt.Fprintf(t.stdout, "  %s: %s\n", visible.String(key), s.params[key])
	}
	if s.others > 0 {
		fmt.Fprintf(t.stdout, "  and params with other keys (%d)\n", s.others)
	}
	fmt.Fprintln(t.stdout, t.title("Values:"))
	for _, unit := range slices.Sorted(maps.Keys(s.ranges)) {
		fmt.Fprintf(t.stdout, "  %s: %s\n", cmp.Or(visible.String(unit), "no unit"), s.ranges[unit])
	}
	if n.failure != nil {
		return ended(n.failure)
	}
	return nil
}

// Bounds of what info keeps of a file.
const (
	maxDistinct = 10_000   // keys, values of a param, and units
	maxText     = 200      // bytes of each text: longer texts that begin with the same bytes are one
	maxKept     = 16 << 20 // bytes of all texts together
	entrySize   = 100      // rough size of a text's map entry
)

const maxListed = 5 // values of a param that are printed

// A summary has the params of a file's measurements, and the ranges of their values.
type summary struct {
	params map[string]*valueCounts
	others int                    // number of params with keys beyond the bounds
	ranges map[string]*valueRange // by unit
	room   int                    // remaining bytes
}

func newSummary() *summary {
	return &summary{params: make(map[string]*valueCounts), ranges: make(map[string]*valueRange), room: maxKept}
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

	unit, ok := rec.Params.Get("unit")
	if !ok {
		unit, _ = rec.Params.Get("units")
	}
	unit = cutText(unit)
	if s.ranges[unit] == nil {
		if !s.keep(len(s.ranges), &unit, entrySize) {
			unit = "other units"
		}
		if s.ranges[unit] == nil {
			s.ranges[unit] = &valueRange{min: math.Inf(1), max: math.Inf(-1)}
		}
	}
	s.ranges[unit].add(rec.Value)
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

// String lists the most frequent values, such as "x86 (12), arm (3), and 4 others".
func (v *valueCounts) String() string {
	values := slices.SortedFunc(maps.Keys(v.counts), func(a, b string) int {
		return cmp.Or(v.counts[b]-v.counts[a], strings.Compare(a, b))
	})

	var b strings.Builder
	for i, value := range values[:min(len(values), maxListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		hidden := strings.ContainsFunc(value, func(r rune) bool { return r == ',' || visible.IsHidden(r) })
		if value == "" || len(value) > 100 || hidden {
			value = message.Quote(value)
		}
		fmt.Fprintf(&b, "%s (%d)", value, v.counts[values[i]])
	}

	switch more := max(0, len(values)-maxListed); {
	case v.others > 0 && len(values) == 0:
		fmt.Fprintf(&b, "%d that are not listed", v.others)
	case v.others > 0:
		fmt.Fprintf(&b, ", and more than %d others", more)
	case more == 1:
		b.WriteString(", and 1 other")
	case more > 0:
		fmt.Fprintf(&b, ", and %d others", more)
	}
	return b.String()
}

// A valueRange is the range of values.
type valueRange struct {
	n, nans  int
	min, max float64
}

func (r *valueRange) add(f float64) {
	r.n++
	if math.IsNaN(f) {
		r.nans++
		return
	}
	r.min, r.max = min(r.min, f), max(r.max, f)
}

// String returns a text such as "7, from 1.2 to 30".
func (r *valueRange) String() string {
	b := fmt.Appendf(nil, "%d", r.n)
	if r.n > r.nans {
		b = appendValue(append(b, ", from "...), r.min)
		b = appendValue(append(b, " to "...), r.max)
	}
	if r.nans > 0 {
		b = fmt.Appendf(b, ", %d of them NaN", r.nans)
	}
	return string(b)
}
