package plausible

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Names and numbers have the lengths that their comments say.
func TestText(t *testing.T) {
	r := New(99, 0)
	var names, digits []int
	for range 10_000 {
		names = append(names, len(AppendName(nil, &r)))

		number := string(AppendNumber(nil, &r))
		if !json.Valid([]byte(number)) {
			t.Fatalf("not a number: %s", number)
		}
		mantissa, _, _ := strings.Cut(number, "e")
		mantissa = strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")
		digits = append(digits, len(mantissa))
	}
	slices.Sort(names)
	slices.Sort(digits)
	if p10, p90 := names[1000], names[9000]; p10 < 4 || p10 > 12 || p90 < 30 || p90 > 60 {
		t.Errorf("names: 10%% have %d bytes or fewer, 10%% %d or more", p10, p90)
	}
	low, median, high := digits[0], digits[5000], digits[9999]
	if low != 1 || median < 5 || median > 12 || high < 17 || high > 18 {
		t.Errorf("numbers: %d to %d digits, median %d", low, high, median)
	}
}
