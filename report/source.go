package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A Source is where a page without data, which a server has, gets its data. The page sends only GET
// requests. Their URLs have the query of the page's own URL, and more parameters:
//
//	URL            the Head of a [Data]; with have=VERSION, if that is the version still, status 204
//	URL/findings   with version=VERSION: what [Page.AppendFindings] returns
//	URL/values     with version=VERSION&block=0 and so on: an element of Blocks
//	URL/links      with version=VERSION&series=0&commit=0, which are indexes: an object of names and
//	               addresses, which the page shows for a value that a user chose
//
// If the server has no data of the version any more, it answers with status 410, and the page begins
// anew. It shows the detail of other errors, if they are problem details (RFC 9457), and tries again, but
// for status 400.
type Source struct {
	URL   string        // relative to the URL of the page
	Every time.Duration // between two requests for newer data

	// Upload is a command that uploads results, which the page shows as long as there are none.
	// {server} stands for the address of the page.
	Upload string
}

// WriteShell writes a page without data. A server that sends it as HTML should also send the policy
// of [ShellPolicy].
func WriteShell(w io.Writer, title string, from Source) error {
	d := document{
		styles: []string{"page"}, scripts: explorer("server"), title: title, allowed: connectSelf,
		template: "shell", body: &body{Page: &Page{Title: title}, Upload: from.Upload}, id: "source",
	}
	d.data = struct {
		URL   string `json:"url"`
		Every int64  `json:"every"` // milliseconds
	}{from.URL, from.Every.Milliseconds()}
	return d.write(w)
}

const connectSelf = "; connect-src 'self'"

// ShellPolicy returns the Content-Security-Policy of the page of [WriteShell]: it allows the scripts and
// the style of the page, and requests to its own server. It may be the value of the header.
func ShellPolicy() (string, error) {
	a, err := newAssets([]string{"page"}, explorer("server"))
	return a.policy(connectSelf), err
}

// Data is a page for a [Source], but for its findings.
type Data struct {
	Version string // of the content
	Head    []byte // JSON
	Blocks  [][]byte
}

// Pack returns the data of a page. The findings and marks are left out: it takes time to find them, in
// which people can see the values.
func Pack(p *Page) (*Data, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	d := new(Data)
	eachBlock(p.Series, func(block []byte) error {
		d.Blocks = append(d.Blocks, bytes.Clone(block))
		return nil
	})

	bare := *p
	bare.Findings, bare.Comparison = nil, nil
	m := newMeta(&bare)
	head := struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		About   part   `json:"about"`
		Meta    *meta  `json:"meta"`
	}{Title: shown(p.Title), About: part{"about", newBody(&bare, m)}, Meta: m}
	var err error
	if d.Head, err = json.Marshal(head); err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, text := range append([][]byte{d.Head}, d.Blocks...) {
		sum.Write(text)
	}

	d.Version = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	head.Version = d.Version
	d.Head, err = json.Marshal(head)
	return d, err
}

// AppendFindings appends the findings and marks of a page, and its comparison, as JSON for a [Source].
func (p *Page) AppendFindings(dst []byte) ([]byte, error) {
	if err := p.check(); err != nil {
		return dst, err
	}
	m := newMeta(p)
	m.setFindings(p)
	b := newBody(p, m)
	text, err := json.Marshal(struct {
		About   part `json:"about"`
		Answers part `json:"answers"`
		metaFound
	}{part{"about", b}, part{"answers", b}, m.metaFound})
	return append(dst, text...), err
}

// A part is a part of the body, whose HTML is a text in JSON.
type part struct {
	name string
	body *body
}

// MarshalText returns the HTML.
func (p part) MarshalText() ([]byte, error) {
	var text bytes.Buffer
	err := writeBody(&text, p.name, p.body)
	return text.Bytes(), err
}
