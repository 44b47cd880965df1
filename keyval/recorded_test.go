package keyval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

// showLikeReference returns what the reference's answers have of a document: its iterations with their
// attributes and perf values, sorted, and how many lines were not parsed.
func showLikeReference(document string) (lines, errs []string) {
	notParsed := 0
	for it, err := range NewReader(strings.NewReader(document)).Iterations() {
		if err != nil {
			errs = append(errs, err.Error())
			if err.(*format.Error).Severity == format.Recoverable {
				notParsed++
			}
			continue
		}
		lines = append(lines, fmt.Sprintf("iteration %d", it.Index))
		var attrs, perfs []string
		for key, value := range it.Attr.All() {
			attrs = append(attrs, "attr "+key+"="+value)
		}
		for _, kv := range it.Perf {
			bits := fmt.Sprintf("%016x", math.Float64bits(kv.Value))
			if math.IsNaN(kv.Value) {
				bits = "nan"
			}
			perfs = append(perfs, "perf "+kv.Key+"="+bits)
		}
		slices.Sort(attrs)
		slices.Sort(perfs)
		lines = append(append(lines, attrs...), perfs...)
	}
	return append(lines, fmt.Sprintf("not parsed: %d", notParsed)), errs
}

func TestRecorded(t *testing.T) {
	generated := formattest.Generated{Format: Format()}
	generated.CheckRecorded(t, "testdata", showLikeReference,
		formattest.Departure{Name: "K1", Error: "is out of range", Documents: 13},
		formattest.Departure{Name: "K2", Error: "not valid UTF-8", Documents: 11},
		formattest.Departure{Name: "K2", Error: "the input is UTF-16", Documents: 16},
		formattest.Departure{Name: "K4", Error: "must be decimals without sign and exponent", Documents: 5},
	)
}
