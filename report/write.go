package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"perfdata/internal/visible"
)

//go:embed web
var web embed.FS

// Write writes the page as HTML, and returns the error of w, or of a page that is not consistent. Then
// nothing was written. It takes little memory beside the page: values are written as they are
// compressed.
func Write(w io.Writer, p *Page) error {
	if err := p.check(); err != nil {
		return err
	}
	a, err := newAssets()
	if err != nil {
		return err
	}

	out := bufio.NewWriterSize(w, 64<<10)
	m := newMeta(p)
	a.writeHead(out, p.Title)
	if err := writeBody(out, p, m); err != nil {
		return err
	}
	if err := m.write(out); err != nil {
		return err
	}
	blocks := newBlockWriter(out)
	for i := range p.Series {
		if err := blocks.write(&p.Series[i]); err != nil {
			return err
		}
	}
	if err := blocks.end(); err != nil {
		return err
	}
	for _, script := range a.scripts {
		fmt.Fprintf(out, "<script>%s</script>\n", script)
	}
	out.WriteString("</body>\n</html>\n")
	return out.Flush()
}

// assets are the scripts and the style of the page.
type assets struct {
	scripts []string
	style   string
}

// scripts are the files of the explorer, in their order. They are the body of one function.
var scripts = []string{"elements", "values", "words", "state", "list", "colors", "chart", "readout", "actions"}

func newAssets() (assets, error) {
	var failure error
	read := func(name string) string {
		text, err := web.ReadFile("web/" + name)
		if err != nil {
			failure = err
		}
		return string(text)
	}
	explorer := "(async () => {\n\"use strict\";\n"
	for _, name := range scripts {
		explorer += compact(read(name + ".js"))
	}
	explorer += "})();\n"
	license := "/*\n" + strings.TrimSpace(read("uPlot.LICENSE")) + "\n*/\n"
	return assets{
		scripts: []string{license + read("uPlot.iife.min.js"), explorer},
		style:   read("uPlot.min.css") + "\n" + compact(read("page.css")),
	}, failure
}

// compact returns a script or a style without indentation, empty lines, and lines that are comments:
// a third of the text. No string has several lines.
func compact(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") && !(strings.HasPrefix(line, "/*") && strings.HasSuffix(line, "*/")) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// writeHead writes all before the body. Errors are those of the next flush.
//
// The policy allows the scripts and the style of the page, by their hashes, and nothing else: no
// other script, no request, no form.
func (a *assets) writeHead(out *bufio.Writer, title string) {
	policy := "default-src 'none'; script-src"
	for _, s := range a.scripts {
		policy += " " + hashOf(s)
	}
	policy += "; style-src " + hashOf(a.style) + "; base-uri 'none'; form-action 'none'"
	fmt.Fprintf(out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
`, policy, html.EscapeString(shown(title)), a.style)
}

// hashOf returns the source expression of an inline text in a Content-Security-Policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shown returns text of a file for people: characters that would hide or move other text are visible.
func shown(text string) string { return visible.String(text) }
