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

	"perfdata/internal/testing/corpus"
)

// Sources are the ways in which an input can arrive. Readers must yield the same for all of them.
var Sources = map[string]func(string) io.Reader{
	"seekable":     func(s string) io.Reader { return &file{strings.NewReader(s)} },
	"stream":       Stream,
	"byte by byte": func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
	"in pieces":    func(s string) io.Reader { return iotest.DataErrReader(iotest.HalfReader(strings.NewReader(s))) },
}

// A file is seekable, and its last bytes come with io.EOF, as for files that are known not to
// change.
type file struct{ *strings.Reader }

func (f *file) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if n > 0 && f.Len() == 0 {
		err = io.EOF
	}
	return n, err
}

// Stream returns an unseekable input.
func Stream(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} }

// Unfinished returns an input whose rest has not arrived yet: reading beyond begin blocks until
// the input is closed.
func Unfinished(begin string) io.ReadCloser {
	r, w := io.Pipe()
	go io.WriteString(w, begin)
	return r
}

// Changing returns an input whose text changes when it is rewound to its beginning.
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

// ReadFile returns the content of a file, given the elements of its path.
func ReadFile(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Files returns the contents of the files that match a pattern, by base name. It fails the test if
// there are fewer than least.
func Files(t testing.TB, pattern string, least int) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		t.Fatalf("%s: %q, %v, want at least %d files", pattern, paths, err, least)
	}
	files := make(map[string]string)
	for _, path := range paths {
		files[filepath.Base(path)] = ReadFile(t, path)
	}
	return files
}

// Answers returns the reference implementation's answers for a folder of the corpus. It fails the
// test if there are fewer than least.
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
		t.Fatalf("the corpus has only %d files", len(answers))
	}
	return answers
}

// DiffersInCase reports whether a document has a string that differs from one of the names only in
// case, so that package encoding/json would accept it as that name. It returns true for malformed
// JSON.
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
