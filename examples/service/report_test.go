package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/change"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// commitsOf returns n commits.
func commitsOf(n int) []series.Commit {
	var all []series.Commit
	for i := range n {
		all = append(all, series.Commit{
			Hash: fmt.Sprintf("%04x%036x", 0xa000+i, i), Time: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC),
			Author: "Ann", Subject: fmt.Sprintf("change %d", i),
		})
	}
	return all
}

// seriesOf returns a series with values at commits from 0 on. Zero stands for no value.
func seriesOf(name, unit string, values ...float64) report.Line {
	s := report.Line{Params: traceid.Of("name", name, "os", "linux"), Unit: unit, Better: format.Lower}
	for i, v := range values {
		if v != 0 {
			s.Points = append(s.Points, report.Point{Commit: i, N: 1, Value: v})
		}
	}
	return s
}

// usual is a page with everything that a page can have.
func usual() *report.Page {
	encode := seriesOf("Encode", "ms", 10, 10.5, 10, 10.5, 13, 13.5, 13, 13.5)
	for i := range encode.Points {
		p := &encode.Points[i]
		p.N, p.Min, p.Max = 3, p.Value-0.5, p.Value+0.25
	}
	step := report.Mark{Commit: 4, Lo: 3, Hi: 4, Before: 10.25, After: 13.25}
	encode.Marks = []report.Mark{step}
	decode := seriesOf("Decode", "ms", 5, 5, 9, 5, 5, 5, 5, 5)
	decode.Marks = []report.Mark{{Kind: change.Outlier, Commit: 2, Lo: 2, Hi: 2}}
	return &report.Page{
		Title: "rover", Notes: []string{"order of commits: by the list of commits"},
		Problems: []string{"b.json:1:2: no value"}, CommitURL: "https://example.com/{commit}", Commits: commitsOf(8),
		Series:   []report.Line{decode, encode, seriesOf("Size", "B", 100, 100, 100, 100, 100, 100, 100, 90)},
		Findings: []report.Finding{{Verdict: judgment.Worse, Series: []int{1, 0}, Mark: step, Ratio: 1.2}},
		Comparison: &report.Comparison{Old: "v1", New: "v2", Rows: []report.Row{
			{Line: 1, Judgment: &judgment.Judgment{Verdict: judgment.Worse,
				Old: judgment.Summary{N: 4, Median: 10.25}, New: judgment.Summary{N: 4, Median: 13.25}, Ratio: 1.29, Estimate: judgment.Estimate{Lo: 1.2, Hi: 1.4}, P: 0.01, Q: math.NaN()}},
			{Line: 0, Judgment: &judgment.Judgment{Verdict: judgment.Same,
				Old: judgment.Summary{N: 4, Median: 5}, New: judgment.Summary{N: 4, Median: 5}, Ratio: 1, Estimate: judgment.Estimate{Lo: 0.99, Hi: 1.01}, P: 0.9, Q: math.NaN()}},
		}},
	}
}

