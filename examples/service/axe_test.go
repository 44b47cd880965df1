package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axePackage is a checker of accessibility by Deque (MPL-2.0), as the package manager of Node names
// it. It is not part of this project: tests run it where it is installed.
const axePackage = "axe-core@4.14.1"

// axe returns the script of axe-core, which it downloads once into the cache of the user, or skips the
// test.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no folder for axe-core: %v", err)
	}
	name := filepath.Join(cache, "perfdata-test", axePackage+".js")
	if text, err := os.ReadFile(name); err == nil {
		return string(text)
	}

	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed: axe-core does not check the pages")
	}
	pack := exec.CommandContext(t.Context(), npm, "pack", "--silent", axePackage)
	pack.Dir = t.TempDir()
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("axe-core cannot be had: %v: %.300s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(pack.Dir, "*.tgz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	text, err := fileOf(files[0], "package/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	part := name + "." + filepath.Base(pack.Dir) + ".part" // tests may run at the same time
	if err := errors.Join(os.WriteFile(part, text, 0o666), os.Rename(part, name)); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fileOf returns a file of an archive.
func fileOf(archive, name string) ([]byte, error) {
	packed, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(z)
	for {
		header, err := files.Next()
		if err != nil {
			return nil, err
		}
		if header.Name == name {
			return io.ReadAll(files)
		}
	}
}

// checkAccess checks that axe-core finds nothing in the page.
func (b browser) checkAccess(script, state string) {
	b.Helper()
	b.do(evaluate(script + "; true"))
	for _, v := range b.violations() {
		b.Errorf("%s: %s", state, v)
	}
}

// violations returns what axe-core, which runs in the page, finds.
func (b browser) violations() []string {
	b.Helper()
	text := get(b, chromedp.Evaluate[string](`axe.run(document, {runOnly: {type: "tag",
		values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}).then(r => JSON.stringify(
		r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.any.map(a => a.message)).join(" | "))))`,
		chromedp.EvalAwaitPromise))
	var violations []string
	if err := json.Unmarshal([]byte(text), &violations); err != nil {
		b.Fatal(err)
	}
	slices.Sort(violations)
	return violations
}

// A page of each state has nothing that axe-core finds. The usual one has all colors.
func TestAccess(t *testing.T) {
	script := axe(t)
	b := newBrowser(t)
	all := pageStates()
	dir := pages(t, all)
	for name := range all {
		b.open(dir, name, "")
		if name == "usual" {
			b.checkAccess(script, name)
		}
		b.do(evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`))
		b.checkAccess(script, name+", open")
	}
	b.dark()
	b.open(dir, "usual", "#at=a004")
	b.checkAccess(script, "usual, dark")
	b.do(evaluate(`document.querySelector(".badge").style.color = "#555"`)) // axe-core runs
	if found := b.violations(); len(found) != 1 || !strings.HasPrefix(found[0], "color-contrast: ") {
		t.Errorf("a badge without contrast: %q", found)
	}

	folder := flames(t)
	for _, theme := range []string{"dark", "light"} {
		b.media("", "prefers-color-scheme", theme)
		b.file(folder, "inline.html")
		b.do(chromedp.Focus(chromedp.CSS("input")), chromedp.KeyEvent("fill"))
		b.checkAccess(script, "flame graph, "+theme)
	}

	r := startPaged(t, nil)
	b.visit(r, "")
	b.checkAccess(script, "served, empty")
	r.history(t, 12)
	b.do(hasText("#about", "12 commits"))
	b.checkAccess(script, "served")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	b.do(hasText("#problem", "does not answer"))
	b.checkAccess(script, "served, gone")
}
