package main

import (
	"os"
	"testing"
	"strings"
)

func TestOne(t *testing.T) {
	w, c1, _ := strings.Cut(os.Getenv("ONE"), "/")
	for _, r := range perunWorkloads {
		if r.name != w { continue }
		n := r.results; loops := 20; if os.Getenv("SMALL") != "" { n = max(1, r.results/50); loops = 3 }
		if strings.HasPrefix(r.name, "snap") { n = max(1, n/10) }
		d := r.make(n)
		doc := d.Bytes()
		for _, c := range perunContestants(d.Records()) {
			if c.name == c1 {
				for range loops { if err := c.read(doc); err != nil { t.Fatal(err) } }
			}
		}
	}
}