// pageStates are pages in unusual states.
func pageStates() map[string]*report.Page {
	nan, inf := math.NaN(), math.Inf(1)
	markup := `</script><img src=x onerror="document.title='attacked'"><script>document.title='attacked'</script>`
	hostile := seriesOf(markup, markup, 1, 2)
	hostile.Params = traceid.Of("name", markup, "__proto__", "\u202egpj.exe", "constructor", "javascript:alert(1)", "\x00\x1b", "\u2028")
	many := report.Page{Title: "many", Commits: commitsOf(2)}
	for i := range 20 {
		s := seriesOf(fmt.Sprint("Benchmark", i), "ns", 1, 2)
		for k := range 50 {
			s.Params = append(s.Params, traceid.Param{Key: fmt.Sprint("key", 50*i+k), Value: fmt.Sprint(k)})
		}
		many.Series = append(many.Series, s)
	}
	long := strings.Repeat("abcde", 100)
	rtl := seriesOf("מדד ביצועים", "ננו", 5, 6, 7)
	return map[string]*report.Page{
		"usual":   usual(),
		"empty":   {Title: "empty"},
		"one":     {Title: "one value", Commits: commitsOf(1), Series: []report.Line{seriesOf("Decode", "ms", 5)}},
		"unnamed": {Title: "no commits' names", Commits: make([]series.Commit, 2), Series: []report.Line{seriesOf("Decode", "", 5, 6)}},
		"special": {Title: "NaN and infinity", Commits: commitsOf(6), Series: []report.Line{
			seriesOf("Decode", "ms", 5, nan, 6, inf, 5, -inf), seriesOf("Encode", "ms", nan, nan)}},
		"gaps": {Title: "gaps", Commits: commitsOf(9), Series: []report.Line{
			seriesOf("Decode", "ms", 0, 5, 0, 0, 6, 0, 7), seriesOf("Encode", "ms"), seriesOf("Late", "s", 0, 0, 0, 0, 0, 0, 0, 0, 3)}},
		"hostile": {Title: markup, CommitURL: "https://example.com/{commit}", Series: []report.Line{hostile, seriesOf("x", "ms", 1)},
			Commits: []series.Commit{{Hash: markup, Author: markup, Subject: markup}, {Hash: `"/onclick=x`}}},
		"many":  &many,
		"long":  {Title: long, Commits: commitsOf(3), Series: []report.Line{seriesOf(long, "ms", 1, 2, 3), rtl}},
		"units": {Title: "units", Commits: commitsOf(3), Series: []report.Line{seriesOf("a", "ms", 1, 2, 3), seriesOf("b", "B", 100, 90, 80)}},
	}
}

// pages writes pages, and returns the folder.
func pages(t *testing.T, all map[string]*report.Page) string {
	t.Helper()
	dir := t.TempDir()
	if to := os.Getenv("SCREENSHOTS"); to != "" {
		dir = to
	}
	for name, p := range all {
		f, err := os.Create(filepath.Join(dir, name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Write(f, p); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// isReady waits until the script of a page has run.
func isReady() chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](`document.documentElement.dataset.ready`)
}

// open opens a page, with the rest of its address.
func (b browser) open(dir, name, hash string) {
	b.Helper()
	b.load((&url.URL{Scheme: "file", Path: filepath.Join(dir, name+".html")}).String() + hash)
}

// load opens an address as a new tab would: with a query of its own, because a browser does not load
// a page again for another fragment.
func (b browser) load(address string) {
	b.Helper()
	page, hash, _ := strings.Cut(address, "#")
	page, _, _ = strings.Cut(page, "?")
	b.do(chromedp.Navigate(fmt.Sprintf("%s?%d#%s", page, time.Now().UnixNano(), hash)), isReady())
}

// The page of package report, in a browser that is started once: its text for a screen reader in
// each state, and how it is used.
func TestReport(t *testing.T) {
	b := newBrowser(t)
	messages := chromedp.Console(b.ctx)
	all := pageStates()
	dir := pages(t, all)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			b := browser{t, b.ctx}
			b.open(dir, name, "")
			b.compareTree(name)
			b.screenshot("report-" + name)
		})
	}
	t.Run("use", func(t *testing.T) { useReport(browser{t, b.ctx}, dir) })
	t.Run("hostile address", func(t *testing.T) {
		b := browser{t, b.ctx}
		b.open(dir, "usual", "#q=<img>&s=zzz+%00&k=__proto__%3Dx&z=..&at=%ff&sort=constructor&scale=x")
		b.do(hasText("#status", "No series match. 2 series of the address are not in this page."))
	})

	b.checkConsole(messages) // before a policy refuses something
	b.checkPolicy()
}

