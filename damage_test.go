package perfdata_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/quick"
	"perfdata/nanolegacy"
	"perfdata/perun"
)

var damages = flag.Int("damages", 3, "how often TestDamagedCorpus damages each file")

var errBroken = errors.New("the cable is broken")

// checkCauses reports an error that names neither a fault of the bytes nor that reading them
// failed: a service could not tell whether to try again.
func checkCauses(t *testing.T, what string, data []byte) {
	t.Helper()
	for way, in := range map[string]io.Reader{
		"seekable": bytes.NewReader(data), "pipe": struct{ io.Reader }{bytes.NewReader(data)},
	} {
		for err := range allErrors(in) {
			e, ok := errors.AsType[*format.Error](err)
			switch {
			case !ok:
				t.Fatalf("%s, %s: %v is a %T, want a *format.Error", what, way, err, err)
			case e.Severity == format.Warning:
				if e.Err != nil {
					t.Fatalf("%s, %s: the warning %v has the cause %v", what, way, e, e.Err)
				}
			case !format.IsFinal(err):
				t.Fatalf("%s, %s: %v has the cause %v", what, way, err, e.Err)
			}
		}
	}
}

// allErrors yields the errors of all ways to read an input. It reads a pipe once.
func allErrors(in io.Reader) iter.Seq[error] {
	seeker, _ := in.(io.Seeker)
	read := []func(f *perfdata.File, yield func(error) bool){
		func(f *perfdata.File, yield func(error) bool) { yieldErrors(f.Records(), yield) },
		func(f *perfdata.File, yield func(error) bool) {
			for e := range f.Validate() {
				if !yield(e) {
					return
				}
			}
		},
		func(f *perfdata.File, yield func(error) bool) {
			switch r := f.Reader.(type) {
			case *nanolegacy.Reader:
				yieldErrors(r.Samples(), yield)
			case *perun.Reader:
				yieldErrors(r.Resources(), yield)
				yieldErrors(r.Models(), yield)
			}
		},
	}
	return func(yield func(error) bool) {
		for _, errorsOf := range read {
			f, err := perfdata.NewReader(in, "in")
			if err != nil {
				yield(err)
				return
			}
			errorsOf(f, yield)
			f.Close()
			if seeker == nil {
				return
			}
			if _, err := seeker.Seek(0, io.SeekStart); err != nil {
				panic(err)
			}
		}
	}
}

func yieldErrors[T any](values iter.Seq2[T, error], yield func(error) bool) {
	for _, err := range values {
		if err != nil && !yield(err) {
			return
		}
	}
}

// Compressed data that is truncated anywhere, or in which any byte is wrong, gives errors with a
// cause.
func TestDamagedCompression(t *testing.T) {
	packed := map[string][]byte{"stored object": readFile(t, "testdata/perun/time.object")}
	for name, file := range map[string]string{
		"skiav1":     "testdata/skiav1/example.json",
		"nanolegacy": "testdata/nanolegacy/small.json",
		"benchfmt":   "testdata/benchfmt/units.txt",
		"keyval":     "testdata/keyval/iterations.keyval",
		"perun":      "testdata/perun/time_snapshots.perf",
	} {
		for _, way := range []string{"gzip", "zlib", "zstd"} {
			packed[name+" in "+way] = pack(t, readFile(t, file), way)
		}
	}
	packed["gzip in zstd"] = pack(t, readFile(t, "testdata/skiav1/example.json"), "gzip", "zstd")

	for name, data := range packed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := 0; i < len(data); i += quick.Of(1, 37) {
				checkCauses(t, "truncated", data[:i])
				for _, bit := range []byte{1 << (i % 8), 0xff} {
					damaged := bytes.Clone(data)
					damaged[i] ^= bit
					checkCauses(t, "damaged", damaged)
				}
			}
		})
	}
}

// Whatever is wrong with a file, each error has a cause.
func TestDamagedCorpus(t *testing.T) {
	roots := []string{"testdata"}
	for _, folder := range []string{".", "../runners"} {
		if quick.Test() {
			break
		}
		t.Run("shared/"+folder, func(t *testing.T) { roots = append(roots, corpus.Dir(t, folder)) })
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || quick.Test() && filepath.Ext(path) == ".jsonl" { // answers
				return err
			}
			data := readFile(t, path)
			data = data[:min(len(data), quick.Of(100_000, 10_000))]
			checkCauses(t, path, data)
			random := rand.New(rand.NewPCG(1, uint64(len(data))))
			for range quick.Of(*damages, 1) {
				i := random.IntN(len(data) + 1)
				checkCauses(t, path+" truncated", data[:i])
				if i < len(data) {
					damaged := bytes.Clone(data)
					damaged[i] ^= byte(1 + random.IntN(255))
					checkCauses(t, path+" damaged", damaged)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// If a source breaks anywhere, its error is the cause of the last error.
func TestBrokenSource(t *testing.T) {
	for _, file := range []string{
		"testdata/skiav1/example.json", "testdata/nanolegacy/small.json", "testdata/benchfmt/units.txt",
		"testdata/keyval/iterations.keyval", "testdata/perun/time_snapshots.perf", "testdata/perun/time.object",
	} {
		text := readFile(t, file)
		for _, ways := range [][]string{{}, {"gzip"}, {"zlib"}, {"zstd"}, {"gzip", "zstd"}} {
			t.Run(strings.Join(append([]string{filepath.Base(file)}, ways...), " in "), func(t *testing.T) {
				data := pack(t, text, ways...)
				for i := 0; i < len(data); i += quick.Of(1, 29) {
					for way, in := range map[string]io.Reader{
						"at once": io.MultiReader(bytes.NewReader(data[:i]), iotest.ErrReader(errBroken)),
						"bytes": io.MultiReader(iotest.OneByteReader(bytes.NewReader(data[:i])),
							iotest.ErrReader(errBroken)),
					} {
						var last error
						for err := range allErrors(in) {
							last = err
						}
						if !errors.Is(last, errBroken) || format.IsFinal(last) {
							t.Fatalf("after %d bytes, %s: %v", i, way, last)
						}
					}
				}
			})
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
