package main

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// chromium is the browser of all tests, which the first of them starts and TestMain stops.
var chromium struct {
	ctx  context.Context
	stop context.CancelFunc
}

// newBrowser opens a page of Chromium. It skips the test where Chromium is missing.
func newBrowser(t *testing.T) browser {
	t.Helper()
	if chromium.ctx == nil {
		startChromium(t)
	}
	ctx, stop := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext()) // with a storage of its own
	t.Cleanup(stop)
	return browser{t, ctx}
}

func startChromium(t *testing.T) {
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
	ctx, stop := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	if err := chromedp.Do(ctx); err != nil {
		stop()
		t.Fatal(err)
	}
	chromium.ctx, chromium.stop = ctx, stop
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
		fmt.Fprintf(&b, `{"version":1,"git_hash":"CP:%d","links":{"build":"https://ci.example.com/builds/%d"},`, 1000+i, i)
		b.WriteString(`"key":{"arch":"x86"},"results":[`)
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

// startPaged starts a service whose pages ask for newer values often.
func startPaged(t *testing.T, change func(*config)) *running {
	t.Helper()
	return start(t, func(c *config) {
		c.Refresh = 50 * time.Millisecond
		if change != nil {
			change(c)
		}
	})
}

// leaves waits until the next page has a text, or is ready. Asking the current page fails when it ends.
func (b browser) leaves(has chromedp.Action[chromedp.Void]) {
	b.Helper()
	var err error
	for range 100 {
		if _, err = chromedp.Run(b.ctx, has); err == nil {
			return
		}
	}
	b.Fatal(err)
}

// visit opens the page of a service.
func (b browser) visit(r *running, query string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(r.url+"/"+query))
	b.leaves(isReady())
}

// The page shows what is uploaded while it is open, and is used with the keyboard alone.
func TestPage(t *testing.T) {
	b := newBrowser(t)
	messages := chromedp.Console(b.ctx)
	r := startPaged(t, nil)
	b.visit(r, "")
	b.do(hasText("#empty", "There are no values"), hasText("#about", "Performance results"))
	b.compareTree("served-empty")
	r.history(t, 12)
	r.post(t, "name=broken", strings.NewReader("hello"))

	// The finding, and the values.
	b.do(hasText("#about", "3 series, 12 commits"), hasText("#about", "all: arch=x86"), hasText("#about", "Cannot be judged: 1"), hasText("#live", "New values since"),
		hasText("#findings", "worse +29"), hasText("#findings", "since CP:1007"), hasText("#legend", "Encode"), hasText("#status", "3 series"))
	b.compareTree("served")

	// The chart: the last commit, the previous commit, and the links of the kept commit.
	const readout = "#readout"
	b.do(chromedp.Focus(chromedp.CSS("#chart")),
		chromedp.KeyEvent(kb.ArrowLeft), hasText(readout, "CP:1011"), chromedp.KeyEvent(kb.ArrowLeft), hasText(readout, "CP:1010"),
		hasText(readout, "26.85 ms"), hasText(readout, "3: 26.75 to 26.95"),
		chromedp.KeyEvent(kb.Enter), hasText(readout, "kept"), hasText(readout, "build: https://ci.example.com/builds/10"))

	// What the user has chosen stays when values appear.
	r.history(t, 13)
	b.do(hasText("#about", "13 commits"), hasText(readout, "kept"), hasText(readout, "CP:1010"), hasText(readout, "builds/10"))
	b.dark()
	b.screenshot("served-dark")

	// A query selects series at the server. A wrong one is named.
	b.do(chromedp.Focus(chromedp.CSS("#query")), chromedp.KeyEvent("test=Sort\r"))
	b.leaves(hasText("#about", "1 series, 13 commits"))
	b.do(isReady(), hasText("#readout", "30."))
	if got := get(b, chromedp.Location()); !strings.Contains(got, "?q=test%3DSort") {
		t.Errorf("address %s", got)
	}
	b.checkConsole(messages) // before an answer that fails
	b.do(chromedp.Navigate(r.url + "/?q=a"))
	b.leaves(hasText("#problem", "The server says: q: "))
	b.do(chromedp.Navigate(r.url + "/?nosuch=1"))
	b.leaves(hasText("#problem", `unknown parameter "nosuch"`))
}

// checkConsole checks that nothing was written to the console.
func (b browser) checkConsole(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	b.Helper()
	b.do(evaluate(`console.log("end")`))
	for m, err := range messages {
		if err != nil || m.Text == "end" {
			break
		}
		b.Errorf("console: %s", m)
	}
}

// dark makes the colors of the page dark.
func (b browser) dark() {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		})
		return chromedp.Void{}, err
	})
}

// While the server is gone, the page says so, and stays as it is. When it is back, the page goes on.
func TestPageServerGone(t *testing.T) {
	b := newBrowser(t)
	r := startPaged(t, nil)
	r.history(t, 12)
	b.visit(r, "")
	b.do(hasText("#about", "12 commits"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	b.do(hasText("#problem", "The server does not answer. This is the state of"), hasText("#about", "12 commits"), hasText("#legend", "Encode"))
	b.screenshot("served-gone")

	again := startPaged(t, func(c *config) { c.listen, c.database = strings.TrimPrefix(r.url, "http://"), r.db })
	again.history(t, 13)
	b.do(hasText("#about", "13 commits"))
	if text := b.text("#problem"); text != "" {
		t.Errorf("the page still says %q", text)
	}
}

// What uploads contain is text: no markup of it becomes elements, no script runs, and only links to
// http and https can be followed.
func TestPageHostile(t *testing.T) {
	b := newBrowser(t)
	r := startPaged(t, nil)
	const markup = `<img src=x onerror=\"document.title='attacked'\"><script>document.title='attacked'</script>`
	body := `{"version":1,"git_hash":"` + markup + `","key":{"` + markup + `":"` + markup + `"},
		"links":{"a":"javascript:document.title='attacked'","b":"data:text/html,x",
			"c":" JavaScript:alert(1)","good":"https://ci.example.com/1","plain":"http://ci.example.com/2"},
		"results":[{"key":{"test":"~("},"measurement":1}]}`
	if status, answer := r.post(t, "", strings.NewReader(body)); status != http.StatusCreated {
		t.Fatal(answer)
	}
	name := "a/2026/01/02/03/<img src=x onerror=document.title='attacked'>.json"
	r.post(t, "name="+url.QueryEscape(name), strings.NewReader("<script>"))

	b.visit(r, "")
	b.do(hasText("#about", "1 series, 1 commit"), hasText("#about", "Cannot be judged: 1"),
		evaluate(`document.querySelector("#about details").open = true`), hasText("#about", "<img src=x onerror=document.title='attacked'>.json"),
		chromedp.Focus(chromedp.CSS("#chart")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.Enter), hasText("#readout", "javascript:"))
	hrefs := get(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("#readout a")].map(a => a.href)`))
	elements := get(b, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll("body img, header script, main script")].map(e => e.outerHTML)`))
	title := get(b, chromedp.Title())
	if diff := cmp.Diff([]string{"https://ci.example.com/1", "http://ci.example.com/2"}, hrefs); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if len(elements) > 0 || title != "Performance results" {
		t.Errorf("markup of an upload was parsed: %q, title %q", elements, title)
	}
	b.screenshot("served-hostile")

	// If the page made a mistake, the policy would keep scripts from running.
	b.checkPolicy()
}
