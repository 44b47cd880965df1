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
		name         string
		key, value   string
		pair, config bool
	}{
		{"a pair", "size", "1", true, true},
		{"an empty value", "size", "", true, false},
		{"an upper case key", "Size", "1", true, false},
		{"a space in the value", "size", "a b", false, true},
		{"a no-break space", "size", "a\u00a0b", false, true},
		{"letters that are not ASCII", "é", "ü", true, true},
		{"a slash in the value", "é", "a/ü", false, true},
		{"an equals sign in the key", "a=b", "1", false, true},
		{"a slash in the key", "a/b", "1", false, true},
		{"a colon in the key", "a:b", "1", true, false},
		{"a space in the key", "a b", "1", false, false},
		{"name with a space", "name", "a b", false, true},
		{"a line end", "size", "a\nb", false, false},
		{"a leading space", "size", " a", false, false},
		{"invalid UTF-8", "size", "\xff", false, false},
		{"a long value", "size", strings.Repeat("x", MaxLine), true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := traceid.Param{Key: test.key, Value: test.value}
			if CanBePair(p) != test.pair || CanBeConfig(p) != test.config {
				t.Errorf("%.20q: pair %v, configuration %v: %v", p, CanBePair(p), CanBeConfig(p), CheckConfig(p))
			}
		})
	}
}
