package series_test

import (
	"strings"
	"testing"

	"perfdata/series"
)

func TestParseCharset(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{"", ",a_b=c_d_.-_, #1"},
		{`([^a-zA-Z0-9._\-])`, ",a_b=c_d_.-_, #1"},
		{`[^a-zA-Z0-9._/-]`, ",a/b=c_d_.-_, #1"},
		{`[^a-zA-Z0-9._/ é-]`, ",a/b=c d_.-é, #1"},
		{`[,=;]`, ",a/b=c d+.-é, #1"},
		{`.`, ",___=_______, #1"},
	} {
		t.Run(test.expression, func(t *testing.T) {
			charset, err := series.ParseCharset(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			p := series.Placer{Charset: charset}
			rec := record("commit=x")
			rec.Params[0].Key, rec.Params[0].Value = "a/b", "c d+.-é"
			if got := show(p.Place(rec)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	for _, test := range []struct{ expression, want string }{
		{"[", "error parsing regexp: missing closing ]"},
		{"[^a-z,=]", `does not match ","`},
		{"[^a-z=]", `does not match "="`},
	} {
		if _, err := series.ParseCharset(test.expression); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.expression, err, test.want)
		}
	}
}
