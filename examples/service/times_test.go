package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"perfdata"
	"perfdata/report"
	"perfdata/series"
)

var turns = flag.Int("turns", 0, "how often TestReportTimes measures a million values; 0 means a tenth of them, once")

// TestReportTimes prints the times of a page of a million values, and of a page that has only the
// same values as lines of uPlot, in turns. They are figures to read, with -v and -turns: medians of the
// turns, and the 95th percentile of frames and keys.
func TestReportTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	b := newBrowser(t)
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		params := cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchOpening}
		_, err := cdp.Call(ctx, t, cdppage.AddScriptToEvaluateOnNewDocument, params)
		return chromedp.Void{}, err
	})
	random := rand.New(rand.NewPCG(1, 2))
	few := 1
	if *turns == 0 {
		few = 10
	}
	for _, size := range []struct{ series, commits int }{{1000, 1000 / few}, {100, 10_000 / few}} {
		t.Run(fmt.Sprintf("%d series of %d commits", size.series, size.commits), func(t *testing.T) {
			p := &report.Page{Title: "times", Commits: commitsOf(size.commits)}
			for i := range size.series {
				values := make([]float64, size.commits)
				for c := range values {
					values[c] = float64(i+1) * (10 + random.NormFloat64()/3)
				}
				p.Series = append(p.Series, seriesOf(fmt.Sprint("Benchmark", i), "ms", values...))
			}
			measurePage(browser{t, b.ctx}, p)
		})
	}
	t.Run("writing", func(t *testing.T) { timeWriting(t, 1000/few) })
}

// measurePage prints the times of a page.
func measurePage(b browser, p *report.Page) {
	dir := pages(b.T, map[string]*report.Page{"times": p})
	info, err := os.Stat(filepath.Join(dir, "times.html"))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bare.html"), barePage(b.T, p), 0o666); err != nil {
		b.Fatal(err)
	}

	var ours, bare [][]float64 // open, choice, frame, key
	for range max(1, *turns) {
		b.open(dir, "times", "")
		ours = append(ours, get(b, chromedp.Evaluate[[]float64](pageTimes, chromedp.EvalAwaitPromise)))
		b.open(dir, "bare", "")
		bare = append(bare, get(b, chromedp.Evaluate[[]float64](bareTimes, chromedp.EvalAwaitPromise)))
	}
	middle := func(turns [][]float64, i int) float64 {
		var all []float64
		for _, turn := range turns {
			all = append(all, turn[i])
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	b.Logf("the page has %d KB; want at most 5000", info.Size()/1000)
	for i, what := range []string{"opening: 1.5", "a new choice: 0.5", "a frame of zooming: 0.33"} {
		what, most, _ := strings.Cut(what, ": ")
		x, y := middle(ours, i), middle(bare, i)
		b.Logf("%s: %.0f ms, %.2f times the %.0f ms of bare uPlot; want at most %s", what, x, x/y, y, most)
	}
	b.Logf("a key: %.0f ms; want at most 50", middle(ours, 3))
}

// barePage returns a page of uPlot and the values of a page as JSON, which draws them all.
func barePage(t *testing.T, p *report.Page) []byte {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", "report", "web", "uPlot.iife.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><meta charset=utf-8><body><script>%s</script><script type=application/json>[[0", script)
	for c := range p.Commits[1:] {
		fmt.Fprintf(&b, ",%d", c+1)
	}
	for i := range p.Series {
		for k, at := range p.Series[i].Points {
			separator := ","
			if k == 0 {
				separator = "],["
			}
			fmt.Fprintf(&b, "%s%.7g", separator, at.Value)
		}
	}
	b.WriteString(`]]</script><script>
const data = JSON.parse(document.scripts[1].textContent);
const u = new uPlot({width: 1000, height: 400, scales: {x: {time: false}}, legend: {show: false},
	series: [{}, ...data.slice(1).map(() => ({stroke: "blue", points: {show: false}}))]}, data, document.body);
document.documentElement.dataset.ready = "true";
</script>`)
	return b.Bytes()
}

// watchOpening notes when a page has been drawn for the first time.
const watchOpening = `new MutationObserver((_, o) => {
	if (!document.documentElement?.dataset.ready) return;
	o.disconnect();
	requestAnimationFrame(() => setTimeout(() => { window.opened = performance.now(); }));
}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready"]});`

// frames measures the time until something is drawn.
const frames = `
	const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
	const timed = async f => { await frame(); const t = performance.now(); f(); await frame(); return performance.now() - t; };
	const worst = all => all.sort((a, b) => a - b)[Math.floor(all.length * 0.95)];
	const zooms = [], keys = [];
	while (!window.opened) await frame();
`

// pageTimes measures the page.
const pageTimes = `(async () => {` + frames + `
	const search = document.getElementById("search"), chart = document.getElementById("chart");
	const press = key => chart.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
	const choice = await timed(() => { search.value = "mark1"; search.dispatchEvent(new Event("input")); });
	for (let i = 0; i < 20; i++) zooms.push(await timed(() => press(i % 2 ? "-" : "+")));
	for (let i = 0; i < 20; i++) keys.push(await timed(() => press("ArrowLeft")));
	return [window.opened, choice, worst(zooms), worst(keys)];
})()`

// bareTimes measures uPlot with all series as lines.
const bareTimes = `(async () => {` + frames + `
	const choice = await timed(() => u.setData(data)), N = data[0].length;
	for (let i = 0; i < 4; i++) zooms.push(await timed(() => u.setScale("x", {min: 0, max: i % 2 ? N - 1 : N / 2})));
	return [window.opened, choice, worst(zooms)];
})()`

// timeWriting prints the times of reading a thousand values at each of n commits, and of making a page of them.
func timeWriting(t *testing.T, n int) {
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for c := range n {
		fmt.Fprintf(&text, "commit: %040x\n", c)
		for i := range 1000 {
			fmt.Fprintf(&text, "Benchmark%d 1 %.4g ns/op\n", i, float64(i+1)*(10+random.NormFloat64()/3))
		}
	}
	began := time.Now()
	p := &report.Page{Title: "writing"}
	index := make(map[string]int) // of the series, by trace
	var placer series.Placer
	r, err := perfdata.NewReader(&text, "")
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		at, err := placer.Place(rec)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Commits); n == 0 || p.Commits[n-1].Hash != at.Commit {
			p.Commits = append(p.Commits, series.Commit{Hash: at.Commit})
		}
		i, ok := index[string(at.Trace)]
		if !ok {
			i = len(p.Series)
			index[string(at.Trace)] = i
			p.Series = append(p.Series, report.Line{Params: at.Identity.Clone()})
		}
		s := &p.Series[i]
		s.Points = append(s.Points, report.Point{Commit: len(p.Commits) - 1, N: 1, Value: rec.Value})
	}
	read := time.Since(began)
	began = time.Now()
	p.FindChanges(0.05, 0.05)
	found := time.Since(began)
	began = time.Now()
	if err := report.Write(&text, p); err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(began)
	t.Logf("reading %v, findings %v, writing %v: writing and findings take %.2f times the reading; want at most 2",
		read.Round(time.Millisecond), found.Round(time.Millisecond), wrote.Round(time.Millisecond), (found+wrote).Seconds()/read.Seconds())
}
