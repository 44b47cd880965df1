package report_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A flame graph has the colors of the page, in both themes.
func TestColorsOfFlame(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile("web/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	css := read("page.css")
	variable := func(name string) []string {
		var colors []string
		for _, found := range regexp.MustCompile(`--`+name+`: (#[0-9a-f]{6});`).FindAllStringSubmatch(css, -1) {
			colors = append(colors, found[1])
		}
		return colors
	}

	themes := strings.SplitN(read("flame.css"), "@media", 2)
	for name, rule := range map[string]string{"back": ".back{fill:%}", "soft": ".soft{fill:%}", "text": "fill:%}"} {
		colors := variable(name)
		if len(colors) != len(themes) {
			t.Fatalf("page.css has the colors %s %v, want a light and a dark one", name, colors)
		}
		for i, theme := range themes {
			if want := strings.ReplaceAll(rule, "%", colors[i]); !strings.Contains(theme, want) {
				t.Errorf("theme %d has no rule %s", i, want)
			}
		}
	}
}
