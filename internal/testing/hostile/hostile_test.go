package hostile

import (
	"bytes"
	"encoding/json"
	"testing"

	"perfdata/table"
)

func TestWriter(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"count", `[«3,|x»]`, `[x,x,x]`},
		{"index", `«11|$»`, `0123456789a`},
		{"until the size", "«\n|x$»", "x0\nx1\nx2\nx3"},
		{"twice at least", `0123456789«,|x»`, `0123456789x,x`},
		{"nested", `«2;|«2,|$$.$»»`, `0.0,0.1;1.0,1.1`},
		{"modulo", `«5|$%3»`, `01201`},
		{"down", `«-3,|$»`, `2,1,0`},
		{"down, as many as before", `«,|x$»;«-,|$»`, `x0,x1,x2,x3;3,2,1,0`},
		{"blanks", `«4|~.»`, ".\n. \n.\n\n."},
		{"characters", `«3|丁»`, `丁丂七`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := Generator{kind: kind{text: test.text}}
			if got := string(g.Generate(10)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A kind whose lines are faulty at their beginning would exhaust nothing.
func TestJSONLines(t *testing.T) {
	for _, g := range Of(table.JSONL()) {
		if g.Name == "jsonl faults" || g.Name == "jsonl nested arrays" {
			continue
		}
		for line := range bytes.Lines(g.Generate(2000)) {
			if !json.Valid(line) {
				t.Errorf("%s: %.200q", g.Name, line)
			}
		}
	}
}
