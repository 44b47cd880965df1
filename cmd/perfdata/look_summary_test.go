package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/traceid"
)

// Values are grouped by what makes them comparable.
func TestValueLines(t *testing.T) {
	s := newSummary()
	for _, rec := range []format.Record{
		{Params: traceid.Of("test", "a", "units", "ms"), Value: 1.23456},
		{Params: traceid.Of("test", "b", "units", "ms"), Value: 3},
		{Params: traceid.Of("test", "b", "units", "ms"), Value: math.NaN()},
		{Params: traceid.Of("key", "k", "unit", "MB"), Value: 123456.7},
		{Params: traceid.Of("config", "c", "sub_result", "min_ms"), Value: math.Inf(1)},
		{Params: traceid.Of("iteration", "1", "key", "fps"), Value: 1e300},
		{Params: traceid.Of("test", "a"), Value: math.NaN()},
	} {
		s.add(&rec)
	}
	want := []string{
		"                   n     min  median     max",
		"no unit            1                          1 NaN",
		"key=fps            1  1e+300  1e+300  1e+300",
		"sub_result=min_ms  1    +Inf    +Inf    +Inf",
		"unit=MB            1  123457  123457  123457",
		"units=ms           3   1.235   2.117       3  1 NaN",
	}
	if diff := cmp.Diff(want, valueLines(s.valueInfos())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The median is exact for as many values as are kept, and close for more.
func TestMedian(t *testing.T) {
	s := newSummary()
	unit := traceid.Of("unit", "s")
	add := func(from, to int) *valueInfo {
		for i := from; i < to; i++ {
			s.add(&format.Record{Params: unit, Value: float64(i)})
		}
		return s.valueInfos()[0]
	}
	if v := add(0, maxSample); v.Sampled || *v.Median != (maxSample-1)/2.0 {
		t.Errorf("%v, sampled: %v", *v.Median, v.Sampled)
	}
	v := add(maxSample, 100*maxSample)
	if middle := 50.0 * maxSample; !v.Sampled || math.Abs(float64(*v.Median)-middle) > middle/20 {
		t.Errorf("%v, sampled: %v", *v.Median, v.Sampled)
	}
	if line := valueLines(s.valueInfos())[1]; !cmp.Equal(line[:len("unit=s  1000000")], "unit=s  1000000") {
		t.Error(line)
	}
}

// The memory for medians is bounded, for any number of groups.
func TestSampled(t *testing.T) {
	s := newSummary()
	for i := range maxSampled/maxSample + 5 {
		for j := range maxSample {
			s.add(&format.Record{Params: traceid.Of("unit", fmt.Sprint(i)), Value: float64(j)})
		}
	}
	if s.sampled != maxSampled+5*minSample {
		t.Errorf("%d values are kept", s.sampled)
	}
}

// Params with keys beyond the bounds are counted each time that a measurement has one.
func TestOtherParams(t *testing.T) {
	var in strings.Builder
	row := func(key any) { fmt.Fprintf(&in, `{"params":{"%v":""},"value":1}`+"\n", key) }
	for i := range maxDistinct {
		row(i)
	}
	row("other")
	row("other")

	const want = "\n  and 2 occurrences of params with other keys\n"
	if stdout, stderr, _ := runTool(strings.NewReader(in.String()), "info", "-"); !strings.Contains(stdout, want) {
		t.Errorf("want %q, got %d bytes, and %s", want, len(stdout), stderr)
	}
}
