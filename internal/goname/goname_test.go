package goname

import (
	"strings"
	"testing"

	"perfdata/traceid"
)

func TestKeys(t *testing.T) {
	for key, want := range map[string]int{
		"sub1":           1,
		"sub12":          12,
		"sub0":           0,
		"sub01":          0,
		"sub":            0,
		"sub99999999999": 0,
		"x":              0,
	} {
		if got := SubNumber(key); got != want {
			t.Errorf("SubNumber(%q) = %d, want %d", key, got, want)
		}
	}
	for key, want := range map[string]bool{
		"":           true,
		"name":       true,
		"gomaxprocs": true,
		"unit":       true,
		"sub3":       true,
		"sub0":       false,
		"units":      false,
	} {
		if got := Reserved(key); got != want {
			t.Errorf("Reserved(%q) = %v, want %v", key, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, test := range []struct {
		key, value   string
		pair, config bool
	}{
		{"size", "1", true, true},
		{"size", "", true, false},
		{"Size", "1", true, false},
		{"size", "a b", false, true},
		{"size", "a\u00a0b", false, true},
		{"é", "ü", true, true},
		{"é", "a/ü", false, true},
		{"a=b", "1", false, true},
		{"a/b", "1", false, true},
		{"a:b", "1", true, false},
		{"a b", "1", false, false},
		{"name", "a b", false, true},
		{"size", "a\nb", false, false},
		{"size", " a", false, false},
		{"size", "\xff", false, false},
		{"size", strings.Repeat("x", MaxLine), true, false},
	} {
		p := traceid.Param{Key: test.key, Value: test.value}
		if CanBePair(p) != test.pair || CanBeConfig(p) != test.config {
			t.Errorf("%.20q: pair %v, configuration %v: %v", p, CanBePair(p), CanBeConfig(p), CheckConfig(p))
		}
	}
}
