package perfdata_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/faulty"
	"perfdata/internal/testing/formattest"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

// headerLast returns files of the formats with n measurements. The headers of JSON files are at
// their ends, so that what comes before has to be read twice.
func headerLast(n int) map[string]string {
	var v1, legacy, perunNow, perunSpec, bench, keyvals []string
	for i := range n {
		v1 = append(v1, fmt.Sprintf(
			`{"key":{"test":"draw_%d"},"measurements":{"stat":[{"value":"min","measurement":%d}]}}`, i, i))
		legacy = append(legacy, fmt.Sprintf(
			`"draw_%d":{"8888":{"min_ms":%d.5,"options":{"a":"%d"},"samples":[1,2,%d]}}`, i, i, i, i))
		perunNow = append(perunNow, fmt.Sprintf(`"f%d#0":{"amount":[%d,2.5,3],"timestamp":[1,2,%d]}`, i, i, i))
		perunSpec = append(perunSpec, fmt.Sprintf(`{"amount":%d,"uid":"f%d","type":"mixed","subtype":"time delta"}`, i, i))
		bench = append(bench, fmt.Sprintf("BenchmarkDraw%d-8 100 %d ns/op 5 B/op\n", i, i))
		keyvals = append(keyvals, fmt.Sprintf("a{attr}=%d\nloops{perf}=%d\nseconds{perf}=1.5\n\n", i, i))
	}
	var types []string
	for i := range n {
		types = append(types, fmt.Sprintf(`"f%d#0":{"uid":"f%d","type":"mixed"}`, i, i))
	}
	const perunHeader = `"header":{"type":"mixed","units":{"mixed":"us"},"cmd":"run","args":"","workload":"w"},` +
		`"collector_info":{"name":"trace","params":{}},"postprocessors":[]`
	const models = `"models":[{"uid":"f1","model":"linear","coeffs":[{"name":"b0","value":1}],"r_square":0.5}]`

	return map[string]string{
		"skiav1":     `{"results":[` + strings.Join(v1, ",\n") + `],"version":1,"git_hash":"abc","key":{"arch":"x86"}}`,
		"nanolegacy": `{"results":{` + strings.Join(legacy, ",\n") + `},"gitHash":"abc","key":{"arch":"x86"}}`,
		"perun": `{"resources":{` + strings.Join(perunNow, ",\n") + `},` +
			`"resource_type_map":{` + strings.Join(types, ",\n") + `},` + models + `,` + perunHeader + `}`,
		"perun snapshots": `{"snapshots":[{"time":"0.1","resources":[` + strings.Join(perunSpec, ",\n") + `]},` +
			`{"time":"0.2","resources":[` + perunSpec[0] + `],` + models + `}],` + perunHeader + `,"origin":"abc"}`,
		"benchfmt": "commit: abc\n" + strings.Join(bench, ""),
		"keyval":   strings.Join(keyvals, ""),
	}
}

// headerFirst returns a file with its header before the rest.
func headerFirst(file string) string {
	i := strings.Index(file, `,"version"`)
	for _, begin := range []string{`,"gitHash"`, `,"header"`} {
		i = max(i, strings.LastIndex(file, begin))
	}
	if i < 0 {
		return file
	}
	return "{" + strings.TrimSuffix(file[i+1:], "}") + "," + file[1:i] + "}"
}

// A way is a way to read an input.
type wayToRead struct {
	name   string
	large  bool     // needs a file that is larger than the window of a Reader
	only   []string // the formats that it is for; all without any
	opener perfdata.Opener
	in     func(s *faulty.Script, file string) io.Reader
	read   func(f *perfdata.File) (string, error)
}

func seekable(s *faulty.Script, file string) io.Reader { return faulty.NewSeeker(s, file) }
func fromPipe(s *faulty.Script, file string) io.Reader { return faulty.NewReader(s, file) }

// compressedAs returns the way of an input that is compressed.
func compressedAs(t *testing.T, compression string) wayToRead {
	packed := make(map[string]string)
	return wayToRead{name: compression, in: func(s *faulty.Script, file string) io.Reader {
		if packed[file] == "" {
			packed[file] = string(pack(t, []byte(file), compression))
		}
		return faulty.NewReader(s, packed[file])
	}}
}

// elementsOf returns the text of all elements of a sequence, and the error that ends it.
func elementsOf[T any](elements iter.Seq2[T, error]) (string, error) {
	var b strings.Builder
	for element, err := range elements {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable && !errors.Is(err, faulty.Err) {
			fmt.Fprintln(&b, "recoverable:", err)
		} else if err != nil {
			return b.String(), err
		} else {
			fmt.Fprintf(&b, "%+v\n", element)
		}
	}
	return b.String(), nil
}

// recordsOf returns the header and all records of a file.
func recordsOf(f *perfdata.File) (string, error) {
	header, err := f.FileHeader()
	if err != nil {
		return "", err
	}
	return withHeader(header, f)
}

func withHeader(header format.Header, f *perfdata.File) (string, error) {
	text, err := elementsOf(func(yield func(string, error) bool) {
		for rec, err := range f.Records() {
			line := ""
			if err == nil {
				line = formattest.Show(rec)
			}
			if !yield(line, err) {
				return
			}
		}
	})
	return fmt.Sprintf("%s %v\n%s", header.Commit, header.Params, text), err
}

