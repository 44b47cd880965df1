package service

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// raw returns the status, a header and the body of an answer.
func (r *running) raw(t *testing.T, path, header string, accept ...string) (status int, value string, body string) {
	t.Helper()
	request, err := http.NewRequest("GET", r.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, encoding := range accept {
		request.Header.Set("Accept-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get(header), string(text)
}

// version returns the version of the data of the page.
func (r *running) version(t *testing.T, query string) string {
	t.Helper()
	status, _, text := r.raw(t, "/api/report?"+query, "")
	var head struct{ Version string }
	if err := json.Unmarshal([]byte(text), &head); err != nil || status != http.StatusOK {
		t.Fatalf("%d %v %s", status, err, text)
	}
	return head.Version
}

// The data of the page has versions, and is compressed if the client takes that.
func TestReportData(t *testing.T) {
	r := start(t, nil)
	uploadHistory(t, r)
	version := r.version(t, "")
	for _, test := range []struct {
		path   string
		status int
		want   string // in the body
	}{
		{"", 200, `"about":`},
		{"?have=" + version, 204, ""},
		{"?have=other", 200, `"version":"` + version + `"`},
		{"/findings?version=" + version, 200, `class=\"badge worse\"`},
		{"/findings?version=" + version, 200, `class=\"badge worse\"`},
		{"/findings?version=other", 410, "there is a newer version"},
		{"/values?block=0&version=" + version, 200, ""},
		{"/values?block=1&version=" + version, 400, "block: want a number under 1"},
		{"/values?block=x&version=" + version, 400, "block: want a number under 1"},
		{"/links?series=0&commit=0&version=" + version, 200, "{}"},
		{"/links?series=2&commit=0&version=" + version, 400, "series: want a number under 2"},
		{"/links?series=0&commit=-1&version=" + version, 400, "commit: want a number under 30"},
		{"?q=a", 400, "q: "},
		{"?q=" + url.QueryEscape("name==x"), 400, "did you mean name=x?"},
		{"?q=" + url.QueryEscape("nam=x"), 200, "no series matches the query: no series has a param nam; did you mean name?"},
		{"?threshold=2", 400, "threshold: "},
		{"?nosuch=1", 400, "unknown parameter"},
		{"?last=none", 404, ""},
	} {
		status, _, text := r.raw(t, "/api/report"+test.path, "")
		if status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s: %d %.900s", test.path, status, text)
		}
	}

	for _, path := range []string{"/", "/api/report", "/api/report/findings?version=" + version} {
		_, encoding, short := r.raw(t, path, "Content-Encoding", "gzip")
		_, plain, long := r.raw(t, path, "Content-Encoding", "identity")
		if encoding != "gzip" || plain != "" || len(short) > len(long)*3/4 {
			t.Errorf("%s: %q with %d bytes, %q with %d", path, encoding, len(short), plain, len(long))
		}
	}
}

// Stored files are in the next version. A page that has the older one is told so.
func TestReportVersions(t *testing.T) {
	r := start(t, nil)
	uploadHistory(t, r)
	first := r.version(t, "")
	if status, answer := r.post(t, "commit=c99", strings.NewReader("BenchmarkHash 100 51 ns/op\n")); status != http.StatusCreated {
		t.Fatal(answer)
	}
	for next := first; next == first; { // the age at which data is made again depends on the time that it takes
		next = r.version(t, "")
	}
	if status, _, text := r.raw(t, "/api/report/values?block=0&version="+first, ""); status != http.StatusGone {
		t.Errorf("an older version: %d %s", status, text)
	}

	// Of many queries, the data of the last ones is kept.
	var versions []string
	for i := range maxSnapshots + 1 {
		versions = append(versions, r.version(t, fmt.Sprintf("last=c%02d", 20+i)))
	}
	var got []int
	for i, v := range versions {
		status, _, _ := r.raw(t, fmt.Sprintf("/api/report/findings?last=c%02d&version=%s", 20+i, url.QueryEscape(v)), "")
		got = append(got, status)
	}
	if diff := cmp.Diff([]int{410, 200, 200, 200}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Changes are accepted as soon as their file says so. A fault of the file is a problem of the page.
func TestReportKnown(t *testing.T) {
	for _, charset := range []string{"", "[^a-z0-9]"} {
		t.Run(charset, func(t *testing.T) { testReportKnown(t, charset) })
	}
}

func testReportKnown(t *testing.T, charset string) {
	name := filepath.Join(t.TempDir(), "known.txt")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	r := start(t, func(c *config) { c.Known, c.Charset = name, charset })
	uploadHistory(t, r)
	version := ""
	for _, test := range []struct{ text, head, found, not string }{
		{"", "", `class=\"accept\"`, "Accepted"},
		{"name=Draw c15 faster sums elsewhere", "", "Accepted: <bdi>faster sums elsewhere</bdi>", `class=\"accept\"`},
		{"name=Other c15 x", "", `class=\"accept\"`, "Accepted"},
		{"# none\nname", name + ":2:1: want QUERY COMMIT REASON", `class=\"accept\"`, "Accepted"},
	} {
		if charset != "" {
			test.text = strings.Replace(test.text, "Draw", "_raw", 1) // as in the ID
		}
		write(test.text)
		status, _, head := r.raw(t, "/api/report?have="+version, "")
		if status != http.StatusOK {
			t.Errorf("%q: an open page gets status %d", test.text, status)
		}
		version = r.version(t, "")
		_, _, found := r.raw(t, "/api/report/findings?version="+version, "")
		found = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(found)
		if !strings.Contains(head, test.head) || !strings.Contains(found, test.found) || strings.Contains(found, test.not) {
			t.Errorf("%q: %s\n%s", test.text, head, found)
		}
	}
}
