package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"perfdata/report"
)

// openPlot opens a plot in a browser.
func openPlot(t *testing.T) browser {
	t.Helper()
	b := newBrowser(t)
	p := &report.Plot{
		Title: "./sort random.txt", Note: "collector trace", Description: "amount against size", Legend: "right", Width: 900, Height: 500,
		X: report.PlotAxis{Name: "size", Integers: true, Lo: 1, Hi: 3}, Y: report.PlotAxis{Name: "amount", Unit: "ms", Lo: 1, Hi: 4},
		Series: []report.PlotSeries{
			{Name: "quick", Points: []report.PlotPoint{{1, 1}, {3, 4}},
				Curves: []report.PlotCurve{{Kind: "linear", Name: "linear (R² 1)", Parts: [][]report.PlotPoint{{{1, 1}, {3, 4}}}}}},
			{Name: "slow", Points: []report.PlotPoint{{2, 2}}},
		},
	}
	var page bytes.Buffer
	if err := report.WritePlot(&page, p); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plot.html"), page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	b.file(dir, "plot.html")
	return b
}

// A plot shows axes with units, points, curves with their names, and a legend that hides series; it saves what it
// shows as SVG and PNG.
func TestPlot(t *testing.T) {
	b := openPlot(t)
	b.do(evaluate(`const make = URL.createObjectURL;
		URL.createObjectURL = blob => { blob.text().then(text => { document.body.dataset.file = blob.type + " " + text; }); return make.call(URL, blob); }`))

	// The saved picture has the same texts as the plot.
	save := func() string {
		t.Helper()
		b.do(evaluate(`document.body.dataset.file = ""`), chromedp.Click(chromedp.CSS("#svg")), chromedp.Poll[chromedp.Void](`document.body.dataset.file.startsWith("image/svg+xml <svg")`))
		return get(b, chromedp.Evaluate[string](`(() => {
			const svg = new DOMParser().parseFromString(document.body.dataset.file.slice(14), "image/svg+xml");
			return [...svg.querySelectorAll("text")].map(t => t.textContent).join(" | ");
		})()`))
	}
	const begin = "./sort random.txt | collector trace | "
	const axes = " | size | 0 | 1 | 2 | 3 | amount (ms) | 0 | 0.5 | 1 | 1.5 | 2 | 2.5 | 3 | 3.5 | 4"
	if diff := cmp.Diff(begin+"quick | linear (R² 1) | slow"+axes+" | linear", save()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.do(chromedp.Click(chromedp.CSS(`[data-series="0"]`)))
	if diff := cmp.Diff(begin+"slow"+axes, save()); diff != "" {
		t.Errorf("without the first series (-want +got):\n%s", diff)
	}
	b.do(chromedp.Click(chromedp.CSS(`[data-series="0"]`)), chromedp.Click(chromedp.CSS("#theme")), hasText("#theme", "Light theme"))

	b.do(chromedp.Click(chromedp.CSS("#png")), chromedp.Poll[chromedp.Void](`document.body.dataset.file.startsWith("image/png ")`))

	// The point at the cursor is described.
	b.do(evaluate(`(() => {
		const over = document.querySelector(".u-over"), box = over.getBoundingClientRect();
		for (let x = 0; x < 1; x += 0.02) for (let y = 0; y < 1; y += 0.02) {
			if (document.getElementById("readout").textContent) return;
			over.dispatchEvent(new MouseEvent("mousemove", {clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
		}
	})()`), hasText("#readout", "quick: amount 1 ms, size 1"))
}

func TestPlotAccess(t *testing.T) {
	b, script := openPlot(t), axe(t)
	b.checkAccess(script, "light")
	b.do(chromedp.Click(chromedp.CSS("#theme")), hasText("#theme", "Light theme"))
	b.checkAccess(script, "dark")
}
