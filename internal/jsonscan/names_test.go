package jsonscan

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
)

// Every name is added once, even among many or long names.
func TestNames(t *testing.T) {
	s := New(strings.NewReader(""), "", format.Limits{}.WithDefaults())
	var names Names
	for _, count := range []int{0, 1, 2, 10, 11, 12, 13, 23, 24, 100, 5000} {
		for _, prefix := range []string{"", "name ", strings.Repeat("x", 100)} {
			names.Reset()
			if !names.Add(s, nil) || names.Add(s, []byte{}) {
				t.Errorf("the empty name")
			}
			for i := range count {
				if !names.Add(s, fmt.Appendf(nil, "%s%d", prefix, i)) {
					t.Errorf("%d names: %s%d isn't there yet", count, prefix, i)
				}
			}
			for i := range count {
				if names.Add(s, fmt.Appendf(nil, "%s%d", prefix, i)) {
					t.Errorf("%d names: %s%d is there already", count, prefix, i)
				}
			}
			if names.Add(s, nil) {
				t.Errorf("%d names: the empty name is there already", count)
			}
		}
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
}

func BenchmarkNames(b *testing.B) {
	s := New(strings.NewReader(""), "", format.Limits{}.WithDefaults())
	for _, count := range []int{4, 16, 1000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			var list [][]byte
			for i := range count {
				list = append(list, fmt.Appendf(nil, "name_%d_640_480", i))
			}
			var names Names
			for b.Loop() {
				names.Reset()
				for _, name := range list {
					if !names.Add(s, name) {
						b.Fatal(string(name))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/name")
		})
	}
}
