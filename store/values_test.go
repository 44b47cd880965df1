package store

import (
	"fmt"
	"testing"
)

// A query with a regular expression follows changes after the values were cached, including changes
// by other processes.
func TestValuesFollow(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		reader, writer := open(t, name), open(t, name)
		many := func(prefix string, traces int) (results []string) {
			for i := range traces {
				results = append(results, fmt.Sprintf("%s%d=1", prefix, i))
			}
			return results
		}
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"empty", func() {}},
			{"two values", func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }},
			{"one more", func() { putAll(t, writer, tree{"b.json": skia(at("c2"), "z=1")}) }},
			{"of another key", func() { putAll(t, writer, tree{"c.json": skia(at("c2")+`,"key":{"os":"linux"}`, "x=2", "y=1")}) }},
			{"few new traces", func() { putAll(t, writer, tree{"d.json": skia(at("c3"), many("x", 10)...)}) }},
			{"many new traces", func() { putAll(t, writer, tree{"e.json": skia(at("c3"), many("y", maxNamesRead+50)...)}) }},
			{"deletion", func() { deletePath(t, writer, "a.json") }},
			{"the same", func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }},
			{"another deletion", func() { deletePath(t, writer, "e.json") }},
			{"vacuum", func() {
				if _, err := writer.Vacuum(t.Context()); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			t.Run(step.name, func(t *testing.T) {
				step.do()
				for _, query := range []string{"test=~^[xz]", "test=~1$&os=~.", "test=~^y", "other=~."} {
					fresh := open(t, name)
					want := found(t, fresh, query, Range{})
					fresh.Close()
					for range 2 {
						check(t, query, want, found(t, reader, query, Range{}))
					}
				}
			})
		}
	})
}
