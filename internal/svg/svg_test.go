package svg

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		`<script>&"'`:      "&lt;script&gt;&amp;&#34;&#39;",
		"a\nb\x00\u202e":   `a\nb\x00\u202e`,
		"\xff \uffff":      "\\xff \uFFFD",
		"]]>":              "]]&gt;",
		"שלום, 世界, \u00e9": "שלום, 世界, \u00e9",
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", -0.04: "0", 1.25: "1.3", -3: "-3", 1e300: "100000", math.Inf(-1): "-100000", math.NaN(): "0",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb":                          `a\nb`,
		"short":                         "short",
		strings.Repeat("x", 80) + "end": "xxxx…xend",
		strings.Repeat("世", 100):        "世世世世…世世世世",
		"123456789":                     "123456789",
	} {
		if got := Shorten(text, 9); got != want {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}

// Whatever the texts are, a picture is well-formed, and has no elements of theirs.
func TestPicture(t *testing.T) {
	const hostile = "</text></title></style>]]><script>\x00\x1b\u202e\"'&\xff\uffff"
	var p Picture
	p.WriteString("<svg>")
	p.Text(hostile, math.NaN(), 1, hostile, hostile)
	p.Path(hostile, Line([2]float64{1, 2}, [2]float64{3, math.Inf(1)}))
	p.Path("none", "")
	p.WriteString("</svg>")
	var elements []string
	for d := xml.NewDecoder(&p); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements = append(elements, e.Name.Local)
		}
	}
	if got, want := strings.Join(elements, " "), "svg text path"; got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
}
