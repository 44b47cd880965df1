package main

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"perfdata/report"
)

// flames writes a flame graph as a file, flame.svg, and pages of HTML that have it: as an image, image.html,
// and in their text, inline.html. It returns the folder.
func flames(t *testing.T) string {
	t.Helper()
	f := &report.Flame{Title: "rover", Note: "commit a004", Unit: "ms"}
	for _, s := range []struct {
		value float64
		names string
	}{{50, "main draw fill"}, {10, "main draw"}, {20, "main read fill"}, {15, "main read decode"}, {5, "main"}} {
		stack := report.Stack{Value: s.value}
		for name := range strings.FieldsSeq(s.names) {
			stack.Frames = append(stack.Frames, report.Frame{Name: name, File: name + ".c", Line: 7})
		}
		f.Stacks = append(f.Stacks, stack)
	}
	var svg bytes.Buffer
	if err := report.WriteFlame(&svg, f); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	const head = `<!doctype html><html lang="en"><title>flame</title><main><h1>Flame</h1>`
	for name, text := range map[string]string{
		"flame.svg": svg.String(), "image.html": head + `<img src="flame.svg" alt="flame"></main>`,
		"inline.html": head + svg.String() + "</main>",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// file opens a file.
func (b browser) file(dir, name string) {
	b.Helper()
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.Join(dir, name)}).String()))
}

// shown checks which boxes of a flame graph are seen, with the first percent of each and its width. The one
// that has the focus is in brackets, and one that was found has a star.
func (b browser) shown(step, want string) {
	b.Helper()
	got := get(b, chromedp.Evaluate[string](`[...document.querySelectorAll(".box")].filter(g => g.style.display !== "none").map(g => {
		const of = name => Math.round(parseFloat(g.querySelector("svg").getAttribute(name)));
		const text = g.querySelector("text").textContent + " " + of("x") + "+" + of("width") + (g.classList.contains("found") ? "*" : "");
		return g === document.activeElement ? "[" + text + "]" : text;
	}).join(", ")`))
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("%s (-want +got):\n%s", step, diff)
	}
}

// Boxes of a flame graph are shown in the whole width and found, by mouse and by keyboard.
func TestFlame(t *testing.T) {
	b := newBrowser(t)
	dir := flames(t)
	b.file(dir, "flame.svg")
	const all = "main 0+100, draw 0+60, fill 0+50, read 60+35, fill 60+20, decode 80+15"
	const read = "main 0+100, read 0+100, fill 0+57, decode 57+43"
	b.shown("at first", all)
	b.compareTree("flame")

	at := get(b, chromedp.Evaluate[[]float64](`(() => {
		const box = document.querySelectorAll(".box rect")[3].getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	})()`))
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	b.shown("a click", strings.Replace(read, "read 0+100", "[read 0+100]", 1))
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
	b.shown("arrows", strings.Replace(read, "decode 57+43", "[decode 57+43]", 1))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.shown("Enter", "main 0+100, read 0+100, [decode 0+100]")
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowLeft))
	b.shown("Escape", strings.Replace(all, "draw 0+60", "[draw 0+60]", 1))

	b.do(chromedp.Focus(chromedp.CSS("input")), chromedp.KeyEvent("FILL"))
	b.shown("search", strings.ReplaceAll(strings.ReplaceAll(all, "fill 0+50", "fill 0+50*"), "fill 60+20", "fill 60+20*"))
	count := func() string {
		return get(b, chromedp.Evaluate[string](`document.querySelector("output").textContent`))
	}
	if got := count(); got != "2 boxes, 70%" {
		t.Errorf("found %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.shown("Enter in the search", "main 0+100, draw 0+100, [fill 0+100*]")
	b.do(chromedp.Focus(chromedp.CSS("input")), chromedp.KeyEvent(strings.Repeat(kb.Backspace, 4)))
	b.shown("an empty search", "main 0+100, draw 0+100, fill 0+100")
	if got := count(); got != "" {
		t.Errorf("found %q", got)
	}
	b.screenshot("flame")

	// Scripts do not run in a picture of a page, nor in a browser in which they are turned off.
	b.file(dir, "image.html")
	if size := get(b, chromedp.Evaluate[[]int](`(e => [e.naturalWidth, e.naturalHeight])(document.images[0])`)); size[0] != 1280 || size[1] != 146 {
		t.Errorf("size as an image: %d", size)
	}
	scripts := func(disabled bool) {
		b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			params := emulation.SetScriptExecutionDisabledParams{Value: disabled}
			_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, params)
			return chromedp.Void{}, err
		})
	}
	scripts(true)
	b.file(dir, "flame.svg")
	b.shown("without scripts", all)
	if n := get(b, chromedp.Evaluate[int](`document.querySelectorAll(".search, [role=button]").length`)); n != 0 {
		t.Errorf("without scripts, %d elements seem to do something", n)
	}
	b.screenshot("flame-still")
	scripts(false)
}
