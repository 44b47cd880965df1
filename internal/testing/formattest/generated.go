package formattest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/quick"
)

// Generated makes documents of a format by seed, of about a size: see package documents.
type Generated struct{ Format format.Format }

// Add adds documents to the seeds of a fuzz target.
func (g Generated) Add(f *testing.F) {
	f.Helper()
	for seed := range uint64(10) {
		nearlyValid, _ := documents.NearlyValid(g.Format, seed, 200)
		f.Add(string(documents.Valid(g.Format, seed, 200)))
		f.Add(string(nearlyValid))
	}
}

// AddPairs adds pairs of documents to the seeds of a fuzz target, which also takes two bits and
// three limits.
func (g Generated) AddPairs(f *testing.F) {
	f.Helper()
	for seed := range uint64(40) {
		in, earlier := documents.Valid(g.Format, seed, 1000), documents.Valid(g.Format, seed+1, 500)
		if seed%4 > 0 {
			in, _ = documents.NearlyValid(g.Format, seed, 1000)
		}
		f.Add(string(in), string(earlier), byte(seed), byte(seed%5), byte(seed%3*16), uint16(seed%7*100))
	}
}

// CheckSlowPath checks that a Reader yields the same with and without its fast path. It also reads with
// low limits.
func (g Generated) CheckSlowPath(
	t *testing.T, reader func(document string, l format.Limits, slow bool) format.Reader,
) {
	t.Helper()
	for seed := range uint64(quick.Of(1000, 150)) {
		document, fault := documents.Valid(g.Format, seed, 1500), "none"
		if seed%2 == 1 {
			document, fault = documents.NearlyValid(g.Format, seed, 1500)
		}

		limits := format.Limits{}
		if seed%5 == 0 {
			limits = format.Limits{
				MaxParams:      4 + int(seed%7),
				MaxStringBytes: 20 + int(seed%31),
				MaxDepth:       4 + int(seed%3),
				MaxMembers:     5 + int(seed%23),
				MaxResultBytes: 200 + int64(seed%600),
			}
		}

		text := string(document)
		want, got := Whole(reader(text, limits, true)), Whole(reader(text, limits, false))
		if !slices.Equal(want, got) {
			t.Fatalf("seed %d, fault: %s, limits %+v (-slow path +fast path):\n%s", seed, fault, limits, cmp.Diff(want, got))
		}
	}
}

// A Departure is a reason for which a Reader reads some documents otherwise than its reference: one of
// the numbered departures of the package's comment. It is the reason if an error has the text Error, if
// the document matches a pattern, or if the reference refuses the document, and no error is reported.
type Departure struct {
	Name      string
	Error     string
	Document  *regexp.Regexp
	Accepted  bool
	Documents int // that differ for this reason, of those recorded
}

// explains reports whether the departure can be the reason for the records of a document.
func (d Departure) explains(document, answer string, errs []string) bool {
	switch {
	case d.Document != nil:
		return d.Document.MatchString(document)
	case d.Accepted:
		return answer == "error" && len(errs) == 0
	}
	return slices.ContainsFunc(errs, func(e string) bool { return strings.Contains(e, d.Error) })
}

// CheckRecorded compares a Reader with its reference. The file recorded.txt in a folder has the
// answers of the reference about documents, which are made here again: for each document its kind,
// its seed, its SHA-256, and the answer, which is "error", or the number and the digest of the
// lines that describe its records. Function read returns these lines of a document, and the errors.
// Where the answers differ, the first departure that explains it is the reason.
func (g Generated) CheckRecorded(
	t *testing.T, folder string, read func(document string) (lines, errs []string), departures ...Departure,
) {
	t.Helper()
	count, found := 0, make([]int, len(departures))

	for row := range strings.Lines(ReadFile(t, folder, "recorded.txt")) {
		if strings.HasPrefix(row, "#") {
			continue // the name and the version of the reference
		}
		if count++; count%quick.Of(1, 3) > 0 {
			continue
		}
		var kind, sum string
		var seed uint64
		if _, err := fmt.Sscan(row, &kind, &seed, &sum); err != nil {
			t.Fatal(err)
		}
		text, _ := documents.NearlyValid(g.Format, seed, 100*int(seed%10))
		if kind == "valid" {
			text = documents.Valid(g.Format, seed, 100*int(seed%10))
		}
		document := string(text)
		if fmt.Sprintf("%x", sha256.Sum256([]byte(document))) != sum {
			t.Fatalf("%s %d: not the document that the reference has read: record the answers again", kind, seed)
		}

		_, answer, _ := strings.Cut(strings.TrimSpace(row), sum+" ")
		lines, errs := read(document)
		if answer == digest(lines) || answer == "error" && len(errs) > 0 {
			continue
		}
		i := slices.IndexFunc(departures, func(d Departure) bool { return d.explains(document, answer, errs) })
		if i < 0 {
			t.Errorf("%s %d: %s, want %s\n%.3000s\nlines: %q\nerrors: %q",
				kind, seed, digest(lines), answer, document, lines, errs)
			continue
		}
		found[i]++
	}

	if count < 300 {
		t.Errorf("only %d documents", count)
	}
	for i, d := range departures {
		if found[i] != d.Documents && !quick.Test() {
			t.Errorf("%s: %d documents, want %d", d.Name, found[i], d.Documents)
		}
	}
}

// digest returns the number of lines, and a digest of them.
func digest(lines []string) string {
	hash := sha256.New()
	for _, line := range lines {
		io.WriteString(hash, line+"\n")
	}
	return fmt.Sprintf("%d %x", len(lines), hash.Sum(nil)[:8])
}
