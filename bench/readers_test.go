package bench

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gojson "github.com/goccy/go-json"

	"perfdata"
	"perfdata/bench/workload"
	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/nanolegacy"
)

// A resetter is a Reader that can be used for another input.
type resetter interface {
	format.Reader
	Reset(io.Reader)
}

// A way is how this library reads a file.
type way struct {
	inOrder, pipe, ids, reset bool
}

// name returns the name of the contestant.
func (w way) name() string {
	name := "perfdata"
	switch {
	case w.inOrder:
		name += " InOrder"
	case w.pipe:
		name += " from a pipe"
	default:
		name += " default"
	}
	if w.ids {
		name += " with trace IDs"
	}
	if w.reset {
		name += " with Reset"
	}
	return name
}

// ways are the ways to read a format whose header may come after its results.
var ways = []way{
	{inOrder: true},
	{},
	{pipe: true},
	{inOrder: true, ids: true},
	{ids: true},
	{inOrder: true, reset: true},
	{reset: true},
}

// newReader returns a Reader of the format that is configured for a way.
func newReader(name string, in io.Reader, w way) resetter {
	f, _ := perfdata.FormatNamed(name)
	return f.Open(nil, in, format.Options{InOrder: w.inOrder}).(resetter)
}

// readers returns a contestant for each way.
func readers(name string, ways []way) []contestant {
	var all []contestant
	for _, w := range ways {
		all = append(all, reading(w, func(in io.Reader) resetter { return newReader(name, in, w) }))
	}
	return all
}

// reading returns the contestant that reads in a way. newReader returns a Reader for it.
func reading(w way, newReader func(io.Reader) resetter) contestant {
	var kept resetter
	var ids idAppender
	var p program
	return contestant{name: w.name(), run: func(file []byte) (int, error) {
		in := p.open(file, w.pipe)
		r := kept
		if r == nil {
			r = newReader(in)
		} else {
			r.Reset(in)
		}
		if w.reset {
			kept = r
		}
		if w.ids {
			return p.read(r, ids.append)
		}
		return p.read(r, nil)
	}}
}

func skiaReaders() []contestant {
	return append(readers("skiav1", ways), jsonPeers[workload.SkiaFile]()...)
}

func nanolegacyReaders() []contestant {
	asParams := reading(way{inOrder: true}, func(in io.Reader) resetter {
		r := nanolegacy.NewReader(in)
		r.InOrder, r.OptionsAsParams = true, true
		return r
	})
	asParams.name += ", options as params"
	return append(append(readers("nanolegacy", ways), asParams), jsonPeers[workload.NanolegacyFile]()...)
}

func perunReaders() []contestant {
	all := append(readers("perun", []way{{}, {pipe: true}, {ids: true}}), jsonPeers[workload.PerunFile]()...)
	return append(all, unmarshaling[workload.PerunAnyFile](goJSON+" of any fields", gojson.Unmarshal))
}

func goBenchReaders() []contestant {
	return append(readers("benchfmt", []way{{}, {ids: true}, {reset: true}}),
		contestant{name: "perfdata Results", run: func(file []byte) (int, error) {
			n := 0
			for res, err := range benchfmt.NewReader(bytes.NewReader(file)).Results() {
				if err != nil {
					return n, err
				}
				n += len(res.Values)
			}
			return n, nil
		}},
		contestant{name: xperfReader, run: readWithXPerf},
		contestant{name: bufioScanner, run: scanLines})
}

func keyvalReaders() []contestant {
	return append(readers("keyval", []way{{}, {ids: true}, {reset: true}}),
		contestant{name: bufioScanner, run: scanLines},
		contestant{name: "maps", run: readKeyvalsIntoMaps})
}

// openers returns the contestants that read a file of any format, without and with the ID of every
// record.
func openers() []contestant {
	var ids idAppender
	open := func(name string, each func(*format.Record)) contestant {
		return contestant{name: name, run: func(file []byte) (int, error) {
			r, err := perfdata.NewReader(bytes.NewReader(file), "")
			if err != nil {
				return 0, err
			}
			n, err := readRecords(r, each)
			return n, errors.Join(err, r.Close())
		}}
	}
	return []contestant{open(readOpen, nil), open(readOpenID, ids.append)}
}

// A program reads files. It keeps the buffers that a program for many files would keep, so that
// nearly all allocations are the Reader's.
type program struct {
	file          bytes.Reader
	pipe          struct{ io.Reader }
	records, late int
}

