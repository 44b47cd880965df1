package compressed

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata/format"
	"perfdata/internal/testing/faulty"
)

// Whatever Read of the compressed data fails, byte by byte, a Reader returns its error; and a writer
// that of the Write that fails.
func TestFaults(t *testing.T) {
	total := 0
	for _, compression := range []string{Gzip, Zstd, Zlib} {
		t.Run(compression, func(t *testing.T) {
			write := func(s *faulty.Script) (string, error) {
				var out bytes.Buffer
				w, err := NewWriter(&faulty.Writer{Script: s, Out: &out}, compression)
				if err != nil {
					return "", err
				}
				if _, err := io.WriteString(w, strings.Repeat("some text ", 10)); err != nil {
					return "", err
				}
				err = w.Close()
				return out.String(), err
			}
			total += faulty.Check(t, faulty.Subject{Try: write})

			packed, err := write(new(faulty.Script))
			if err != nil {
				t.Fatal(err)
			}
			if compression != Zlib {
				packed += packed // gzip members and zstd frames may follow each other
			}
			total += faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
				in := iotest.OneByteReader(faulty.NewReader(s, packed))
				r, err := NewReader(in, compression, format.Limits{}.WithDefaults(), nil)
				if err != nil {
					return "", err
				}
				text, err := io.ReadAll(r)
				return string(text), err
			}})
		})
	}
	t.Logf("%d calls failed", total)
}
