package service

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// uploadHistory uploads thirty commits with three values each. From the sixteenth on, draw is slower by
// a quarter.
func uploadHistory(t *testing.T, r *running) {
	t.Helper()
	var commits strings.Builder
	for i := range 30 {
		commit := fmt.Sprintf("c%02d", i)
		fmt.Fprintln(&commits, commit)
		var text strings.Builder
		for n := range 3 {
			draw := 100 + (i*7+n*3)%5
			if i >= 15 {
				draw += 25
			}
			fmt.Fprintf(&text, "BenchmarkDraw 100 %d ns/op\nBenchmarkHash 100 %d ns/op\n", draw, 50+(i*3+n)%4)
		}
		query := "name=run.txt&commit=" + commit
		if status, answer := r.post(t, query, strings.NewReader(text.String())); status != http.StatusCreated {
			t.Fatal(answer)
		}
	}
	if status, answer := r.send(t, "PUT", "/api/commits", commits.String()); status != http.StatusOK {
		t.Fatal(status, answer)
	}
}

func TestChanges(t *testing.T) {
	r := start(t, nil)
	uploadHistory(t, r)

	status, answer := r.get(t, "/api/changes")
	if status != http.StatusOK {
		t.Fatal(status, answer)
	}
	found := answer["series"].([]any)[0].(map[string]any)
	point := found["points"].([]any)[0].(map[string]any)
	cause := answer["findings"].([]any)[0].(map[string]any)
	got := fmt.Sprintln(len(answer["series"].([]any)), found["trace"], point["commit"], point["kind"], point["before"], point["after"],
		len(answer["findings"].([]any)), len(fmt.Sprint(cause["id"])), cause["commit"], cause["worse"], cause["traces"], answer["order"], answer["more"])
	want := "1 ,name=Draw,unit=ns_op, c15 step 102 127 1 10 c15 1 [,name=Draw,unit=ns_op,] list false\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A threshold above the change, or commits before it, leave no finding.
	for _, query := range []string{"threshold=0.3", "last=c14", "q=name%3DHash"} {
		if _, answer := r.get(t, "/api/changes?"+query); len(answer["findings"].([]any)) != 0 {
			t.Errorf("%s: %v", query, answer["findings"])
		}
	}
}

// Changes asks as the tool does: of the same series, whatever the date in their params.
func TestChangesAsks(t *testing.T) {
	r := start(t, nil)
	for i := range 20 {
		text := fmt.Sprintf("date: 2026-01-%02d\nBenchmarkDraw 100 %d ns/op\n", i+1, 100+100*(i/10))
		if status, answer := r.post(t, fmt.Sprintf("commit=CP:%d", i+1), strings.NewReader(text)); status != http.StatusCreated {
			t.Fatal(answer)
		}
	}
	for query, want := range map[string]string{
		"":                      "200 [,name=Draw,unit=ns_op,]",
		"first=CP:2&last=CP:20": "200 [,name=Draw,unit=ns_op,]",
		"first=CP:11":           "200 <nil>",
		"first=none":            "404 <nil>",
		"last=none":             "404 <nil>",
		"from=2026-01-01":       "400 <nil>",
	} {
		status, answer := r.get(t, "/api/changes?"+query)
		var traces any
		if findings, _ := answer["findings"].([]any); len(findings) > 0 {
			traces = findings[0].(map[string]any)["traces"]
		}
		if got := fmt.Sprint(status, " ", traces); got != want {
			t.Errorf("%s: %s, want %s: %v", query, got, want, answer)
		}
	}
}

func TestCompare(t *testing.T) {
	r := start(t, nil)
	uploadHistory(t, r)
	for _, test := range []struct{ query, want string }{
		{"old=c14&new=c15&alpha=0.2", ",name=Draw,unit=ns_op, 3 103 3 126 worse; ,name=Hash,unit=ns_op, 3 52 3 52 same"},
		{"old=c14&new=c15", ",name=Draw,unit=ns_op, 3 103 3 126 unknown; ,name=Hash,unit=ns_op, 3 52 3 52 unknown"},
		{"old=c15&new=c15&q=name%3DDraw", ",name=Draw,unit=ns_op, 3 126 3 126 unknown"},
	} {
		status, answer := r.get(t, "/api/compare?"+test.query)
		if status != http.StatusOK {
			t.Fatal(status, answer)
		}
		var rows []string
		for _, row := range answer["series"].([]any) {
			row := row.(map[string]any)
			old, new := row["old"].(map[string]any), row["new"].(map[string]any)
			rows = append(rows, fmt.Sprint(row["trace"], " ", old["n"], old["median"], new["n"], new["median"], " ", row["verdict"]))
		}
		if diff := cmp.Diff(test.want, strings.Join(rows, "; ")); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", test.query, diff)
		}
	}
	for query, want := range map[string]int{
		"": 400, "old=c14": 400, "old=c14&new=none": 404, "old=c14&new=c15&alpha=2": 400, "old=c14&new=c15&alpha=0": 400,
		"old=c14&new=c15&q=a": 400, "old=c14&new=c15&threshold=x": 400, "old=c14&new=c15&limit=1": 400,
	} {
		if status, answer := r.get(t, "/api/compare?"+query); status != want {
			t.Errorf("%s: status %d, want %d: %v", query, status, want, answer)
		}
	}
}

// A comparison of more values than the memory holds is refused.
func TestCompareLimit(t *testing.T) {
	_, h, _ := newTestService(t, func(c *config) { c.Memory, c.Upload.Bytes = MinMemory, 1<<30 })
	uploadTo(t, h, "many.txt", "commit: many\n"+strings.Repeat("BenchmarkMany 1 5 ns/op\n", 60_000))
	uploadTo(t, h, "a.json", skia("a", 1))
	got := request(h, "GET", "/api/compare?old=many&new=a", nil)
	if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), "more than 41943 values") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := request(h, "GET", "/api/compare?old=many&new=a&q=test=draw", nil); got.Code != http.StatusOK {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
