package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// widths are the widths of the windows in pictures: a laptop's and a phone's.
var widths = []int64{1280, 390}

// resize makes the window of a width.
func (b browser) resize(width int64) {
	b.Helper()
	const phone = 600
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: 844, DeviceScaleFactor: 1, Mobile: width < phone,
		})
		return chromedp.Void{}, err
	})
}

// TestPictures writes pictures to the folder that SCREENSHOTS names: of each state of the page, and of the
// pages that are in the folder before, in windows of two widths, and in both themes. A page is as wide as
// its window, or it fails.
func TestPictures(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS names no folder for pictures")
	}
	others, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	all := pageStates()
	pages(t, all)
	names := slices.Sorted(maps.Keys(all))
	for _, other := range others {
		if name := strings.TrimSuffix(filepath.Base(other), ".html"); all[name] == nil {
			names = append(names, name)
		}
	}

	b := newBrowser(t)
	for _, theme := range []string{"light", "dark"} {
		b.media("", "prefers-color-scheme", theme)
		for _, width := range widths {
			b.resize(width)
			for _, name := range names {
				b.open(dir, name, "")
				b.screenshot(fmt.Sprintf("%s-%d-%s", name, width, theme))
				if wide := get(b, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)); wide > width {
					t.Errorf("%s is %d pixels wide in a window of %d", name, wide, width)
				}
			}
		}
	}
}
