package perfdata_test

import (
	"encoding/binary"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/keyval"
	"perfdata/keyval/job"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

// limitedWays returns ways to use limits, by name, and their inputs.
func limitedWays(t *testing.T) (map[string]func(in io.Reader, limits format.Limits) []string, map[string]string) {
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
		if info.Open == nil || info.NewWriter == nil && files[info.Name] == "" {
			continue // it is a folder, or only read
		}
		file := filepath.Join("testdata", info.Name, files[info.Name])
		add(info.Name+" Records", file, func(in io.Reader, limits format.Limits) []string {
			return formattest.All(info.Open(nil, in, format.Options{Name: "in", Limits: limits}))
		})
		add(info.Name+" Validate", file, func(in io.Reader, limits format.Limits) []string {
			return append(formattest.Faults(info.Validate(in, format.Options{Name: "in", Limits: limits})), "the end")
		})
	}
	add("perun Records of stored objects", "testdata/perun/time.object",
		func(in io.Reader, limits format.Limits) []string {
			profile, _, err := perfdata.Decompress(in, "in", limits)
			if err != nil {
				return []string{err.Error()}
			}
			return formattest.All(perun.Format().Open(nil, profile, format.Options{Name: "in", Limits: limits}))
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
		add("perun ResourcesBySnapshot of "+name, "testdata/perun/"+file, func(in io.Reader, limits format.Limits) []string {
			r := perun.NewReader(in)
			r.Limits = limits
			return count(r.ResourcesBySnapshot())
		})
	}
	add("nanolegacy Samples", "testdata/nanolegacy/samples.json", func(in io.Reader, limits format.Limits) []string {
		r := nanolegacy.NewReader(in)
		r.Limits = limits
		return count(r.Samples())
	})
	add("keyval ReadPlain", "testdata/keyval/job/keyval", func(in io.Reader, limits format.Limits) []string {
		params, faults := keyval.ReadPlain(in, "in", limits)
		shown := []string{params.ID()}
		for _, e := range faults {
			shown = append(shown, e.Error())
		}
		return shown
	})
	add("keyval Job", "testdata/keyval/job/keyval", func(_ io.Reader, limits format.Limits) []string {
		j := job.NewReader(os.DirFS("testdata/keyval"), "job")
		j.Limits = limits
		return formattest.All(j)
	})
	add("Decompress", "testdata/skiav1/example.json", func(in io.Reader, limits format.Limits) []string {
		text, _ := io.ReadAll(in)
		src, _, err := perfdata.Decompress(strings.NewReader(string(pack(t, text, "gzip", "zstd"))), "in", limits)
		if err != nil {
			return []string{err.Error()}
		}
		text, err = io.ReadAll(src)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{string(text)}
	})
	return ways, inputs
}

// A negative limit means the default, in every format.
func TestNegativeLimits(t *testing.T) {
	ways, inputs := limitedWays(t)
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
					if way != "stream" && l != all {
						continue
					}
					if got := read(source(inputs[name]), l); !slices.Equal(want, got) {
						t.Errorf("%s, %+v (-default +negative):\n%s", way, l, cmp.Diff(want, got))
					}
				}
			}
		})
	}
}

// The greatest value of each limit changes nothing, and the least one gives at most errors.
func TestExtremeLimits(t *testing.T) {
	ways, inputs := limitedWays(t)
	addEncoded(t, ways, inputs)
	addWritten(t, ways, inputs)
	var greatest, least format.Limits
	fields := reflect.TypeFor[format.Limits]()
	max := func(l *format.Limits, i int) {
		f := reflect.ValueOf(l).Elem().Field(i)
		f.SetInt(1<<(f.Type().Bits()-1) - 1)
	}
	for i := range fields.NumField() {
		max(&greatest, i)
		reflect.ValueOf(&least).Elem().Field(i).SetInt(1)
	}

	for name, read := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := read(strings.NewReader(inputs[name]), format.Limits{})
			for way, source := range formattest.Sources {
				if way != "stream" && quick.Test() {
					continue
				}
				check := func(limit string, l format.Limits) {
					if got := read(source(inputs[name]), l); !slices.Equal(want, got) {
						t.Errorf("%s, %s is the greatest (-default +greatest):\n%s", way, limit, cmp.Diff(want, got))
					}
				}
				check("each limit", greatest)
				for i := range fields.NumField() {
					var one format.Limits
					max(&one, i)
					if !quick.Test() {
						check(fields.Field(i).Name, one)
					}

					one = greatest
					reflect.ValueOf(&one).Elem().Field(i).SetInt(1)
					got := read(source(inputs[name]), one)
					limit := "Limits." + fields.Field(i).Name
					if !slices.Equal(want, got) && !isSilent(name, limit) && !strings.Contains(strings.Join(got, "\n"), limit) {
						t.Errorf("%s, %s is 1: %q, want %q or an error with the name of the limit", way, limit, got, want)
					}
				}
				if got := read(source(inputs[name]), least); len(got) == 0 {
					t.Errorf("%s, each limit is 1: nothing", way)
				}
			}
		})
	}
}

