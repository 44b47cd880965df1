package perfdata

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// windowBytes is the size of the window through which the JSON formats read an input.
const windowBytes = 64 << 10

var shiftStep = flag.Int("shift-step", 37, "let the window end on every n-th byte of each file; 1 takes minutes")

// The end of the window must not matter: whichever byte of a file it falls on after a number of
// blanks, the file has the same records and errors. Large files have many windows, so it is
// enough to shift these a little.
func TestWindowShift(t *testing.T) {
	step, validateStep := quick.Of(1, 31)**shiftStep, 3**shiftStep
	if formattest.Race {
		step, validateStep = 7*step, 7*validateStep
	}
	for _, path := range jsonFiles(t) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, ok := Detect(text)
			if !ok {
				t.Skip("the format is not detected: nothing to read")
			}
			step, validateStep := step*(1+len(text)/10_000), validateStep // the parts of a large file are alike
			first, last := windowBytes-len(text), windowBytes
			if first < 0 {
				first, last, step, validateStep = 1, 1024, 37*step, 37*validateStep
			}
			shifted := append(bytes.Repeat([]byte{' '}, last), text...)
			s := shifter{info: info, text: shifted[last:]}
			readWant, validateWant := s.read(nil, 0, false), s.validate(nil, 0, false)
			var got []byte
			for i, k := 0, first; k <= last; i, k = i+1, k+step {
				s.text = shifted[last-k:]
				pipe := i%2 == 1
				if got = s.read(got[:0], int64(k), pipe); !bytes.Equal(got, readWant) {
					t.Fatalf("after %d blanks, pipe %v:\n%s\nwithout:\n%s", k, pipe, got, readWant)
				}
				if i%validateStep > 1 {
					continue
				}
				if got = s.validate(got[:0], int64(k), pipe); !bytes.Equal(got, validateWant) {
					t.Fatalf("Validate after %d blanks, pipe %v:\n%s\nwithout:\n%s", k, pipe, got, validateWant)
				}
			}
		})
	}
}

// jsonFiles returns the files of the JSON formats in testdata and, where it is there, in the
// corpus, which a quick test leaves out.
func jsonFiles(t *testing.T) []string {
	var files []string
	add := func(pattern string) {
		matches, err := filepath.Glob(pattern)
		if err != nil || len(matches) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		files = append(files, matches...)
	}
	add("testdata/skiav1/*.json")
	add("testdata/nanolegacy/*.json")
	add("testdata/perun/*.perf")
	for _, pattern := range []string{"skiav1/*/*.json", "nanolegacy/*/*.json", "perun/*.perf"}[quick.Of(0, 3):] {
		folder := filepath.Dir(filepath.Dir(pattern))
		if folder == "." {
			folder = filepath.Dir(pattern)
		}
		if dir := corpusDir(t, folder); dir != "" {
			add(filepath.Join(filepath.Dir(dir), pattern))
		}
	}
	return files
}

// corpusDir is [corpus.Dir] for a test that can also run without a corpus.
func corpusDir(t *testing.T, folder string) (dir string) {
	t.Run("corpus/"+folder, func(t *testing.T) { dir = corpus.Dir(t, folder) })
	return dir
}

// A shifter reads a text after blanks, and writes down the results as if it were
// there without.
type shifter struct {
	info format.Format
	text []byte
}

func (s *shifter) source(pipe bool) io.Reader {
	if pipe {
		return struct{ io.Reader }{bytes.NewReader(s.text)}
	}
	return bytes.NewReader(s.text)
}

func (s *shifter) read(dst []byte, shift int64, pipe bool) []byte {
	for rec, err := range s.info.Open(nil, s.source(pipe), format.Options{}).Records() {
		if err != nil {
			dst = appendShifted(dst, err.(*format.Error), shift)
			continue
		}
		dst = fmt.Appendf(dst, "%d %s\n", rec.Offset-shift, formattest.Show(rec))
	}
	return dst
}

func (s *shifter) validate(dst []byte, shift int64, pipe bool) []byte {
	for e := range s.info.Validate(s.source(pipe), format.Options{}) {
		dst = appendShifted(dst, e, shift)
	}
	return dst
}

func appendShifted(dst []byte, e *format.Error, shift int64) []byte {
	at := *e
	if at.Line == 1 && (at.Offset > 0 || at.Column > 1) { // else the document as a whole is meant
		at.Column -= int(shift)
	}
	if at.Offset > 0 {
		at.Offset -= shift
	}
	return fmt.Appendf(dst, "%d %v %v\n", at.Offset, at.Error(), at.Severity == format.Recoverable)
}
