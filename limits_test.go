package perfdata_test

import (
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

// A negative limit means the default, in every format.
func TestNegativeLimits(t *testing.T) {
	ways := map[string]func(in io.Reader, limits format.Limits) []string{}
	inputs := map[string]string{}
	add := func(name, file string, read func(in io.Reader, limits format.Limits) []string) {
		ways[name], inputs[name] = read, formattest.ReadFile(t, file)
	}
	files := map[string]string{
		"skiav1":     "example.json",
		"nanolegacy": "samples.json",
		"benchfmt":   "interleaved.json",
		"keyval":     "iterations.keyval",
		"perun":      "time_snapshots.perf",
	}
	for _, info := range perfdata.Formats() {
		file := filepath.Join("testdata", info.Name, files[info.Name])
		add(info.Name+" Records", file, func(in io.Reader, limits format.Limits) []string {
			return formattest.All(info.NewReader(in, "in", limits))
		})
		add(info.Name+" Validate", file, func(in io.Reader, limits format.Limits) []string {
			return append(formattest.Faults(info.Validate(in, "in", limits)), "the end")
		})
	}
	add("perun Records of stored objects", "testdata/perun/time.object",
		func(in io.Reader, limits format.Limits) []string {
			profile, _, err := perfdata.Decompress(in, "in", limits)
			if err != nil {
				return []string{err.Error()}
			}
			return formattest.All(perun.Info().NewReader(profile, "in", limits))
		})
	for name, file := range map[string]string{
		"today's layout":     "sort.perf",
		"models":             "models.perf",
		"the type map first": "time_today.perf",
	} {
		add("perun Models of "+name, "testdata/perun/"+file, func(in io.Reader, limits format.Limits) []string {
			r := perun.NewReader(in)
			r.Limits = limits
			return count(r.Models())
		})
		add("perun Snapshots of "+name, "testdata/perun/"+file, func(in io.Reader, limits format.Limits) []string {
			r := perun.NewReader(in)
			r.Limits = limits
			return count(r.Snapshots())
		})
	}
	add("nanolegacy Samples", "testdata/nanolegacy/samples.json", func(in io.Reader, limits format.Limits) []string {
		r := nanolegacy.NewReader(in)
		r.Limits = limits
		return count(r.Samples())
	})
	add("keyval ReadPlain", "testdata/keyval/job/keyval", func(in io.Reader, limits format.Limits) []string {
		params, faults := keyval.ReadPlain(in, "in", limits)
		return append([]string{params.ID()}, make([]string, len(faults))...)
	})
	add("keyval Job", "testdata/keyval/job/keyval", func(_ io.Reader, limits format.Limits) []string {
		j := keyval.NewJob(os.DirFS("testdata/keyval"), "job")
		j.Limits = limits
		return formattest.All(j)
	})
	add("Decompress", "testdata/skiav1/example.json", func(in io.Reader, limits format.Limits) []string {
		text, _ := io.ReadAll(in)
		src, _, err := perfdata.Decompress(strings.NewReader(string(pack(t, text, "gzip", "zstd"))), "in", limits)
		if err != nil {
			t.Fatal(err)
		}
		text, err = io.ReadAll(src)
		if err != nil {
			t.Error(err)
		}
		return []string{string(text)}
	})

	var limits []format.Limits
	var all format.Limits
	for i := range reflect.TypeFor[format.Limits]().NumField() {
		var one format.Limits
		reflect.ValueOf(&one).Elem().Field(i).SetInt(-1)
		reflect.ValueOf(&all).Elem().Field(i).SetInt(-1 << 31)
		limits = append(limits, one)
	}
	limits = append(limits, all)
	for name, read := range ways {
		t.Run(name, func(t *testing.T) {
			want := read(strings.NewReader(inputs[name]), format.Limits{})
			if len(want) == 0 || strings.Contains(want[0], "Limits.") {
				t.Fatalf("nothing was read: %q", want)
			}
			for _, l := range limits {
				for way, source := range formattest.Sources {
					if diff := cmp.Diff(want, read(source(inputs[name]), l)); diff != "" {
						t.Errorf("%s, %+v (-default +negative):\n%s", way, l, diff)
					}
				}
			}
		})
	}
}

// count shows how many values and errors there are.
func count[T any](values iter.Seq2[T, error]) []string {
	shown := []string{"the beginning"}
	for _, err := range values {
		if err != nil {
			shown = append(shown, err.Error())
		} else {
			shown = append(shown, "a value")
		}
	}
	return shown
}