// useReport uses the page, by keyboard and mouse.
func useReport(b browser, dir string) {
	const legend, readout, status = "#legend", "#readout", "#status"
	b.open(dir, "usual", "")
	b.do(hasText(legend, "Encode"), hasText(legend, "Decode"), hasText(readout, "a0070000000000000000"))

	// The list is searched, sorted and narrowed; the address has it, and Back undoes it.
	b.do(chromedp.Focus(chromedp.CSS("#search")), chromedp.KeyEvent("siz"), hasText(status, "1 of 3 series"),
		chromedp.Focus(chromedp.CSS("#list tbody button")), chromedp.KeyEvent(" "), hasText(legend, "Size"))
	address := get(b, chromedp.Location())
	if !strings.Contains(address, "q=siz") {
		b.Errorf("address %s", address)
	}
	b.do(chromedp.NavigateBack(), hasText(legend, "Encode"), hasText(status, "1 of 3 series"),
		chromedp.NavigateBack(), hasText(status, "3 series"))
	b.load(address)
	b.do(hasText(legend, "Size"), hasText(status, "1 of 3"))

	// The chart by keyboard: commits, series, zoom, and a commit that is kept.
	b.open(dir, "usual", "#k=name%3DEncode")
	b.do(hasText(status, "1 of 3 series"), chromedp.Focus(chromedp.CSS("#chart")),
		chromedp.KeyEvent(kb.ArrowLeft), hasText("#spoken", "2026-01-08: Encode 13.5 ms, +0.5 (+3.8%)"),
		chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft),
		hasText("#spoken", "2026-01-05: Encode 13 ms, +2.5 (+23.8%), step: 10.25 → 13.25"), hasText(readout, "change 4"),
		hasText(readout, "3: 12.5 to 13.25"),
		chromedp.KeyEvent(kb.ArrowDown), hasText("#spoken", "Decode 5 ms"),
		chromedp.KeyEvent(kb.Enter), hasText(readout, "kept"), chromedp.KeyEvent("+"))
	b.do(chromedp.KeyEvent("+"), hasText(readout, "kept"), hasText(readout, "change 4"))
	address = get(b, chromedp.Location())
	for _, want := range []string{"at=a00400000000", "z=a002"} {
		if !strings.Contains(address, want) {
			b.Errorf("address %s lacks %s", address, want)
		}
	}
	b.load(address)
	b.do(hasText(readout, "kept"))
	_, want, _ := strings.Cut(address, "#")
	if _, got, _ := strings.Cut(get(b, chromedp.Location()), "#"); got != want {
		b.Errorf("address %s, want %s", got, want)
	}

	// The mouse: a commit under it, and a click that keeps it. A finding is opened from its card.
	b.open(dir, "usual", "")
	at := get(b, chromedp.Evaluate[[]float64](`(() => {
		document.getElementById("chart").scrollIntoView();
		const box = document.querySelector(".u-over").getBoundingClientRect();
		return [box.left + box.width * 2 / 7, box.top + box.height / 2];
	})()`))
	b.do(chromedp.MouseClickXY(at[0], at[1]), hasText(readout, "change 2"), hasText(readout, "kept"), hasText(readout, "outlier"),
		evaluate(`document.querySelector("a.open").click()`), hasText(readout, "change 4"))
	b.do(evaluate(`document.querySelector("details.data").open = true`), hasText("details.data", "a0040000000…"), hasText("details.data", "13 (n=3, 12.5 to 13.25) step: 10.25 → 13.25"),
		evaluate(`document.getElementById("table").open = true`), hasText("#table", "2026-01-08"))
	b.do(evaluate(`document.getElementById("scale").value = "relative"; document.getElementById("scale").dispatchEvent(new Event("change"))`))
	if got := get(b, chromedp.Location()); !strings.Contains(got, "scale=relative") {
		b.Errorf("address %s", got)
	}
	b.checkLinks()

	// The lines for the file of --known, of a finding that the user accepts.
	b.do(evaluate(`Object.defineProperty(navigator, "clipboard", {value: {writeText: async text => { document.body.dataset.copied = text; }}})`),
		evaluate(`window.prompt = () => "checks  the bounds"`), evaluate(`document.querySelector("button.accept").click()`),
		hasText("button.accept", "Copied: add it to the file of --known"))
	text := get(b, chromedp.Evaluate[string]("document.body.dataset.copied"))
	lines, err := accepted.Read(strings.NewReader(text), "known.txt")
	if err != nil || len(lines) == 0 || lines[0].Reason != "checks the bounds" || len(lines[0].Query.Terms()) == 0 {
		b.Errorf("copied %q: %+v, %v", text, lines, err)
	}

	// Files of the shown values, and the theme.
	b.do(evaluate(`URL.createObjectURL = blob => { blob.text().then(text => { document.body.dataset.file = blob.type + " " + text.slice(0, 2000); }); return "#"; }`),
		chromedp.Click(chromedp.CSS("#csv")), chromedp.Poll[chromedp.Void](`document.body.dataset.file?.startsWith("text/csv commit,time,series,unit,value,n,min,max\n")`),
		chromedp.Poll[chromedp.Void](`document.body.dataset.file.includes(",2026-01-05T00:00:00.000Z,Encode,ms,13,3,12.5,13.25\n")`),
		chromedp.Click(chromedp.CSS("#png")), chromedp.Poll[chromedp.Void](`document.body.dataset.file?.startsWith("image/png ")`),
		chromedp.Click(chromedp.CSS("#theme")), hasText("#theme", "Light theme"),
		chromedp.Poll[chromedp.Void](`getComputedStyle(document.body).backgroundColor === "rgb(15, 19, 24)"`),
		chromedp.Click(chromedp.CSS("#theme")), hasText("#theme", "Dark theme"))
}

