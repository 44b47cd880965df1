package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/hint"
)

// A query in the syntax of another language gets an error that suggests the right syntax.
func TestParseQuery(t *testing.T) {
	const numbers = "queries do not compare numbers: want key=value or key=~regexp"
	const blanks = "blanks around a key or value: "
	for _, test := range []struct{ query, want string }{
		{"stat!=min", "did you mean stat=!min?"},
		{"stat!~^m", "did you mean stat=!~^m?"},
		{"stat!=~^m", "did you mean stat=!~^m?"},
		{"stat<>min", "did you mean stat=!min?"},
		{"!stat=min", "did you mean stat=!min?"},
		{"stat==min", "did you mean stat=min?"},
		{"stat:=min", "did you mean stat=min?"},
		{"stat:min", "did you mean stat=min?"},
		{"stat~=min", "did you mean stat=~min?"},
		{"stat ~ min", "did you mean stat=~min?"},
		{"stat>3", numbers}, {"stat>=3", numbers}, {"stat < 3", numbers}, {"stat<=3", numbers},
		{"stat", "did you mean stat=*?"},
		{" stat=min", blanks + "did you mean stat=min?"},
		{"stat =min", blanks + "did you mean stat=min?"},
		{"stat= min", blanks + "did you mean stat=min?"},
		{"stat=min ", blanks + "did you mean stat=min?"},
		{"stat=min,test=a", "did you mean stat=min&test=a?"},
		{"stat=min test=a", "did you mean stat=min&test=a?"},
		{"stat=min AND test=a", "did you mean stat=min&test=a?"},
		{"stat=min|max", "did you mean stat=min&stat=max?"},
		{"stat=min|max|a", "did you mean stat=min&stat=max&stat=a?"},
		{"test=draw.*", `did you mean test=~^draw\..*$?`},
		{"test=!draw_*", "did you mean test=!~^draw_.*$?"},
		{"stat=!*", "did you mean stat=!~.?"},
	} {
		t.Run(test.query, func(t *testing.T) {
			_, err := hint.ParseQuery(test.query)
			if want := `query term "` + test.query + `": ` + test.want; err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	for _, query := range []string{
		"", "&", "stat=min&stat=max", "stat=*", "stat=!min", "stat=!", "test=~^draw_", "test=!~a|b", "test=~a: b=c", "a:b=c",
		"name=x,y", "name=a%20b", "name=a+b", "test=~x>=3", "test=x:y", "test=a!=b", "test=~=b", "units=µs",
	} {
		t.Run(query, func(t *testing.T) {
			if _, err := hint.ParseQuery(query); err != nil {
				t.Error(err)
			}
		})
	}
}

// A query that exceeds its limit for a measurement is an error of the command line, as one that exceeds it for
// any: the file is valid. Nothing else is said about the file: how many measurements match is not known.
func TestMatchLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.jsonl")
	row := func(test string) string { return `{"params":{"test":"` + test + `"},"value":1}` + "\n" }
	write(t, name, row("a")+row(strings.Repeat("x", 900_000))+row("xb"))
	const text = `regular expression "x{900}b": limit exceeded: 903 instructions and a value of 900000 bytes: ` +
		"want a product of at most 10000000\n"
	database := filepath.Join(t.TempDir(), "perf.db")
	if _, stderr, status := runTool(nil, "store", "ingest", "--commit", "c1", database, name); status != statusOK {
		t.Fatal(stderr)
	}
	for _, file := range []string{name, database} {
		for _, args := range [][]string{{"records"}, {"info"}, {"info", "--as", "json"}, {"convert", "--to", "benchfmt"}} {
			t.Run(strings.Join(args, " ")+filepath.Ext(file), func(t *testing.T) {
				stdout, stderr, status := runTool(strings.NewReader(""), append(args, "--match", "test=~x{900}b", file)...)
				want := "perfdata: " + text
				if stdout != "" || stderr != want || status != statusFailed {
					t.Errorf("status %d, want %d\n%s(-want +got):\n%s", status, statusFailed, stdout, cmp.Diff(want, stderr))
				}
			})
		}
		for _, args := range [][]string{{"changes"}, {"report", "-o", filepath.Join(t.TempDir(), "page.html")}, {"check"}, {"compare", "--fail-on", "never"}, {"drift"}} {
			t.Run(args[0]+filepath.Ext(file), func(t *testing.T) {
				args = append(args, "--match", "test=~x{900}b", file)
				if len(args) == 4 && args[0] != "changes" || args[0] == "compare" {
					args = append(args, "--", file)
				}
				_, stderr, status := runTool(strings.NewReader(""), args...)
				if !strings.Contains(stderr, text[:40]) || status != statusFailed {
					t.Errorf("status %d, want %d\n%s", status, statusFailed, stderr)
				}
			})
		}
	}
}
