package service

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const bench = "goos: linux\nBenchmarkSort-8 100 294 ns/op\n"

// Results of go test -bench name no commit: the URL does.
func TestUploadCommit(t *testing.T) {
	r := start(t, func(c *config) { c.AllowNoCommit = false })
	status, answer := r.post(t, "name=bench.txt", strings.NewReader(bench))
	detail := fmt.Sprint(answer["detail"])
	if status != http.StatusUnprocessableEntity ||
		!strings.Contains(detail, "measurement without a commit: want a commit in the file") {
		t.Errorf("%d %v", status, answer)
	}
	for _, param := range []string{"name", "format", "commit"} {
		status, answer := r.post(t, param+"=", strings.NewReader(bench))
		if status != http.StatusBadRequest || !strings.HasPrefix(fmt.Sprint(answer["detail"]), param+" is empty") {
			t.Errorf("%d %v", status, answer)
		}
	}
	for i, commit := range []string{"c1", "c2", "c3"} {
		text := strings.Replace(bench, "294", fmt.Sprint(i), 1)
		if status, answer := r.post(t, "name=bench.txt&commit="+commit, strings.NewReader(text)); status != http.StatusCreated {
			t.Errorf("%d %v", status, answer)
		}
	}
	const id = ",gomaxprocs=8,goos=linux,name=Sort,unit=ns_op,"
	want := []string{id + " at c1, 1: 0", id + " at c2, 1: 1", id + " at c3, 1: 2"}
	if diff := cmp.Diff(want, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where it is allowed, each run without a commit is a point of its own.
func TestUploadNoCommit(t *testing.T) {
	r := start(t, func(c *config) { c.AllowNoCommit = true })
	for _, query := range []string{"run=mon", "run=tue", "run=tue&name=second", ""} {
		if status, answer := r.post(t, query, strings.NewReader(bench)); status != http.StatusCreated {
			t.Errorf("%d %v", status, answer)
		}
	}
	_, answer := r.get(t, "/api/series")
	var runs []string
	for _, p := range answer["series"].([]any)[0].(map[string]any)["points"].([]any) {
		p := p.(map[string]any)
		if p["hour"] == nil {
			t.Errorf("point without an hour: %v", p)
		}
		run := fmt.Sprint(p["run"])
		if strings.HasPrefix(run, "uploads/") {
			run = "a path"
		}
		runs = append(runs, fmt.Sprint(run, " ", p["n"]))
	}
	if diff := cmp.Diff([]string{"mon 1", "tue 1", "tue 2", "a path 1"}, runs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The last of several corrections always wins.
func TestCorrections(t *testing.T) {
	r := start(t, nil)
	for i := range 12 {
		if status, answer := r.post(t, "name=a.json", strings.NewReader(skia("a", i))); status != http.StatusCreated {
			t.Fatal(answer)
		}
		if diff := cmp.Diff([]string{fmt.Sprint(",test=draw, at a, 1: ", i)}, r.values(t, "")); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestRepeatedUpload(t *testing.T) {
	r := start(t, nil)
	steps := []struct {
		name, query, key, body string
		status                 int
		first                  int // the step whose path the answer has, from 1
	}{
		{"stored", "name=a.json", "", skia("a", 1), 201, 1},
		{"the same content", "name=a.json", "", skia("a", 1), 200, 1},
		{"another run", "name=a.json&run=7", "", skia("a", 1), 201, 3},
		{"a key", "name=b.json", "k1", skia("b", 1), 201, 4},
		{"the same key", "name=other.json", "k1", skia("b", 1), 200, 4},
		{"the key of other content", "", "k1", skia("b", 2), 409, 0},
		{"another key", "name=b.json", "k2", skia("b", 1), 201, 7},
		{"a key that is too long", "", strings.Repeat("k", 1001), skia("b", 1), 400, 0},
	}
	paths := make([]any, len(steps)+1)
	for i, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			status, answer := r.post(t, step.query, strings.NewReader(step.body), idempotencyKey, step.key)
			if status != step.status {
				t.Fatalf("%d %v", status, answer)
			}
			if paths[i+1] = answer["path"]; step.first > 0 && answer["path"] != paths[step.first] {
				t.Errorf("path %v, want %v", answer["path"], paths[step.first])
			}
			if status < 300 && answer["records"] != 1. {
				t.Errorf("%v", answer)
			}
		})
	}
}

func TestReplacingUpload(t *testing.T) {
	r := start(t, nil)
	bad := strings.Replace(skia("a", 1), `"draw"`, `"drow"`, 1)
	_, answer := r.post(t, "name=bad.json", strings.NewReader(bad))
	path := fmt.Sprint(answer["path"])
	if got := r.values(t, ""); len(got) != 1 || !strings.HasPrefix(got[0], ",test=drow,") {
		t.Fatalf("%q", got)
	}

	query := "name=good.json&replaces=" + url.QueryEscape(path)
	status, good := r.post(t, query, strings.NewReader(skia("a", 2)))
	if status != http.StatusCreated {
		t.Fatalf("%d %v", status, good)
	}
	if diff := cmp.Diff([]string{",test=draw, at a, 1: 2"}, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if status, again := r.post(t, query, strings.NewReader(skia("a", 2))); status != http.StatusOK || again["path"] != good["path"] {
		t.Errorf("%d %v", status, again)
	}
	_, files := r.get(t, "/api/files")
	for _, f := range files["files"].([]any) {
		if f := f.(map[string]any); f["path"] == path && f["replacedBy"] != good["path"] {
			t.Errorf("the replaced file: %v", f)
		}
	}

	status, answer = r.post(t, "replaces=nothing.json", strings.NewReader(skia("a", 3)))
	if detail := fmt.Sprint(answer["detail"]); status != http.StatusNotFound ||
		!strings.Contains(detail, `"nothing.json" is not in the store`) {
		t.Errorf("%d %v", status, answer)
	}
	if status, answer := r.post(t, "replaces=", strings.NewReader(skia("a", 3))); status != http.StatusBadRequest {
		t.Errorf("%d %v", status, answer)
	}
	if diff := cmp.Diff([]string{",test=draw, at a, 1: 2"}, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
