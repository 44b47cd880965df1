package main

import (
	"fmt"
	"os"
	"testing"
	"strings"
)

func TestFull(t *testing.T) {
	only := os.Getenv("FULL")
	if only == "" {
		t.Skip()
	}
	for _, r := range perunWorkloads {
		if !strings.HasPrefix(r.name, only) { continue }
		n := r.results
		if strings.HasPrefix(r.name, "snap") { n /= 10 }
		d := r.make(n)
		var cs []contestant
		for _, c := range perunContestants(d.Records()) {
			if strings.HasPrefix(c.name, "perfdata") || c.name == yardstick || strings.HasPrefix(c.name, "simd") {
				cs = append(cs, c)
			}
		}
		scores, err := compete(cs, d.Bytes(), 5)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(r.name, d.Records(), d.Size())
		base := scores[yardstick]
		for _, c := range cs {
			s := scores[c.name]
			if s == nil { continue }
			fmt.Printf("%8.1f ms  ratio %.2f best %.2f  allocs %.3f  %s\n", float64(s.median().Microseconds())/1e3, ratio(base.median(), s.median()), ratio(base.best(), s.best()), float64(s.mallocs)/float64(d.Records()), c.name)
		}
	}
}