// open returns a reader of the file. A pipe cannot seek.
func (p *program) open(file []byte, pipe bool) io.Reader {
	p.file.Reset(file)
	if !pipe {
		return &p.file
	}
	p.pipe.Reader = &p.file
	return &p.pipe
}

// An idAppender appends the trace ID of each record to a buffer.
type idAppender struct{ id []byte }

func (a *idAppender) append(rec *format.Record) { a.id = rec.AppendTraceID(a.id[:0]) }

// readRecords reads all records, passes them to each, if it is not nil, and returns how many there
// are.
func readRecords(r format.Reader, each func(*format.Record)) (int, error) {
	return new(program).read(r, each)
}

// read is readRecords with the memory of p.
func (p *program) read(r format.Reader, each func(*format.Record)) (int, error) {
	p.records, p.late = 0, 0
	for rec, err := range r.Records() {
		if err != nil {
			// The links or the source come after the results, too late for reading in order.
			e, ok := errors.AsType[*format.Error](err)
			if ok && e.Severity == format.Recoverable && (e.Path == "links" || e.Path == "source") && p.late == 0 {
				p.late++
				continue
			}
			return p.records, err
		}
		p.records++
		if each != nil {
			each(rec)
		}
	}
	return p.records, nil
}

// corpusDir is the folder of files of the projects that use the formats. It is next to this
// project's folder, and not part of the project.
var corpusDir = filepath.Join("..", "..", "shared", "corpus")

// corpusContests returns a contest for each format: its files that every contestant accepts. Most
// of them are small.
func corpusContests() []contest {
	corpus := func(format, yardstick string, contestants func() []contestant, patterns ...string) contest {
		in := func(tb testing.TB, size float64) *input { return corpusInput(tb, size, contestants(), patterns) }
		return contest{format, "the corpus' files", yardstick, false, in, always(contestants)}
	}
	return []contest{
		corpus("skiav1", goJSON, skiaReaders, "skiav1/*/*.json"),
		corpus("nanolegacy", goJSON, nanolegacyReaders, "nanolegacy/*/*.json"),
		corpus("benchfmt", xperfReader, goBenchReaders,
			xperfFolder+"/benchfmt/testdata/bent/*", xperfFolder+"/benchproc/testdata/*",
			xperfFolder+"/cmd/benchseries/testdata/odd/Go*.20220101*"),
		corpus("keyval", bufioScanner, keyvalReaders, "keyval/*.keyval"),

		// The files have models with fields of many kinds, so structs must accept any fields.
		corpus("perun", goJSON, func() []contestant {
			return append(readers("perun", []way{{}, {pipe: true}, {ids: true}, {reset: true}}),
				jsonPeers[workload.PerunAnyFile]()...)
		}, "perun/*.perf"),
	}
}

// xperfFolder, at the beginning of a pattern, is the folder of the module that defines the format
// of Go benchmarks.
const xperfFolder = "golang.org/x/perf"

// corpusInput returns the files that match the patterns and have records, and in which all
// contestants find the same records, repeated until they have a fifth of the size.
func corpusInput(tb testing.TB, size float64, contestants []contestant, patterns []string) *input {
	once := new(input)
	for _, pattern := range patterns {
		pattern, module := strings.CutPrefix(pattern, xperfFolder)
		dir := corpusDir
		if module {
			out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", xperfFolder).Output()
			if err != nil {
				tb.Fatal(err)
			}
			dir = strings.TrimSpace(string(out))
		}
		for name, file := range matching(tb, filepath.Join(dir, pattern)) {
			records, err := contestants[0].run(file)
			refused := slices.ContainsFunc(contestants, func(c contestant) bool {
				n, err := 0, error(nil)
				if c.missing == "" {
					n, err = c.run(file)
				}
				return err != nil || n != 0 && n != records
			})
			if err == nil && records > 0 && !refused {
				once.files, once.size = append(once.files, file), once.size+int64(len(file))
				once.names, once.records = append(once.names, name), once.records+records
			}
		}
	}

	all := &input{}
	for all.size == 0 || float64(all.size) < size/5 {
		if once.size == 0 {
			tb.Skip("no files in ", corpusDir)
		}
		all.files = append(all.files, once.files...)
		all.size += once.size
		all.records += once.records
	}
	return all
}

// matching iterates over the files that match a pattern, by name.
func matching(tb testing.TB, pattern string) func(yield func(string, []byte) bool) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, name := range names {
		if files[name], err = os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	return func(yield func(string, []byte) bool) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !yield(name, files[name]) {
				return
			}
		}
	}
}
