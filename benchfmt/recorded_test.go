package benchfmt

import (
	"regexp"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

// readLikeReference returns what the reference's answers have of a document, which showPerf shows.
func readLikeReference(document string) (lines, errs []string) {
	for _, err := range NewReader(strings.NewReader(document)).Results() {
		if err != nil {
			errs = append(errs, err.Error())
		}
	}
	return showOurs(document), errs
}

func TestRecorded(t *testing.T) {
	generated := formattest.Generated{Format: Format()}
	generated.CheckRecorded(t, "testdata", readLikeReference,
		formattest.Departure{Name: "B5", Error: "the input is UTF-16", Documents: 26},
		formattest.Departure{Name: "B4", Document: regexp.MustCompile(`(?m)^\{"`), Documents: 54},
		formattest.Departure{Name: "B1", Error: "invalid UTF-8", Documents: 16},
	)
}
