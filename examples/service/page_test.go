package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// A browser is a page in headless Chromium.
type browser struct {
	*testing.T
	ctx context.Context
}

// newBrowser starts Chromium. It skips the test where Chromium is missing.
func newBrowser(t *testing.T) browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("Chromium is not installed: the page is not tested")
	}

	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.WindowSize(1200, 900)}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewContext(t.Context(), chromedp.WithAllocatorOptions(options...))
	t.Cleanup(stop)
	return browser{t, ctx}
}

// do runs actions.
func (b browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	for i, action := range actions {
		if _, err := chromedp.Run(b.ctx, action); err != nil {
			b.screenshot("failed")
			b.Fatalf("action %d: %v; the page: %q", i, err, b.text("body"))
		}
	}
}

// get returns the value of an action.
func get[T any](b browser, action chromedp.Action[T]) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.Fatal(err)
	}
	return value
}

// text returns the text of an element, in one line.
func (b browser) text(element chromedp.CSS) string {
	b.Helper()
	return strings.Join(strings.Fields(get(b, chromedp.Text(element))), " ")
}

// hasText waits until an element has a text.
func hasText(element, want string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", element, want))
}

func evaluate(script string, options ...chromedp.EvaluateOption) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](script, options...)
}

// screenshot writes a picture of the page to the folder that SCREENSHOTS names, if it is set.
func (b browser) screenshot(name string) {
	b.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png := get(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666); err != nil {
		b.Fatal(err)
	}
}

// history uploads the results of a benchmark suite at n commits.
func (r *running) history(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, `{"version":1,"git_hash":"CP:%d","links":{"build":"https://ci.example.com/builds/%d"},"key":{"arch":"x86"},"results":[`, 1000+i, i)
		for j, name := range []string{"Decode", "Encode", "Sort"} {
			for repetition := range 3 {
				value := 10*float64(j+1) + float64((i*7+j*3)%5)/4 + float64(repetition)/10
				if i > n/2 && j == 1 {
					value += 6
				}
				fmt.Fprintf(&b, `{"key":{"test":%q,"unit":"ms"},"measurement":%g},`, name, value)
			}
		}
		status, answer := r.post(t, "", strings.NewReader(strings.TrimSuffix(b.String(), ",")+"]}"))
		if status != http.StatusCreated {
			t.Fatal(answer)
		}
	}
}

// The page is used with the keyboard alone, in light and dark.
func TestPage(t *testing.T) {
	b := newBrowser(t)
	messages := chromedp.Console(b.ctx)
	r := start(t, nil)
	b.do(chromedp.Navigate(r.url), hasText("#status", "The store is empty"))
	r.history(t, 12)
	r.post(t, "name=broken", strings.NewReader("hello"))

	b.do(chromedp.Reload(), hasText("#status", "Traces: 3, commits: 12"), hasText("#failed summary", "failed: 1"))
	if got, want := b.text("#title"), "arch=x86, unit=ms"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	if got, want := b.text("#legend"), "test=Decode test=Encode test=Sort"; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}

	// The chart: the last commit of the first trace, the commit before, the next trace.
	const rows = "#point tbody"
	b.do(chromedp.Focus(chromedp.CSS("#chart")),
		chromedp.KeyEvent(kb.ArrowRight), hasText("#point h2", "CP:1011"), hasText(rows, "builds/11"),
		chromedp.KeyEvent(kb.ArrowLeft), hasText("#point h2", "CP:1010"), hasText(rows, "builds/10"),
		chromedp.KeyEvent(kb.ArrowDown), hasText("#point", ",arch=x86,test=Encode,unit=ms,"), hasText(rows, "builds/10"))
	if got := b.text(rows); !strings.HasPrefix(got, "1 26.75 build: https://ci.example.com/builds/10 2 26.85") {
		t.Errorf("repetitions %q", got)
	}
	b.screenshot("light")

	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		})
		return chromedp.Void{}, err
	})
	b.screenshot("dark")

	// The form: the second value of the last but one param. The address remembers it.
	b.do(chromedp.Focus(chromedp.CSS("select[name=test]")), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.do(hasText("#status", "Traces: 1"), hasText("#title", "test=Encode"),
		chromedp.Reload(), hasText("#title", "test=Encode"))

	// The mouse: the nearest point.
	at := get(b, chromedp.Evaluate[[]float64](`(() => {
		const box = plot.over.getBoundingClientRect();
		return [box.left + plot.valToPos(3, "x") + 4, box.top + plot.valToPos(plot.data[1][3], "y") + 4];
	})()`))
	b.do(chromedp.MouseClickXY(at[0], at[1]), hasText("#point h2", "CP:1003"), hasText(rows, "builds/3"))
	b.screenshot("one")
	b.do(evaluate(`console.log("end")`))
	for m, err := range messages {
		if err != nil || m.Text == "end" {
			break
		}
		t.Errorf("console: %s", m)
	}
}

// What uploads contain is text: no markup of it is parsed, no script runs, and only links to http
// and https can be followed.
func TestPageHostile(t *testing.T) {
	b := newBrowser(t)
	r := start(t, nil)
	const markup = `<img src=x onerror=\"document.title='attacked'\"><script>document.title='attacked'</script>`
	body := `{"version":1,"git_hash":"` + markup + `","key":{"` + markup + `":"` + markup + `","__proto__":"!x"},
		"links":{"` + markup + `":"` + markup + `","a":"javascript:document.title='attacked'","b":"data:text/html,x",
			"c":" JavaScript:alert(1)","good":"https://ci.example.com/1","plain":"http://ci.example.com/2"},
		"results":[{"key":{"test":"~("},"measurement":1}]}`
	if status, answer := r.post(t, "name="+strings.Repeat("x", 50), strings.NewReader(body)); status != http.StatusCreated {
		t.Fatal(answer)
	}
	r.post(t, "name=a/2026/01/02/03/%3Cimg+src=x+onerror=document.title='attacked'%3E.json", strings.NewReader("<script>document.title='attacked'</script>"))

	b.do(chromedp.Navigate(r.url), hasText("#status", "Traces: 1"), hasText("#failed summary", "failed: 1"),
		evaluate(`for (const s of document.querySelectorAll("select")) s.options[0].selected = true; query()`, chromedp.EvalAwaitPromise),
		hasText("#status", "Traces: 1, commits: 1"), chromedp.Focus(chromedp.CSS("#chart")), chromedp.KeyEvent(kb.ArrowLeft),
		hasText("#point", "javascript:"), evaluate(`byID("failed").open = true`))
	hrefs := get(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a")].map(a => a.href)`))
	elements := get(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("body img, body script, body iframe")].map(e => e.outerHTML)`))
	title := get(b, chromedp.Title())
	if diff := cmp.Diff([]string{"https://ci.example.com/1", "http://ci.example.com/2"}, hrefs); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if len(elements) > 0 || title != "Performance results" {
		t.Errorf("markup of an upload was parsed: %q, title %q", elements, title)
	}
	b.screenshot("hostile")

	// If the page made a mistake, the policy would keep scripts from running.
	allowed := get(b, chromedp.Evaluate[bool](`new Promise(done => {
		addEventListener("securitypolicyviolation", () => done(false));
		const e = document.createElement("div");
		document.body.append(e);
		e.innerHTML = "<img src=icon.svg onload='window.ran = true'>";
		setTimeout(() => done(true), 5000);
	})`, chromedp.EvalAwaitPromise))
	if allowed {
		t.Error("the Content-Security-Policy allows scripts in markup")
	}
}
