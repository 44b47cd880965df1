package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each claim of SECURITY.md about the service names a test that exists.
func TestSecurityClaims(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := ""
	for _, dir := range []string{".", filepath.Join("..", "..", "store"), filepath.Join("..", "..", "store", "service")} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests += string(source)
		}
	}

	_, section, _ := strings.Cut(string(text), "\n## The service\n")
	section, _, _ = strings.Cut(section, "\n## ")
	claims := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| claim") || strings.HasPrefix(line, "| ---") {
			continue
		}
		claims++
		cells := strings.Split(line, " | ")
		names := regexp.MustCompile(`Test\w+`).FindAllString(cells[len(cells)-1], -1)
		if len(names) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, name := range names {
			if !strings.Contains(tests, "func "+name+"(") {
				t.Errorf("%s is missing: %s", name, line)
			}
		}
	}
	if claims < 10 {
		t.Errorf("%d claims", claims)
	}
}
