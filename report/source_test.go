package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/report"
)

// The page of a server has the policy that the header gets, and where its data is.
func TestWriteShell(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteShell(&b, "<title>", report.Source{URL: "api/report", Every: time.Second}); err != nil {
		t.Fatal(err)
	}
	policy, err := report.ShellPolicy()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<meta http-equiv="Content-Security-Policy" content="` + policy + `">`, "<title>&lt;title&gt;</title>", "<h1>&lt;title&gt;</h1>",
		`<script type="application/json" id="source">{"url":"api/report","every":1000}</script>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if !strings.Contains(policy, "; connect-src 'self';") {
		t.Errorf("policy %s", policy)
	}
	if err := report.WriteShell(&full{1000}, "", report.Source{}); err == nil {
		t.Error("no error of the output")
	}
}

// The data of a page has a version, which changes with the content only, and one block of values for
// about 131,072 of them. Findings are apart.
func TestPack(t *testing.T) {
	pack := func(p *report.Page) *report.Data {
		d, err := report.Pack(p)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	p := withFinding(noise(300, 1000, false))
	first, again := pack(p), pack(p)
	if diff := cmp.Diff(first, again, cmp.Comparer(bytes.Equal)); diff != "" {
		t.Errorf("again (-first +again):\n%s", diff)
	}
	if n := len(first.Blocks); n != 3 {
		t.Errorf("%d blocks", n)
	}
	if !json.Valid(first.Head) || !bytes.Contains(first.Head, []byte(`"version":"`+first.Version+`"`)) ||
		bytes.Contains(first.Head, []byte("badge")) {
		t.Errorf("head %.200s", first.Head)
	}
	p.Series[299].Points[999].Value++
	if pack(p).Version == first.Version {
		t.Error("the version does not change with a value")
	}
	p.Notes = append(p.Notes, "more")
	if pack(p).Version == again.Version {
		t.Error("the version does not change with a note")
	}

	found, err := p.AppendFindings([]byte("x"))
	if err != nil || found[0] != 'x' || !json.Valid(found[1:]) || !bytes.Contains(found, []byte("badge worse")) {
		t.Errorf("findings %.200s, %v", found, err)
	}
	p.Series[0].Points[0].Commit = -1
	if _, err := report.Pack(p); err == nil {
		t.Error("Pack: no error")
	}
	if _, err := p.AppendFindings(nil); err == nil {
		t.Error("AppendFindings: no error")
	}
}
