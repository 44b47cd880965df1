package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/report"
)

func plot(text string) *report.Plot {
	return &report.Plot{
		Title: text, Note: text, Description: text, Legend: "right", Width: 600, Height: 400,
		X: report.PlotAxis{Name: text, Unit: text, Integers: true, Lo: 1, Hi: 3},
		Y: report.PlotAxis{Name: text, Unit: text, Hi: 2},
		Series: []report.PlotSeries{{
			Name: text, Points: []report.PlotPoint{{1, 0.5}, {3, 2}},
			Curves: []report.PlotCurve{{Kind: text, Name: text, Parts: [][]report.PlotPoint{{{1, 1}, {2, 1}}, {{3, 2}}}}},
		}},
	}
}

func writtenPlot(t *testing.T, p *report.Plot) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.WritePlot(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var plotData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

func TestWritePlot(t *testing.T) {
	page := writtenPlot(t, plot("a"))
	got := plotData.FindStringSubmatch(page)[1]
	const want = `{"title":"a","note":"a",` +
		`"x":{"name":"a","unit":"a","log":false,"integers":true,"lo":1,"hi":3},` +
		`"y":{"name":"a","unit":"a","log":false,"integers":false,"lo":0,"hi":2},"bars":false,` +
		`"series":[{"name":"a","points":[[1,0.5],[3,2]],` +
		`"curves":[{"kind":"a","name":"a","parts":[[[1,1],[2,1]],[[3,2]]]}]}],"legend":"right","width":600,"height":400}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// The policy allows exactly the scripts and the style that are in the page, and the pictures that it makes.
	meta := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
	policy := meta.FindStringSubmatch(page)[1]
	wantPolicy := "default-src 'none'; script-src"
	for _, script := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		wantPolicy += " " + hashOf(script[1])
	}
	wantPolicy += "; style-src " + hashOf(regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1]) +
		"; img-src blob:; base-uri 'none'; form-action 'none'"
	if diff := cmp.Diff(wantPolicy, policy); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	for left := 0; left < len(page); left += 10_007 {
		if err := report.WritePlot(&full{left}, plot("a")); err != io.ErrShortWrite {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
}

// No text becomes markup, and hidden characters are visible. WritePlot changes nothing.
func TestHostilePlot(t *testing.T) {
	const text = "</script><script>alert(1)</script><!--\u202e\x00\x1b\">{{.}}\xff"
	p := plot(text)
	page := writtenPlot(t, p)
	if diff := cmp.Diff(plot(text), p); diff != "" {
		t.Errorf("the plot has changed (-want +got):\n%s", diff)
	}
	if strings.Contains(page, "<script>alert") || strings.ContainsAny(page, "\u202e\x00\x1b") {
		t.Error("a text is in the page as it is")
	}
	if data := plotData.FindStringSubmatch(page)[1]; !json.Valid([]byte(data)) {
		t.Errorf("invalid JSON: %s", data)
	}
	if tags := regexp.MustCompile(`<(script|h1|p|li)\b`).FindAllString(page, -1); len(tags) != 8 {
		t.Errorf("%q", tags)
	}
}
