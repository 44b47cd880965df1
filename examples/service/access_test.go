package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"perfdata/report"
)

// media makes the page one for a medium, such as print, with a feature of the user.
func (b browser) media(medium, feature, value string) {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return chromedp.Void{}, err
	})
}

// The page is used in other ways than with a mouse and a screen.
func TestReportAccess(t *testing.T) {
	b := newBrowser(t)
	dir := pages(t, map[string]*report.Page{"usual": usual()})
	t.Run("keyboard", func(t *testing.T) { useKeyboard(browser{t, b.ctx}, dir) })
	t.Run("touch", func(t *testing.T) { useTouch(browser{t, b.ctx}, dir) })
	t.Run("print", func(t *testing.T) { usePrint(browser{t, b.ctx}, dir) })

	// Nothing moves by itself, whether people want that or not.
	t.Run("motion", func(t *testing.T) {
		b := browser{t, b.ctx}
		for _, value := range []string{"reduce", "no-preference"} {
			b.media("", "prefers-reduced-motion", value)
			b.open(dir, "usual", "")
			b.do(evaluate(`document.querySelector("a.open").click()`), hasText("#readout", "kept"))
			moving := get(b, chromedp.Evaluate[float64](`document.getAnimations().length +
				[...document.querySelectorAll("*")].filter(e => getComputedStyle(e).transitionDuration !== "0s" || getComputedStyle(e).scrollBehavior !== "auto").length`))
			if moving != 0 {
				t.Errorf("%s: %v elements move", value, moving)
			}
		}
	})
}

// useKeyboard presses Tab until the first element has the focus again. Each element that can be used has
// it once, in the order of the page, and is marked.
func useKeyboard(b browser, dir string) {
	b.open(dir, "usual", "")
	b.do(evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`))
	const describe = `(() => {
		const e = document.activeElement;
		if (e === document.body) return "";
		const box = e.getBoundingClientRect(), s = getComputedStyle(e), isMarked = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1;
		const name = e.getAttribute("aria-label") || e.labels?.[0]?.childNodes[0].textContent || e.innerText;
		return e.tagName.toLowerCase() + " " + name.replace(/\s+/g, " ").trim() + (isMarked && box.width > 0 ? "" : " NOT MARKED");
	})()`
	var got []string
	for range 200 {
		b.do(chromedp.KeyEvent(kb.Tab))
		at := get(b, chromedp.Evaluate[string](describe))
		if at == "" || len(got) > 0 && at == got[0] {
			break
		}
		got = append(got, at)
	}
	b.compareGolden("keyboard", strings.Join(got, "\n")+"\n")
}

// compareGolden compares a text with the recorded one.
// localPort is the address of a service that a test started.
var localPort = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

func (b browser) compareGolden(name, got string) {
	b.Helper()
	got = localPort.ReplaceAllString(got, "127.0.0.1:PORT")
	file := filepath.Join("testdata", "report", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		b.Errorf("\"go test -run %s -update\" accepts it (-want +got):\n%s", b.Name(), diff)
	}
}

// useTouch moves a finger over the chart of a phone, which shows the values, and taps on it.
func useTouch(b browser, dir string) {
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: 390, Height: 844, DeviceScaleFactor: 1, Mobile: true,
		})
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		}
		return chromedp.Void{}, err
	})
	b.open(dir, "usual", "")
	at := get(b, chromedp.Evaluate[[]float64](`(() => {
		document.getElementById("chart").scrollIntoView();
		const box = document.querySelector(".u-over").getBoundingClientRect();
		return [box.left, box.width, box.top + box.height / 2];
	})()`))
	touch := func(kind input.DispatchTouchEventType, commit float64) chromedp.Action[chromedp.Void] {
		return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			points := []*input.TouchPoint{}
			if kind != input.DispatchTouchEventTypeTouchEnd {
				points = append(points, &input.TouchPoint{X: at[0] + at[1]*commit/7, Y: at[2]})
			}
			_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return chromedp.Void{}, err
		}
	}
	const start, move, end = input.DispatchTouchEventTypeTouchStart, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchEnd
	b.do(touch(start, 6), touch(move, 5), touch(move, 4), touch(move, 2), hasText("#readout", "change 2"), touch(end, 0))

	// A browser makes a click of a tap. A slow machine would make a long press of the same events.
	b.do(chromedp.MouseClickXY(at[0]+at[1]*5/7, at[2]), hasText("#readout", "change 5"), hasText("#readout", "kept"))

	// The page is as wide as the phone.
	if wide := get(b, chromedp.Evaluate[float64](`document.documentElement.scrollWidth`)); wide > 390 {
		b.Errorf("the page is %v pixels wide", wide)
	}
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{})
		}
		return chromedp.Void{}, err
	})
}

// usePrint looks at the printed page: findings, the comparison, the chart and its values, in dark ink, and
// nothing to press.
func usePrint(b browser, dir string) {
	b.media("print", "prefers-color-scheme", "dark")
	b.open(dir, "usual", "")
	b.do(evaluate(`dispatchEvent(new Event("beforeprint"))`))
	got := get(b, chromedp.Evaluate[[]string](`["nav", ".sketch", "#comparison", "#legend", "#chart", "#tools", "#readout", "#find", ".actions"]
		.filter(s => document.querySelector(s).checkVisibility())`))
	want := []string{".sketch", "#comparison", "#legend", "#chart", "#readout"}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("printed (-want +got):\n%s", diff)
	}
	if colors := get(b, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor +
		" " + document.querySelector("#legend path").getAttribute("stroke")`)); colors != "rgb(255, 255, 255) #0b62c4" {
		b.Errorf("printed in %s", colors)
	}
	b.do(evaluate(`dispatchEvent(new Event("afterprint"))`))
	b.media("", "prefers-color-scheme", "light")
}
