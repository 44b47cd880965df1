package formattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/internal/corpus"
)

// Sources are the ways in which an input can arrive. What is read doesn't depend on them.
var Sources = map[string]func(string) io.Reader{
	"seekable":     func(s string) io.Reader { return strings.NewReader(s) },
	"stream":       Stream,
	"byte by byte": func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
	"in pieces":    func(s string) io.Reader { return iotest.DataErrReader(iotest.HalfReader(strings.NewReader(s))) },
}

// Stream returns an input that can't seek.
func Stream(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} }

// Unfinished returns an input of which only the beginning is there yet: who reads on waits until it is closed.
func Unfinished(begin string) io.ReadCloser {
	r, w := io.Pipe()
	go io.WriteString(w, begin)
	return r
}

// Changing returns an input that holds another text once it was sought back to its beginning.
func Changing(first, then string) io.ReadSeeker {
	return &changing{strings.NewReader(first), strings.NewReader(then)}
}

type changing struct {
	*strings.Reader
	then *strings.Reader
}

func (c *changing) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		c.Reader = c.then
	}
	return c.Reader.Seek(offset, whence)
}

// Members returns an object with n members.
func Members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":"v"`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// ReadFile returns the content of the file whose path has these elements.
func ReadFile(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Files returns the contents of the files that match a pattern by their names without folder, and fails if there are
// fewer than least.
func Files(t testing.TB, pattern string, least int) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		t.Fatalf("%s: %q, %v, want %d files at least", pattern, paths, err, least)
	}
	files := make(map[string]string)
	for _, path := range paths {
		files[filepath.Base(path)] = ReadFile(t, path)
	}
	return files
}

// Answers returns what the reference implementation said of the files in a folder of the corpus, and fails if these
// are fewer than least.
func Answers[T any](t testing.TB, folder string, least int) []T {
	t.Helper()
	var answers []T
	for line := range bytes.Lines([]byte(ReadFile(t, corpus.Dir(t, folder), "expected.ndjson"))) {
		var answer T
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	if len(answers) < least {
		t.Fatalf("the corpus has %d files only", len(answers))
	}
	return answers
}

// DiffersInCase reports whether a document has a string that package encoding/json would take for one of the names and
// that isn't. Documents that are no JSON may have one, too.
func DiffersInCase(document []byte, names ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(document))
	for {
		token, err := dec.Token()
		if err != nil {
			return err != io.EOF
		}
		s, _ := token.(string)
		for _, name := range names {
			if s != name && strings.EqualFold(s, name) {
				return true
			}
		}
	}
}
