package svg

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page of package report has the same colors, in both themes.
func TestColorsOfPage(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile("../../report/web/" + name)
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

	themes := []string{style, dark}
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
