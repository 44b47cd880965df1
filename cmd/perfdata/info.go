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

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/message"
)

func (t *tool) infoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Print what the files hold, in short",
		Long: `Print, for each file, its format, its header, the number of its measurements,
their params with the most frequent values, the range of the values, by their
unit if they have one, and how many errors and warnings validation finds. These
are counted only: "perfdata validate" prints them. - is standard input.`,
		Example: "  perfdata info run.json.gz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			t.prints = true
			first := true
			_, err := t.eachInput(files, func(in *input) {
				if !first {
					fmt.Fprintln(t.stdout)
				}
				first = false
				t.info(in)
			})
			return err
		},
	}
	t.addReadingFlags(cmd)
	return cmd
}

func (t *tool) info(in *input) {
	fmt.Fprintf(t.stdout, "%s %s\n", t.title("File:"), in.name)
	about := fmt.Sprintf("%s (%s)", in.info.Name, in.info.Title)
	if len(in.compression) > 0 {
		about += ", compressed with " + strings.Join(in.compression, ", ")
	}
	fmt.Fprintf(t.stdout, "%s %s\n", t.title("Format:"), about)
	t.infoRecords(in)
	src, err := in.reader()
	if err != nil {
		t.report(err)
		return
	}
	errs, warnings := 0, 0
	for e := range in.info.Validate(src, in.name, format.Limits{}) {
		if e.Warning {
			warnings++
		} else {
			errs++
			t.status = max(t.status, statusInvalid)
		}
	}
	fmt.Fprintf(t.stdout, "%s %d\n%s %d\n", t.title("Errors:"), errs, t.title("Warnings:"), warnings)
}

func (t *tool) title(s string) string { return styled(t.colorOut, bold, s) }

// infoRecords prints what the header and the measurements tell.
func (t *tool) infoRecords(in *input) {
	r, err := in.open()
	if err != nil {
		t.report(err)
		return
	}
	defer r.Close()
	header, err := r.FileHeader()
	if err != nil {
		t.report(err)
		return
	}
	// It is one of the Header types, which all marshal.
	object, _ := json.Marshal(header)
	var pretty bytes.Buffer
	json.Indent(&pretty, object, "  ", "  ")
	fmt.Fprintf(t.stdout, "%s\n  %s\n", t.title("Header:"), pretty.Bytes())

	params := paramCounts{}
	ranges := make(map[string]*valueRange)
	n := 0
	for rec, err := range r.Records() {
		if err != nil {
			if e, ok := err.(*format.Error); !ok || !e.Recoverable {
				t.report(err)
			}
			continue // Validate counts it
		}
		n++
		params.add(rec)
		unit, ok := rec.Params.Get("unit")
		if !ok {
			unit, _ = rec.Params.Get("units")
		}
		if ranges[unit] == nil {
			if len(ranges) >= maxDistinct {
				unit = "other units"
			}
			if ranges[unit] == nil {
				ranges[unit] = &valueRange{min: math.Inf(1), max: math.Inf(-1)}
			}
		}
		ranges[unit].add(rec.Value)
	}
	fmt.Fprintf(t.stdout, "%s %d\n%s\n", t.title("Measurements:"), n, t.title("Params:"))
	for _, key := range slices.Sorted(maps.Keys(params)) {
		fmt.Fprintf(t.stdout, "  %s: %s\n", key, params[key])
	}
	fmt.Fprintln(t.stdout, t.title("Values:"))
	for _, unit := range slices.Sorted(maps.Keys(ranges)) {
		fmt.Fprintf(t.stdout, "  %s: %s\n", cmp.Or(unit, "no unit"), ranges[unit])
	}
}

const (
	maxDistinct = 10_000 // values of a param, and units, that are counted
	maxListed   = 5      // values of a param that are printed
)

// paramCounts are the values that each param has.
type paramCounts map[string]*valueCounts

func (c paramCounts) add(rec *format.Record) {
	for _, p := range rec.Params {
		v := c[p.Key]
		if v == nil {
			if len(c) >= maxDistinct {
				continue
			}
			v = &valueCounts{counts: make(map[string]int)}
			c[p.Key] = v
		}
		v.add(p.Value)
	}
}

// valueCounts counts how often a param has each value.
type valueCounts struct {
	counts map[string]int
	others int // of values that came when there were too many
}

func (v *valueCounts) add(value string) {
	if _, ok := v.counts[value]; !ok && len(v.counts) >= maxDistinct {
		v.others++
		return
	}
	v.counts[value]++
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
		if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == ',' || r == 0x7f }) || len(value) > 100 {
			value = message.Quote(value)
		}
		fmt.Fprintf(&b, "%s (%d)", value, v.counts[values[i]])
	}
	switch more := len(values) - maxListed; {
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

// String returns "7, from 1.2 to 30".
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
