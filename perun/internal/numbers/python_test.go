package numbers_test

import (
	"regexp"
	"testing"

	"perfdata/perun/internal/numbers"
)

// Numbers are written as Python writes them.
func TestPythonNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "-0.0", "1.0": "1.0", "100": "100", "1e2": "100.0",
		"1E+2": "100.0", "0.1": "0.1", "0.0001": "0.0001", "0.00012": "0.00012",
		"0.00001":                 "1e-05",
		"1e16":                    "1e+16",
		"123456789012345680.0":    "1.2345678901234568e+17",
		"9999999999999998.0":      "9999999999999998.0",
		"1e15":                    "1000000000000000.0",
		"1.10":                    "1.1",
		"4310.180936395099":       "4310.180936395099",
		"0.1000000000000000055":   "0.1",
		"12345678901234567890123": "12345678901234567890123",
		"NaN":                     "nan",
		"Infinity":                "inf",
		"-Infinity":               "-inf",
		"1e999":                   "inf",
		"10.0e-1":                 "1.0",
		"0.00":                    "0.0",
	} {
		if got := numbers.Python(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// IsDecimal agrees with its definition.
func FuzzIsDecimal(f *testing.F) {
	for _, text := range []string{
		"", "0", "-0", "7", "-7", "007", "1.", ".5", "1.50", "1.0", "-1.5", "0.00012", "0.00001", "1e5", "12\x00", "x",
		"4310.180936395099", "0.1000000000000000055", "12345678901234567890123", "123456789012345678901234567890",
		"-12345678901234567890123", "1234567890123456789012.5", "0.30000000000000004", "1.5e3", "12,", "12]",
	} {
		f.Add(text)
	}
	decimal := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		want := decimal.MatchString(text) && numbers.Python(text) == text
		if got := numbers.IsDecimal(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}