// checkPolicy checks that the policy of the page refuses an image, a script and a handler.
func (b browser) checkPolicy() {
	b.Helper()
	refused := get(b, chromedp.Evaluate[[]string](`new Promise(done => {
		const all = [];
		new ReportingObserver(reports => {
			all.push(...reports.map(r => r.body.effectiveDirective));
			if (["img-src", "script-src-attr", "script-src-elem"].every(d => all.includes(d))) done([...new Set(all)].sort());
		}, {types: ["csp-violation"]}).observe();
		const script = document.createElement("script");
		script.textContent = "document.title = 'attacked'";
		const image = document.createElement("img");
		image.setAttribute("onerror", "document.title = 'attacked'");
		document.body.append(script, image);
		image.src = "x.png";
	})`, chromedp.EvalAwaitPromise))
	want := []string{"img-src", "script-src-attr", "script-src-elem"}
	if diff := cmp.Diff(want, refused); diff != "" {
		b.Errorf("refused by the policy (-want +got):\n%s", diff)
	}
	if title := get(b, chromedp.Title()); title == "attacked" {
		b.Error("a script ran")
	}
}

// checkLinks checks that all links are of the page, or of the template.
func (b browser) checkLinks() {
	b.Helper()
	hrefs := get(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a")].map(a => a.getAttribute("href"))`))
	for _, href := range hrefs {
		if !strings.HasPrefix(href, "https://example.com/") && !strings.HasPrefix(href, "#") {
			b.Errorf("link %q", href)
		}
	}
}

// compareTree compares the accessibility tree of the page with the recorded one.
func (b browser) compareTree(name string) {
	b.Helper()
	b.compareGolden(name, b.tree())
}

// tree returns the accessibility tree of the page: a line for each role and name.
func (b browser) tree() string {
	b.Helper()
	result := get(b, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	nodes := make(map[accessibility.NodeID]*accessibility.Node)
	for _, n := range result.Nodes {
		nodes[n.NodeID] = n
	}
	var text strings.Builder
	var print func(n *accessibility.Node, indent, above string)
	print = func(n *accessibility.Node, indent, above string) {
		role, name := valueText(n.Role), valueText(n.Name)
		if role == "searchbox" { // of the blank between a label and its field, browsers make different things
			name = strings.TrimSpace(name)
		}
		switch {
		case role == "InlineTextBox", role == "StaticText" && strings.Contains(above, strings.TrimSpace(name)):
			return
		case n.Ignored, role == "generic", role == "none", role == "LineBreak":
		default:
			line := indent + role
			if name != "" {
				line += fmt.Sprintf(" %q", name)
			}
			if v := valueText(n.Value); v != "" {
				line += fmt.Sprintf(" = %q", v)
			}
			for _, p := range n.Properties {
				switch p.Name {
				case "pressed", "expanded", "disabled":
					line += fmt.Sprintf(" %s=%s", p.Name, valueText(p.Value))
				}
			}
			text.WriteString(line + "\n")
			indent, above = indent+"  ", name
		}
		for _, id := range n.ChildIDs {
			if child := nodes[id]; child != nil {
				print(child, indent, above)
			}
		}
	}
	print(result.Nodes[0], "", "")
	return timesOfDay.ReplaceAllString(text.String(), "00:00:00")
}

var timesOfDay = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)

// valueText returns a value of the accessibility tree as text.
func valueText(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text any
	if err := json.Unmarshal(v.Value, &text); err != nil {
		return ""
	}
	return fmt.Sprint(text)
}
