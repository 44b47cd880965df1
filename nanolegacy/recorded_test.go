package nanolegacy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// readLikeReference returns what the reference's answers have of a document: trace IDs with values as
// float32 or with samples, sorted, and the commit.
func readLikeReference(document string) (lines, errs []string) {
	read := func() *Reader {
		r := NewReader(strings.NewReader(document))
		r.OptionsAsParams = true
		return r
	}
	r := read()
	for rec, err := range r.Records() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		lines = append(lines, rec.TraceID()+" "+strconv.FormatFloat(float64(float32(rec.Value)), 'g', -1, 32))
	}
	for s, err := range read().Samples() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		line := s.Params.ID() + " samples"
		for _, v := range s.Values {
			line += " " + strconv.FormatFloat(v, 'g', -1, 64)
		}
		lines = append(lines, line)
	}
	if lines != nil {
		slices.Sort(lines)
		h, _ := r.Header()
		lines = append(lines, "commit "+h.GitHash)
	}
	return append(lines, errs...), errs // the reference does not say what it leaves out
}

func TestRecorded(t *testing.T) {
	generated.CheckRecorded(t, "testdata", readLikeReference,
		formattest.Departure{Name: "N6", Error: "duplicate member", Documents: 7},
		formattest.Departure{Name: "N9", Error: "data after the end", Documents: 3},
		formattest.Departure{Name: "N10", Error: "not valid UTF-8", Documents: 5},
		formattest.Departure{Name: "N1", Error: "Expected: number", Documents: 7},
		formattest.Departure{Name: "N7", Document: regexp.MustCompile(`:\s*null`), Documents: 1},
		formattest.Departure{Name: "N5", Document: regexp.MustCompile(`"[A-Z][A-Za-z]*"\s*:\s*["{]`), Documents: 2},
	)
}
