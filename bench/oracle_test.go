package bench

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"perfdata"
	"perfdata/format"
	"perfdata/perfdatatest"
)

// The readers of JSON formats refuse the syntax of exactly the documents that jsontext refuses,
// which is strict too: names are unique, and text is UTF-8. The documents are generated ones, and
// the same with a few bytes changed.
func TestSyntaxOracle(t *testing.T) {
	for _, name := range []string{"skiav1", "nanolegacy", "perun"} {
		t.Run(name, func(t *testing.T) {
			info, ok := perfdata.FormatNamed(name)
			if !ok {
				t.Fatal("unknown format")
			}
			r := rand.New(rand.NewPCG(1, 2))
			accepted, refused := 0, 0
			for seed := range uint64(3000) {
				doc := perfdatatest.Valid(name, seed, 400)
				if seed%3 == 0 {
					doc, _ = perfdatatest.NearlyValid(name, seed, 400)
				}
				if seed%2 == 1 {
					doc = damaged(r, doc)
				}
				valid, certain := readerAccepts(info, doc)
				if !certain || departs.Match(doc) {
					continue
				}
				want := jsontextAccepts(doc)
				if valid != want {
					t.Fatalf("seed %d: accepted is %v, and jsontext says %v: %s", seed, valid, want, doc)
				}
				if valid {
					accepted++
				} else {
					refused++
				}
			}
			t.Logf("%d accepted, %d refused", accepted, refused)
			if accepted < 1000 || refused < 500 {
				t.Errorf("only %d accepted and %d refused", accepted, refused)
			}
		})
	}
}

// departs matches what a Reader may accept and jsontext does not: half a surrogate pair, which is
// read as U+FFFD, and numbers such as NaN and inf, which some programs write.
var departs = regexp.MustCompile(`(?i)\\ud[89a-f]|nan|\binf\b|infinity`)

// parts are what damaged inserts.
var parts = strings.Split(`" \ , : { } [ ] 0 -1 e 1.5 null tru "a" "a":1, \u0041 \"`+" \x00 \xff \xc3\xa9", " ")

// damaged changes, inserts, removes or repeats a few bytes.
func damaged(r *rand.Rand, doc []byte) []byte {
	for range 1 + r.IntN(2) {
		at := r.IntN(len(doc))
		to := min(len(doc), at+1+r.IntN(12))
		part := parts[r.IntN(len(parts))]
		switch r.IntN(4) {
		case 0:
			doc = bytes.Join([][]byte{doc[:at], []byte(part), doc[at+1:]}, nil)
		case 1:
			doc = bytes.Join([][]byte{doc[:at], []byte(part), doc[at:]}, nil)
		case 2:
			doc = bytes.Join([][]byte{doc[:at], doc[to:]}, nil)
		case 3:
			doc = bytes.Join([][]byte{doc[:to], doc[at:]}, nil)
		}
		if len(doc) == 0 {
			return []byte(" ")
		}
	}
	return doc
}

// readerAccepts reports whether the Reader finds no fault of syntax. That is not certain if it ends
// with another fault.
func readerAccepts(info format.Format, doc []byte) (accepted, certain bool) {
	r := info.Open(nil, bytes.NewReader(doc), format.Options{Name: "in"})
	defer r.Close()
	for _, err := range r.Records() {
		e, ok := errors.AsType[*format.Error](err)
		switch {
		case !ok || e.Severity == format.Recoverable:
		case errors.Is(err, format.ErrSyntax) || errors.Is(err, format.ErrDuplicate) ||
			errors.Is(err, io.ErrUnexpectedEOF):
			return false, true
		default:
			return false, false
		}
	}
	return true, true
}

func jsontextAccepts(doc []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(doc))
	if dec.SkipValue() != nil {
		return false
	}
	_, err := dec.ReadToken()
	return err == io.EOF
}
