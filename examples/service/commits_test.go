package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"perfdata/store/service"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The example in README.md draws an improvement as an improvement.
func TestReadmeExample(t *testing.T) {
	firstAndLast := func(r *running) string {
		values := r.values(t, "test=decode_png")
		_, first, _ := strings.Cut(values[0], ", at ")
		_, last, _ := strings.Cut(values[len(values)-1], ", at ")
		return first + "; " + last
	}
	r := start(t, func(c *config) {
		c.tree, c.commits = filepath.Join("..", "..", "testdata", "skiav1"), "commits.txt"
	})
	if got := r.logs.wait(t, "scanned"); got["stored"] != "8" || got["failed"] != "1" {
		t.Errorf("%q", got)
	}
	if got, want := firstAndLast(r), "7cd9055, 1: 12.41; 3a1f09c, 6: 10.2"; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	_, answer := r.get(t, "/api/series?q=test%3Ddecode_png")
	if answer["order"] != "list" || answer["guess"] != false || answer["orderText"] != "order of commits: by the list of commits" {
		t.Errorf("order %v, guess %v: %v", answer["order"], answer["guess"], answer["orderText"])
	}
	commits := answer["commits"].([]any)
	want := map[string]any{
		"commit": "3a1f09c", "hash": "3a1f09c4cee3d9bfc49cc56a4bf21cb121379ddb", "time": "2026-07-26T10:00:00Z",
		"author": "Chi", "subject": "png: decode rows in place",
	}
	if diff := cmp.Diff(any(want), commits[len(commits)-1]); diff != "" {
		t.Errorf("the last commit (-want +got):\n%s", diff)
	}

	// Without the list, the service says that it guesses.
	r = start(t, func(c *config) { c.tree = filepath.Join("..", "..", "testdata", "skiav1") })
	r.logs.wait(t, "scanned")
	_, answer = r.get(t, "/api/series?q=test%3Ddecode_png")
	if answer["order"] != "source" || answer["guess"] != true || !strings.Contains(fmt.Sprint(answer["orderText"]), "a guess") {
		t.Errorf("order %v, guess %v: %v", answer["order"], answer["guess"], answer["orderText"])
	}
}

// The file of -commits is read when the service starts and when it changes.
func TestCommitsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "commits.txt")
	c := config{listen: "127.0.0.1:0", database: filepath.Join(t.TempDir(), "perf.db"), commits: file, Config: service.Config{Memory: service.MinMemory}}
	if err := run(t.Context(), c, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "commits.txt") {
		t.Errorf("without the file: %v", err)
	}
	writeFile(t, file, "a\na\n")
	if err := run(t.Context(), c, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "commits.txt:2:1: duplicate") {
		t.Errorf("with a fault: %v", err)
	}

	writeFile(t, file, "a\nb\n")
	r := start(t, func(c *config) { c.commits, c.Rescan = file, 10*time.Millisecond })
	for _, commit := range []string{"c", "b", "a"} {
		r.post(t, "name="+commit, strings.NewReader(skia(commit, 1)))
	}
	if got, want := r.order(t), "c a b by list"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	// Another file takes its place, a fault is logged, and the next version is read.
	writeFile(t, file+".new", "b\nc\na\n")
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	if got := r.logs.wait(t, "commits"); got["listed"] != "3" || got["matched"] != "3" || got["via"] != "file" {
		t.Errorf("%q", got)
	}
	if got, want := r.order(t), "b c a by list"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	writeFile(t, file, "<html>\n")
	if got := r.logs.wait(t, "the list of commits was not read"); !strings.Contains(got["error"], "commits.txt:1:1: '<' in the hash") {
		t.Errorf("%q", got)
	}
	writeFile(t, file, "a\nc\nb\nd\n")
	r.logs.wait(t, "commits")
	if got, want := r.order(t), "a c b by list"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
