package perun

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
)

// readLikeReference returns what the reference's answers have of a document: its resources with the
// numbers of their snapshots, the same flattened, and models, all sorted.
func readLikeReference(document string) (lines, errs []string) {
	read := func() *Reader { return NewReader(strings.NewReader(document)) }
	for res, err := range read().Resources() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		snapshot := showValue(ValueOf(res.Snapshot))
		lines = append(lines, "resource "+snapshot+" "+showValue(ValueOf(res.Fields)))
		flat, err := res.Fields.Flatten()
		if err != nil {
			errs = append(errs, err.Error())
		}
		lines = append(lines, "flat "+snapshot+" "+showValue(ValueOf(flat)))
	}
	for m, err := range read().Models() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		if !inSnapshots(document, m.Offset) { // P3
			lines = append(lines, "model "+showValue(ValueOf(m.Fields)))
		}
	}
	slices.Sort(lines)
	return append(lines, errs...), errs
}

// inSnapshots reports whether an offset is in the region snapshots, whose models the reference loses.
func inSnapshots(document string, offset int64) bool {
	numbers := strings.NewReplacer("Infinity", "10000000", "NaN", "100") // P10
	dec := json.NewDecoder(strings.NewReader(numbers.Replace(document)))
	for _, err := dec.Token(); err == nil && dec.More(); {
		var name, start, value = json.Token(nil), int64(0), json.RawMessage(nil)
		if name, err = dec.Token(); err != nil {
			break
		}
		start = dec.InputOffset()
		if err = dec.Decode(&value); name == "snapshots" && start <= offset && offset < dec.InputOffset() {
			return true
		}
	}
	return false
}

// showValue returns a value as text: numbers by their bits, so that no two ways to print them matter.
func showValue(v Value) string {
	if f, ok := v.Float(); ok {
		return fmt.Sprintf("n%016x", math.Float64bits(f+0)) // no -0
	}
	if text, ok := v.Text(); ok {
		return fmt.Sprintf("s%d:%s", len(text), text)
	}
	var parts []string
	switch v.kind {
	case jsonscan.Array:
		for _, item := range v.List() {
			parts = append(parts, showValue(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case jsonscan.Object:
		fields := slices.Clone(v.Fields())
		slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
		for _, f := range fields {
			parts = append(parts, showValue(ValueOf(f.Key))+":"+showValue(f.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	text, _ := v.MarshalJSON()
	return string(text) // null, true, false
}

func TestRecorded(t *testing.T) {
	generated := formattest.Generated{Format: Format()}
	generated.CheckRecorded(t, "testdata", readLikeReference,
		formattest.Departure{Name: "P8", Error: "duplicate member", Documents: 12},
		formattest.Departure{Name: "P1", Error: "Invalid type", Documents: 2},
		formattest.Departure{Name: "P22", Document: regexp.MustCompile(`\\u[dD][89a-fA-F]`), Documents: 3},
		formattest.Departure{Name: "P21", Document: regexp.MustCompile(`"models"\s*:\s*null`), Documents: 1},
	)
}
