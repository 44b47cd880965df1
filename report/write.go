package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"perfdata/internal/chars"
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
	m := newMeta(p)
	m.setFindings(p)
	d := document{
		styles: []string{"page"}, scripts: explorer("page"), title: p.Title, template: "page", body: newBody(p, m),
		id: "meta", data: m, series: p.Series,
	}
	return d.write(w)
}

// A document is a page of any kind.
type document struct {
	styles, scripts []string
	title           string
	allowed         string // what its policy allows more
	template        string // of the body
	body            any
	id              string // of the element with the data, as JSON
	data            any
	series          []Line // whose values follow
}

func (d *document) write(w io.Writer) error {
	a, err := newAssets(d.styles, d.scripts)
	if err != nil {
		return err
	}
	data, err := json.Marshal(d.data) // in strings, <, > and & are escaped
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	a.writeHead(out, d.title, d.allowed)
	if err := writeBody(out, d.template, d.body); err != nil {
		return err
	}
	fmt.Fprintf(out, "<script type=\"application/json\" id=%q>%s</script>\n", d.id, data)
	err = eachBlock(d.series, func(block []byte) error {
		out.WriteString("<script type=\"application/octet-stream\" class=\"block\">")
		out.WriteString(base64.StdEncoding.EncodeToString(block))
		_, err := out.WriteString("</script>\n")
		return err
	})
	if err != nil {
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

// explorer returns the names of the scripts of a page whose data is in the page or on the server.
func explorer(data string) []string {
	return []string{
		"elements", "values", "words", "state", "list", "colors", "chart", "readout", "export", "actions", data, "start",
	}
}

// newAssets returns the assets of a page with the styles, and with the scripts, which are the body of one
// function.
func newAssets(styles, scripts []string) (assets, error) {
	var failure error
	read := func(name string) string {
		text, err := web.ReadFile("web/" + name)
		if err != nil {
			failure = err
		}
		return string(text)
	}
	script := "(async () => {\n\"use strict\";\n"
	for _, name := range scripts {
		script += compact(read(name + ".js"))
	}
	script += "})();\n"
	style := read("uPlot.min.css") + "\n" // without its rules for a title and a legend: no page has these
	for _, name := range styles {
		style += compact(read(name + ".css"))
	}
	license := "/*\n" + strings.TrimSpace(read("uPlot.LICENSE")) + "\n*/\n"
	return assets{
		scripts: []string{license + read("uPlot.iife.min.js"), script},
		style:   style,
	}, failure
}

// compact returns a script or a style without indentation, empty lines, and comments: a third of the text. No
// string has several lines, or " // ".
func compact(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " // ")
		if line != "" && !strings.HasPrefix(line, "//") && !(strings.HasPrefix(line, "/*") && strings.HasSuffix(line, "*/")) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// policy returns the Content-Security-Policy of the page. It allows the scripts and the style of the
// page, by their hashes, and what more allows, and nothing else: no other script, no form.
func (a *assets) policy(more string) string {
	policy := "default-src 'none'; script-src"
	for _, s := range a.scripts {
		policy += " " + hashOf(s)
	}
	return policy + "; style-src " + hashOf(a.style) + more + "; base-uri 'none'; form-action 'none'"
}

// writeHead writes all before the body. The next flush returns its errors.
func (a *assets) writeHead(out *bufio.Writer, title, allowed string) {
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
`, a.policy(allowed), html.EscapeString(shown(title)), a.style)
}

// hashOf returns the source expression of an inline text in a Content-Security-Policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shown returns text of a file for people: characters that would hide or move other text are visible.
func shown(text string) string { return chars.Visible(text) }
