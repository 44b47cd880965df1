package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// noise returns a page of series with three repetitions at each commit, one of which has a step.
func noise(nSeries, nCommits int, repeated bool) *report.Page {
	random := rand.New(rand.NewPCG(1, 2))
	p := &report.Page{Title: "Noise", Notes: []string{"order of commits: by the list of commits"}}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for c := range nCommits {
		p.Commits = append(p.Commits, series.Commit{
			Hash: fmt.Sprintf("%040x", random.Uint64()), Time: start.AddDate(0, 0, c), Author: "Ann", Subject: fmt.Sprintf("change %d", c),
		})
	}
	for i := range nSeries {
		s := report.Line{
			Params: traceid.Of("name", fmt.Sprintf("Benchmark%d", i), "arch", "x86", "size", fmt.Sprint(i%5)),
			Unit:   "ms", Better: format.Lower,
		}
		for c := range nCommits {
			v := float64(i+1) * (10 + random.NormFloat64()/3)
			if i == 3 && c >= nCommits/2 {
				v *= 1.3
			}
			at := report.Point{Commit: c, N: 1, Value: v}
			if repeated {
				at = report.Point{Commit: c, N: 3, Value: v, Min: v - random.Float64(), Max: v + random.Float64()}
			}
			s.Points = append(s.Points, at)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// withFinding adds the finding of the step, and a comparison.
func withFinding(p *report.Page) *report.Page {
	n := len(p.Commits) / 2
	m := report.Mark{Commit: n, Lo: n - 1, Hi: n + 2, Before: 40, After: 52}
	p.Series[3].Marks = []report.Mark{m, {Kind: change.Outlier, Commit: 4, Lo: 4, Hi: 4}}
	p.Findings = []report.Finding{{Verdict: judgment.Worse, Series: []int{3, 4}, Mark: m}}
	p.CommitURL = "https://example.com/c/{commit}"
	p.Comparison = &report.Comparison{Old: "v1", New: "v2", Rows: []report.Row{
		{Line: 3, Judgment: &judgment.Judgment{Verdict: judgment.Worse,
			Old: judgment.Summary{N: 10, Median: 40}, New: judgment.Summary{N: 10, Median: 52}, Ratio: 1.3, Estimate: judgment.Estimate{Lo: 1.25, Hi: 1.35}, P: 0.00001, Q: 0.0001}},
		{Line: 1, Judgment: &judgment.Judgment{Verdict: judgment.Same,
			Old: judgment.Summary{N: 10, Median: 20}, New: judgment.Summary{N: 10, Median: 20}, Ratio: 1, Estimate: judgment.Estimate{Lo: 0.99, Hi: 1.01}, P: 0.8, Q: math.NaN()}},
	}}
	return p
}

func written(t *testing.T, p *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Pages are small, and what takes memory is the compression.
func TestSize(t *testing.T) {
	for _, test := range []struct {
		name             string
		nSeries, nCommit int
		repeated         bool
		most             int
	}{
		{"50 series of 60 commits with repetitions", 50, 60, true, 150_000},
		{"many series of 1,000 commits", quick.Of(1000, 300), 1000, false, quick.Of(5_000_000, 2_000_000)},
		{"many series of 10,000 commits", quick.Of(100, 30), 10000, false, quick.Of(5_000_000, 2_000_000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := withFinding(noise(test.nSeries, test.nCommit, test.repeated))
			var n counter
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := report.Write(&n, p); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if int(n) > test.most {
				t.Errorf("%d bytes, want at most %d", n, test.most)
			}
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 32 {
				t.Errorf("writing allocated %d MiB", allocated)
			}
		})
	}
}

// A counter counts the bytes that are written.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// What the page shows without its script: the elements of the body before the data.
func TestBody(t *testing.T) {
	p := withFinding(noise(5, 8, true))
	p.Problems = []string{"a.json:1:2: no value"}
	page := written(t, p)
	start, end := strings.Index(page, "<body>"), strings.Index(page, `<script type="application/json"`)
	got := page[start:end]
	const name = "testdata/body.html"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("\"go test -run TestBody -update\" accepts it (-want +got):\n%s", diff)
	}
}

// The policy allows exactly the scripts and the style that are in the page.
func TestPolicy(t *testing.T) {
	page := written(t, noise(2, 2, false))
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no policy")
	}
	want := "default-src 'none'; script-src"
	for _, script := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		want += " " + hashOf(script[1])
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)
	want += "; style-src " + hashOf(style[1]) + "; base-uri 'none'; form-action 'none'"
	if diff := cmp.Diff(want, policy[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(page, " style=") || strings.Contains(page, " onclick=") {
		t.Error("the page has attributes that the policy refuses")
	}
	if !strings.Contains(page, "Copyright (c) 2022 Leon Sorokin") {
		t.Error("the page lacks the license of uPlot")
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// hostile returns a page whose texts are all of the kind that attacks a page.
func hostile(text string) *report.Page {
	hash := strings.ReplaceAll(text, " ", "\t") // a name with a blank has no link
	p := &report.Page{
		Title: text, Notes: []string{text}, Problems: []string{text}, CommitURL: "https://example.com/{commit}",
		Commits: []series.Commit{{Hash: hash, Author: text, Subject: text}, {Hash: hash + "2"}},
		Series: []report.Line{
			{Params: traceid.Of(text, text, "__proto__", text), Unit: text, Points: []report.Point{{Commit: 0, N: 1, Value: 1}}},
			{Params: traceid.Of("constructor", text), Points: []report.Point{{Commit: 1, N: 1, Value: 1}}},
		},
	}
	p.Findings = []report.Finding{{Series: []int{0}, Mark: report.Mark{Commit: 1, Hi: 1, Before: 1, After: 2}}}
	p.Comparison = &report.Comparison{Old: text, New: text, Rows: []report.Row{{Judgment: &judgment.Judgment{}}}}
	return p
}

// No text becomes markup: a page has the same tags as one with harmless texts.
func TestHostile(t *testing.T) {
	tags := regexp.MustCompile(`<[a-zA-Z!/][^<>]*>`)
	names := func(text string) []string {
		page := written(t, hostile(text))
		start := strings.Index(page, "<body>")
		page = page[:strings.Index(page, "<script>")][start:]
		var all []string
		for _, tag := range tags.FindAllString(page, -1) {
			all = append(all, strings.TrimRight(strings.Fields(tag)[0], ">"))
		}
		return all
	}
	harmless := names("text")
	for _, text := range []string{
		"</script><script>alert(1)</script>", "<!--<script>", "-->", "<img src=x onerror=alert(1)>", `"><b>`, `' onload='x`,
		"{{.}}", "${x}", "\u202egpj.exe\u202c", "\x00\x1b[31m\u2028", "javascript:alert(1)", "]]>", strings.Repeat("x", 500), "\xff<b>",
	} {
		t.Run(fmt.Sprintf("%.20q", text), func(t *testing.T) {
			if diff := cmp.Diff(harmless, names(text)); diff != "" {
				t.Errorf("tags (-want +got):\n%s", diff)
			}
			page := written(t, hostile(text))
			for _, hidden := range "\u202e\u202c\u2028\x00\x1b" {
				if strings.ContainsRune(page, hidden) {
					t.Errorf("the page has %q", hidden)
				}
			}
			data := regexp.MustCompile(`(?s)id="meta">(.*?)</script>`).FindStringSubmatch(page)
			if !json.Valid([]byte(data[1])) {
				t.Errorf("invalid JSON: %s", data[1])
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*report.Page)
		want   string
	}{
		{"a scheme that runs", func(p *report.Page) { p.CommitURL = "javascript:alert('{commit}')" },
			`address of commits "javascript:alert('{commit}')": want one such as https://host/{commit}`},
		{"no commit", func(p *report.Page) { p.CommitURL = "https://example.com/" },
			`address of commits "https://example.com/": want one such as https://host/{commit}`},
		{"a commit in the host", func(p *report.Page) { p.CommitURL = "//{commit}" },
			`address of commits "//{commit}": want one such as https://host/{commit}`},
		{"order", func(p *report.Page) { p.Series[0].Points[1].Commit = 0 }, "series 0: commit 0: want from 1 to 3"},
		{"a commit too far", func(p *report.Page) { p.Series[0].Points[3].Commit = 4 }, "series 0: commit 4: want from 3 to 3"},
		{"no values", func(p *report.Page) { p.Series[0].Points[3].N = 0 }, "series 0: commit 3: 0 values: want at least 1"},
		{"a mark", func(p *report.Page) { p.Series[0].Marks = []report.Mark{{Commit: 3, Hi: 4}} },
			"series 0: change at commit 3, from 0 to 4: want commits in this order, less than 4"},
		{"a finding", func(p *report.Page) { p.Findings = []report.Finding{{Series: []int{0}, Mark: report.Mark{Lo: 1}}} },
			"finding 0: change at commit 0, from 1 to 0: want commits in this order, less than 4"},
		{"a finding's series", func(p *report.Page) { p.Findings = []report.Finding{{Series: []int{4}}} }, "finding 0: series 4: want less than 4"},
		{"no series", func(p *report.Page) { p.Findings = make([]report.Finding, 1) }, "finding 0: no series"},
		{"no judgment", func(p *report.Page) { p.Comparison = &report.Comparison{Rows: []report.Row{{Line: 1}}} },
			"row 0: no judgment"},
		{"a row", func(p *report.Page) {
			p.Comparison = &report.Comparison{Rows: []report.Row{{Line: -1, Judgment: &judgment.Judgment{}}}}
		},
			"row 0: series -1: want less than 4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := noise(4, 4, false)
			test.change(p)
			var n counter
			err := report.Write(&n, p)
			if diff := cmp.Diff(test.want, fmt.Sprint(err)); diff != "" || n > 0 {
				t.Errorf("%d bytes; error (-want +got):\n%s", n, diff)
			}
		})
	}
}

// Every error of the output is returned.
func TestWriteFails(t *testing.T) {
	p := withFinding(noise(30, 200, true))
	size := len(written(t, p))
	for left := 0; left < size; left += 10_007 {
		if err := report.Write(&full{left}, p); err != io.ErrShortWrite {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
}

// A full takes some bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, io.ErrShortWrite
	}
	f.left -= len(p)
	return len(p), nil
}
