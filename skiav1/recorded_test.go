package skiav1

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// readLikeReference returns what the reference's answers have of a document: trace IDs, values as
// float32 and links, sorted, and the commit.
func readLikeReference(document string) (lines, errs []string) {
	r := NewReader(strings.NewReader(document))
	for rec, err := range r.Records() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		line := rec.TraceID() + " " + strconv.FormatFloat(float64(float32(rec.Value)), 'g', -1, 32)
		for _, link := range rec.Links {
			line += fmt.Sprintf(" %q->%q", link.Key, link.Value)
		}
		lines = append(lines, line)
	}
	if lines != nil {
		slices.Sort(lines)
		h, _ := r.Header()
		lines = append(lines, "commit "+h.GitHash)
	}
	return append(lines, errs...), errs // the reference leaves nothing out
}

func TestRecorded(t *testing.T) {
	generated.CheckRecorded(t, "testdata", readLikeReference,
		formattest.Departure{Name: "S1", Error: "missing number", Documents: 10},
		formattest.Departure{Name: "S1", Error: "Invalid type. Expected: object", Documents: 1},
		formattest.Departure{Name: "S3", Error: "duplicate member", Documents: 7},
		formattest.Departure{Name: "S5", Error: "data after the end", Documents: 4},
		formattest.Departure{Name: "S6", Error: "the measurement has no params", Documents: 1},
		formattest.Departure{Name: "S7", Error: "not valid UTF-8", Documents: 6},
		formattest.Departure{Name: "S8", Document: regexp.MustCompile(`:\s*null`), Documents: 5},
		formattest.Departure{Name: "S2", Document: regexp.MustCompile(`"[A-Z][a-z]*"\s*:`), Documents: 1},
	)
}