// isSilent reports whether a limit of 1 may change a result without naming the limit.
func isSilent(way, limit string) bool {
	switch limit {
	case "Limits.MaxUniqueTraces":
		return strings.Contains(way, " to ") // what more traces repeat is not looked for
	case "Limits.MaxDecompressedBytes":
		return strings.Contains(way, "stored objects") // one byte of them is not detected
	}
	return false
}

// addEncoded adds the ways to read compressed inputs, and inputs in UTF-16, of each format.
func addEncoded(
	t *testing.T, ways map[string]func(in io.Reader, limits format.Limits) []string, inputs map[string]string,
) {
	for _, info := range perfdata.Formats() {
		if inputs[info.Name+" Records"] == "" {
			continue
		}
		for _, encoding := range []string{"gzip", "zlib", "zstd", "UTF-16"} {
			name := info.Name + " in " + encoding
			text := inputs[info.Name+" Records"]
			if encoding == "UTF-16" {
				inputs[name] = inUTF16(text, binary.LittleEndian)
			} else {
				inputs[name] = string(pack(t, []byte(text), encoding))
			}
			ways[name] = func(in io.Reader, limits format.Limits) []string {
				f, err := perfdata.Opener{Options: format.Options{Limits: limits}}.NewReader(in, "in")
				if err != nil {
					return []string{err.Error()}
				}
				return formattest.All(f)
			}
		}
	}
}

// addWritten adds the ways to convert an input to each target.
func addWritten(
	t *testing.T, ways map[string]func(in io.Reader, limits format.Limits) []string, inputs map[string]string,
) {
	targets := []format.Format{keyval.TAP()}
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue
		}
		targets = append(targets, info)
	}
	for _, info := range perfdata.Formats() {
		if inputs[info.Name+" Records"] == "" {
			continue
		}
		for _, target := range targets {
			name := info.Name + " to " + target.Name
			inputs[name] = inputs[info.Name+" Records"]
			ways[name] = func(in io.Reader, limits format.Limits) []string {
				return convertWithin(info, in, target, limits)
			}
		}
	}
}

// convertWithin returns the records of an input in another format, or the errors of writing it.
func convertWithin(info format.Format, in io.Reader, target format.Format, limits format.Limits) []string {
	survey := convert.NewSurvey(target)
	survey.Limits = limits
	var out strings.Builder
	var records []*format.Record
	r := info.Open(nil, in, format.Options{Name: "in"})
	defer r.Close()
	header, err := r.FileHeader()
	if err != nil {
		return []string{err.Error()}
	}
	if header.Commit == "" {
		header.Commit = "abc"
	}
	survey.AddHeader(header)
	for rec, err := range r.Records() {
		if err == nil {
			records = append(records, rec.Clone())
			survey.Add(rec)
		}
	}

	w, err := survey.NewWriter(&out)
	if err != nil {
		return []string{err.Error()}
	}
	shown := []string{"the beginning"}
	for _, rec := range records {
		if err := w.Write(rec); err != nil {
			shown = append(shown, err.Error())
		}
	}
	if err := w.Close(); err != nil {
		shown = append(shown, err.Error())
	}
	for _, loss := range w.Losses() {
		shown = append(shown, loss.String())
	}
	return append(shown, out.String())
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