// Whatever call of an input fails, a Reader returns its error, and leaves nothing.
func TestReadFaults(t *testing.T) {
	everything := func(f *perfdata.File) (string, error) { return withHeader(format.Header{}, f) }
	validate := func(f *perfdata.File) (string, error) {
		return elementsOf(func(yield func(string, error) bool) {
			for e := range f.Validate() {
				var fault error
				if errors.Is(e, faulty.Err) {
					fault = e
				}
				if !yield(e.Error(), fault) {
					return
				}
			}
		})
	}
	documents := []string{"skiav1", "nanolegacy", "perun", "perun snapshots"}
	profiles := documents[2:]
	ways := []wayToRead{
		{name: "seekable", in: seekable},
		{name: "seekable, large", in: seekable, large: true, only: []string{"skiav1", "perun"}},
		{name: "pipe", in: fromPipe},
		{name: "pipe, records at once", in: fromPipe, read: everything},
		{name: "pipe, temporary file", in: fromPipe, large: true, only: documents,
			opener: perfdata.Opener{Options: format.Options{Limits: format.Limits{MaxSpoolMemory: 1}}}},
		{name: "pipe, memory first", in: fromPipe, large: true, only: documents,
			opener: perfdata.Opener{Options: format.Options{Limits: format.Limits{MaxSpoolMemory: 50_000}}}},
		{name: "InOrder", opener: perfdata.Opener{Options: format.Options{InOrder: true}}, in: func(s *faulty.Script, file string) io.Reader {
			return faulty.NewReader(s, headerFirst(file))
		}},
		{name: "validated", in: seekable, read: validate},
		{name: "validated, pipe", in: fromPipe, read: validate},
		{name: "UTF-16", in: func(s *faulty.Script, file string) io.Reader {
			return faulty.NewReader(s, inUTF16(file, binary.LittleEndian))
		}},
		compressedAs(t, "gzip"), compressedAs(t, "zstd"), compressedAs(t, "zlib"),
		{name: "samples", only: []string{"nanolegacy"}, in: seekable, read: func(f *perfdata.File) (string, error) {
			return elementsOf(f.Reader.(*nanolegacy.Reader).Samples())
		}},
		{name: "models", only: profiles, in: seekable, read: func(f *perfdata.File) (string, error) {
			return elementsOf(f.Reader.(*perun.Reader).Models())
		}},
		{name: "by snapshot", only: profiles, in: seekable, read: func(f *perfdata.File) (string, error) {
			return elementsOf(f.Reader.(*perun.Reader).ResourcesBySnapshot())
		}},
	}

	small, large := headerLast(12), headerLast(1000)
	total := 0
	for name := range small {
		for _, way := range ways {
			if len(way.only) > 0 && !slices.Contains(way.only, name) {
				continue
			}
			file := small[name]
			if way.large {
				file = large[name]
			}
			t.Run(name+"/"+way.name, func(t *testing.T) { total += checkRead(t, way, file) })
		}
	}
	t.Logf("%d calls failed", total)
}

// checkRead makes each call of an input fail.
func checkRead(t *testing.T, way wayToRead, file string) int {
	if way.read == nil {
		way.read = recordsOf
	}
	forgiven := []string{"partial Read"} // when a part is enough to find the format
	if _, seeks := way.in(new(faulty.Script), file).(io.Seeker); seeks {
		// An input that does not tell its offset is a pipe. Reading that fails before it is needed, to
		// find the format or the next entry of a map, is tried again.
		forgiven = []string{"Tell", "Seek", "Read", "partial Read"}
	}
	return faulty.Check(t, faulty.Subject{
		Forgiven: forgiven,
		Try: func(s *faulty.Script) (string, error) {
			f, err := way.opener.NewReader(way.in(s, file), "in")
			if err != nil {
				return "", err
			}
			text, err := way.read(f)
			return text, errors.Join(err, f.Close())
		},
	})
}

// Files and folders of a file system are read with the same care.
func TestOpenFaults(t *testing.T) {
	fsys := make(fstest.MapFS)
	for name, text := range headerLast(300) {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	total := 0
	for name := range fsys {
		t.Run(name, func(t *testing.T) {
			total += faulty.Check(t, faulty.Subject{
				Forgiven: []string{"Close"},
				Try: func(s *faulty.Script) (string, error) {
					f, err := perfdata.OpenFS(faulty.FS{Script: s, FS: fsys}, name)
					if err != nil {
						return "", err
					}
					text, err := recordsOf(f)
					return text, errors.Join(err, f.Close())
				},
			})
		})
	}
	t.Logf("%d calls failed", total)
}

// A file of a job's folder that cannot be read is not taken for one that is missing.
func TestJobFaults(t *testing.T) {
	fsys := os.DirFS("testdata/keyval")
	total := faulty.Check(t, faulty.Subject{
		Forgiven: []string{"Close"},
		Try: func(s *faulty.Script) (string, error) {
			f, err := perfdata.OpenFS(faulty.FS{Script: s, FS: fsys}, "job")
			if err != nil {
				return "", err
			}
			text, err := recordsOf(f)
			return text, errors.Join(err, f.Close())
		},
	})
	t.Logf("%d calls failed", total)
}
