package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
	"perfdata/traceid"
)

var machine = traceid.Of("arch", runtime.GOARCH, "os", runtime.GOOS)

// writeSkiaV1 writes the time and the ratio of each run, which is a repetition.
func writeSkiaV1(out io.Writer, commit string, all []benchmark) error {
	w := skiav1.NewWriter(out, skiav1.Header{GitHash: commit, Key: machine})
	for _, b := range all {
		for i, r := range b.runs {
			for _, m := range []struct {
				units, better string
				value         float64
			}{{"ms", "down", r.ms()}, {"ratio", "up", r.ratio}} {
				params := traceid.Merge(machine, traceid.Of("test", "gzip", "level", fmt.Sprint(b.level),
					"units", m.units, "improvement_direction", m.better))
				if err := w.Write(&format.Record{Params: params, Value: m.value, Repetition: i + 1}); err != nil {
					return err
				}
			}
		}
	}
	return w.Close()
}

// writeNanolegacy writes the shortest time of each benchmark, and the times of all runs as samples.
func writeNanolegacy(out io.Writer, commit string, all []benchmark) error {
	w := nanolegacy.NewWriter(out, nanolegacy.Header{GitHash: commit, Key: machine})
	for _, b := range all {
		var times []float64
		for _, r := range b.runs {
			times = append(times, r.ms())
		}
		params := traceid.Of("test", fmt.Sprint("gzip_", b.level), "config", "cpu", "sub_result", "min_ms")
		params = traceid.Merge(machine, params)
		if err := w.Write(&format.Record{Params: params, Value: slices.Min(times)}); err != nil {
			return err
		}
		if err := w.WriteSamples(&format.Samples{Params: params, Values: times}); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeGo writes a line for each run, as go test -bench does.
func writeGo(out io.Writer, commit string, all []benchmark) error {
	config := traceid.Of("goos", runtime.GOOS, "goarch", runtime.GOARCH, "commit", commit)
	w := benchfmt.NewWriter(out, benchfmt.Header{Config: config})
	for _, b := range all {
		for _, r := range b.runs {
			values := []benchfmt.Value{{Value: float64(r.took), Unit: "ns/op"}, {Value: r.ratio, Unit: "ratio"}}
			name := fmt.Sprint("Gzip/level=", b.level)
			if err := w.WriteResult(&benchfmt.Result{Name: name, Iterations: 1, Values: values}); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// writeKeyvals writes an iteration with the n-th run of each benchmark, for each n.
func writeKeyvals(out io.Writer, commit string, all []benchmark) error {
	w := keyval.NewWriter(out, keyval.Header{})
	for i := range all[0].runs {
		it := keyval.Iteration{Attr: traceid.Of("commit", commit)}
		for _, b := range all {
			it.Perf = append(it.Perf, keyval.Keyval{Key: fmt.Sprint("ms_gzip_", b.level), Value: b.runs[i].ms()})
		}
		if err := w.WriteIteration(&it); err != nil {
			return err
		}
	}
	return w.Close()
}

// writePerun writes a resource for each run.
func writePerun(out io.Writer, commit string, all []benchmark) error {
	w := perun.NewWriter(out, perun.Header{
		Origin: commit, Type: "time", Units: traceid.Of("time", "ms"),
		Cmd: "gzip", Workload: "testdata", Collector: perun.Tool{Name: "runner"},
	})
	for _, b := range all {
		for _, r := range b.runs {
			fields := perun.Fields{
				{Key: "amount", Value: perun.ValueOf(r.ms())},
				{Key: "uid", Value: perun.ValueOf(fmt.Sprint("gzip level ", b.level))},
				{Key: "type", Value: perun.ValueOf("time")},
			}
			if err := w.WriteResource(&perun.Resource{Fields: fields}); err != nil {
				return err
			}
		}
	}
	return w.Close()
}
