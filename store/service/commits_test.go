package service

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// order returns the order of the commits in an answer.
func (r *running) order(t *testing.T) string {
	t.Helper()
	_, answer := r.get(t, "/api/commits")
	var names []string
	for _, c := range answer["commits"].([]any) {
		c := c.(map[string]any)
		names = append(names, fmt.Sprint(c["commit"]))
	}
	return fmt.Sprintf("%s by %s", strings.Join(names, " "), answer["order"])
}

// send sends a request with a body, and returns the status and the answer.
func (r *running) send(t *testing.T, method, path, body string, header ...string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return do(t, request)
}

func TestSetCommits(t *testing.T) {
	r := start(t, func(c *config) { c.Token, c.Upload.Bytes = "secret", 4<<10 })
	token := []string{"Authorization", "Bearer secret"}
	for _, commit := range []string{"bb01", "aa01", "cc01"} {
		if status, answer := r.post(t, "name="+commit, strings.NewReader(skia(commit, 1)), token...); status != http.StatusCreated {
			t.Fatal(answer)
		}
	}
	if got, want := r.order(t), "bb01 aa01 cc01 by source"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "%08x\n", i)
	}
	for _, test := range []struct {
		name, method, query, body string
		header                    []string
		status                    int
		want                      map[string]any // some members of the answer
		order                     string
	}{
		{name: "no token", method: "PUT", body: "aa01\n", status: 401, order: "bb01 aa01 cc01 by source"},
		{name: "no token to delete", method: "DELETE", status: 401, order: "bb01 aa01 cc01 by source"},
		{name: "page of another site", method: "PUT", body: "aa01\n", header: append(token, "Origin", "https://example.com"),
			status: 403, order: "bb01 aa01 cc01 by source"},
		{name: "empty", method: "PUT", header: token, status: 422, order: "bb01 aa01 cc01 by source",
			want: map[string]any{"detail": "commits:1:1: empty list: want commits"}},
		{name: "a fault", method: "PUT", body: "aa01\nbb01\naa01\n", header: token, status: 422, order: "bb01 aa01 cc01 by source",
			want: map[string]any{"position": map[string]any{"line": 3., "column": 1., "offset": 10.}}},
		{name: "git rev-list --reverse", method: "PUT", body: "aa01ffff\nbb01ffff\nbb01eeee\ncc01\n", header: token, status: 200,
			order: "bb01 aa01 cc01 by list", want: map[string]any{
				"listed": 4., "kept": 0., "matched": 2., "unmatched": 0., "ambiguous": 1., "ambiguousNames": []any{"bb01"},
			}},
		{name: "git log", method: "PUT", body: "cc02 aa02\t20\tAnn\tc\naa02 \t10\tAnn\ta\n", header: token, query: "?repository=x",
			status: 200, order: "bb01 aa01 cc01 by list", want: map[string]any{"listed": 2., "kept": 0., "matched": 2., "ambiguous": 1.}},
		{name: "unknown parameter", method: "PUT", body: "aa01\n", query: "?repo=x", header: token, status: 400,
			order: "bb01 aa01 cc01 by list"},
		{name: "too large", method: "PUT", body: many.String(), header: token, status: 413, order: "bb01 aa01 cc01 by list"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer := r.send(t, test.method, "/api/commits"+test.query, test.body, test.header...)
			if status != test.status {
				t.Errorf("%d %v", status, answer)
			}
			for key, want := range test.want {
				if diff := cmp.Diff(want, answer[key]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
			if got := r.order(t); got != test.order {
				t.Errorf("%s, want %s", got, test.order)
			}
		})
	}

	for _, repository := range []string{"", "x"} {
		request, err := http.NewRequest("DELETE", r.url+"/api/commits?repository="+repository, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer secret")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			t.Errorf("status %d", response.StatusCode)
		}
	}
	if got, want := r.order(t), "bb01 aa01 cc01 by source"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A parameter that a handler does not know, or that is given twice, is refused by name.
func TestUnknownParams(t *testing.T) {
	s, _, _ := newTestService(t, nil)
	r := start(t, nil)
	for _, route := range s.routes() {
		pattern, known := route.pattern, route.params
		method, path, _ := strings.Cut(pattern, " ")
		for query, detail := range map[string]string{
			"?comit=abc": `unknown parameter "comit": want `,
			"?x;y=z":     "the query of the URL: ",
			"?x=%zz":     "the query of the URL: ",
		} {
			status, answer := r.send(t, method, path+query, skia("a", 1))
			got, _ := answer["detail"].(string)
			if status != http.StatusBadRequest || !strings.HasPrefix(got, detail) {
				t.Errorf("%s: %d %v", pattern+query, status, answer)
			}
			if query == "?comit=abc" && !strings.HasSuffix(got, strings.Join(known, ", ")) {
				t.Errorf("%s: %q does not end with %q", pattern, got, known)
			}
		}
		if len(known) == 0 {
			continue
		}
		name := known[0]
		status, answer := r.send(t, method, path+"?"+name+"=a&"+name+"=b", skia("a", 1))
		if got, _ := answer["detail"].(string); status != http.StatusBadRequest || !strings.Contains(got, "2 times: want it once") {
			t.Errorf("%s: %d %v", pattern, status, answer)
		}
	}
	if got := r.values(t, ""); len(got) > 0 {
		t.Errorf("a refused upload was stored: %q", got)
	}
}
