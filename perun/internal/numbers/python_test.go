package numbers_test

import (
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
