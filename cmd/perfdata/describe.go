package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/visible"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// describe prints the contents of a file: the header members that matter to people, and the
// measurements. The specification of the Skia Perf format shows this description.
func (t *tool) describe(header format.Header, records iter.Seq2[*format.Record, error]) {
	switch h := header.Native.(type) {
	case skiav1.Header:
		t.describeHash(header.Commit)
		t.describeMeasurements(records)
		t.describePairs("Links", header.Links)
	case nanolegacy.Header:
		t.describeHash(header.Commit)
		t.describeMeasurements(records)
		t.describePairs("Options", h.Options)
	case benchfmt.Header:
		t.describePairs("Configuration", header.Params)
		t.describeMeasurements(records)
	case perun.Header:
		t.describeProfile(h)
		t.describeMeasurements(records)
	default: // a keyval file has no header
		t.describeMeasurements(records)
	}
}

func (t *tool) describeProfile(h perun.Header) {
	var postprocessors []string
	for _, p := range h.Postprocessors {
		postprocessors = append(postprocessors, p.Name)
	}
	pairs := traceid.Params{
		{Key: "origin", Value: h.Origin},
		{Key: "type", Value: h.Type},
		{Key: "command", Value: strings.TrimSpace(h.Cmd + " " + h.Args)},
		{Key: "workload", Value: h.Workload},
		{Key: "collector", Value: h.Collector.Name},
		{Key: "postprocessors", Value: strings.Join(postprocessors, ", ")},
	}
	t.describePairs("Profile", slices.DeleteFunc(pairs, func(p traceid.Param) bool { return p.Value == "" }))
}

func (t *tool) describeMeasurements(records iter.Seq2[*format.Record, error]) {
	fmt.Fprintln(t.stdout, styled(t.colorOut, bold, "Measurements:"))
	t.printText("  ", records)
}

func (t *tool) describePairs(title string, pairs traceid.Params) {
	fmt.Fprintln(t.stdout, styled(t.colorOut, bold, title+":"))
	for key, value := range pairs.All() {
		fmt.Fprintf(t.stdout, "  %s: %s\n", visible.String(key), visible.String(value))
	}
}

func (t *tool) describeHash(hash string) {
	fmt.Fprintf(t.stdout, "%s\n  %s\n", styled(t.colorOut, bold, "Hash:"), visible.String(hash))
}
