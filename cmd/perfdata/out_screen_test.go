package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/internal/chars"
)

// hostileText has control sequences for a terminal, and forges a line.
const hostileText = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e\x7f\nFAKE: all is well"

// hostileFiles contain hostileText wherever a format can hold it. JSON escapes some of it; the
// rest is verbatim.
func hostileFiles(t *testing.T) map[string]string {
	text, err := json.Marshal(hostileText)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(s string) string { return strings.ReplaceAll(s, "$", string(text)) }
	return map[string]string{
		"skiav1":     fill(`{"version":1,"git_hash":$,"key":{$:$},"links":{$:$},"results":[{"key":{"units":$},"measurement":1}]}`),
		"faulty":     fill(`{"version":1,"git_hash":$,"key":{"a":5},$:1,"results":[{"key":{$:5}},{"key":{"a":$}},{"key":{"a":"b"},"measurement":1}]}`),
		"nanolegacy": fill(`{"gitHash":$,"key":{$:$},"options":{$:$},"results":{$:{$:{$:1,"options":{$:"x"}}}}}`),
		"benchfmt": strings.ReplaceAll("key: $\nBenchmark$/$=$ 1 1 $ns/op\nBenchmarkX $ 1 $\nBenchmarkX 1 x ns/op\n", "$",
			strings.ReplaceAll(strings.ReplaceAll(hostileText, "\n", ""), " ", "")),
		"keyval":  strings.ReplaceAll("a{attr}=$\nb{perf}=1\n$=1\nc{$}=1\n", "$", strings.ReplaceAll(hostileText, "\n", "")),
		"perun":   fill(`{"origin":$,"header":{"type":$,"units":{$:$},"cmd":$,"workload":$},"collector_info":{"name":$},"postprocessors":[{"name":$}],"global":{"resources":[{"uid":$,"type":$,"subtype":$,"amount":1,$:$},{"uid":$}]}}`),
		"unknown": hostileText,
	}
}

// hidden returns the first control character in text, except line ends and tabs.
func hidden(text string) string {
	for _, r := range text {
		if r != '\n' && r != '\t' && chars.IsHidden(r) {
			return string(r)
		}
	}
	return ""
}

// Control sequences in files, file names and arguments never reach a terminal.
func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for name, content := range hostileFiles(t) {
		name = filepath.Join(dir, name+strings.ReplaceAll(hostileText, "/", ""))
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Skip(err) // some systems do not allow such names
		}
		names = append(names, name)
	}
	if err := os.Mkdir(filepath.Join(dir, hostileText), 0o777); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out"+hostileText)
	names = append(names, filepath.Join(dir, "nosuch"+hostileText), filepath.Join(dir, hostileText))
	profiles := names
	for _, test := range []struct {
		args []string
		text bool // standard output is text
	}{
		{append([]string{"validate"}, names...), true},
		{append([]string{"info"}, names...), true},
		{append([]string{"detect"}, names...), true},
		{append([]string{"header"}, names...), false},
		{append([]string{"records"}, names...), false},
		{append([]string{"records", "--as", "csv"}, names...), false},
		{append([]string{"records", "--as", "text"}, names...), true},
		{append([]string{"records", "--as", "tsv"}, names...), false},
		{append([]string{"validate", "--as", "json"}, names...), false},
		{append([]string{"validate", "--as", "github"}, names...), true},
		{append([]string{"validate", "--as", "github"}, filepath.Join(dir, hostileText)), true},
		{append([]string{"info", "--as", "json"}, names...), false},
		{append([]string{"table", "--as", "text"}, profiles...), true},
		{append([]string{"flame", "--fold"}, profiles...), false},
		{[]string{"records", "--match", hostileText, "-"}, true},
		{[]string{"records", "-o", filepath.Join(dir, "nosuch", hostileText), "-"}, true},
		{[]string{"id", "match", "a=~[" + hostileText}, true},
		{append([]string{"flame"}, profiles...), false},
		{append([]string{"table"}, profiles...), false},
		{[]string{"id", "parse", ",a=" + strings.ReplaceAll(hostileText, "\n", "") + ","}, false},
		{[]string{"id", "check", hostileText}, true},
		{[]string{"id", "make", "--verbatim", hostileText + "=" + hostileText}, false},
		{[]string{hostileText}, true},
		{[]string{"id", hostileText}, true},
		{[]string{"help", hostileText}, true},
		{[]string{"records", "--" + hostileText}, true},
		{[]string{"records", "--as", hostileText, "-"}, true},
		{[]string{"records", "--limit", hostileText, "-"}, true},
		{[]string{"convert", "--to", hostileText, "-"}, true},
		{[]string{"convert", "--to", "keyval", "-o", filepath.Join(dir, hostileText), "-"}, true},
		{[]string{"plot", "-o", hostileText, "-"}, true},
	} {
		for _, terminal := range []bool{false, true} {
			_, stderr, stdout := runTerminal(terminal, test.args...)
			if c := hidden(stderr); c != "" || strings.Contains(stderr, "\nFAKE") {
				t.Errorf("%.20q: %q on standard error: %q", test.args, c, stderr)
			}
			if c := hidden(stdout); (test.text || terminal) && c != "" {
				t.Errorf("%.20q, terminal %v: %q on standard output: %q", test.args, terminal, c, stdout)
			}
			if test.text && strings.Contains(stdout, "\nFAKE") {
				t.Errorf("%.20q: a forged line on standard output: %q", test.args, stdout)
			}
		}
	}
	for _, name := range names {
		for _, to := range namesOf(targets()) {
			for _, args := range [][]string{{name}, {"-o", out, name}} {
				_, stderr, stdout := runTerminal(true, append([]string{"convert", "--to", to}, args...)...)
				if c := hidden(stderr) + hidden(stdout); c != "" || strings.Contains(stderr, "\nFAKE") {
					t.Errorf("%.20q to %s: %q: %q, %q", name, to, c, stderr, stdout)
				}
			}
		}
	}
}

func runTerminal(terminal bool, args ...string) (status int, stderr, stdout string) {
	var out, errs bytes.Buffer
	tool := newTool(strings.NewReader(""), &out, &errs)
	tool.isTerminal = func(io.Writer) bool { return terminal }
	status = tool.run(append([]string{"--color=never"}, args...))
	return status, errs.String(), out.String()
}

// Data that is not shown on a terminal is verbatim, and JSON that is shown on one is still JSON.
func TestDataIsUnchanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(name, []byte(hostileFiles(t)["skiav1"]), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"header", name}, {"records", name}, {"convert", "--to", "skiav1", name}} {
		_, _, file := runTerminal(false, args...)
		_, _, screen := runTerminal(true, args...)
		if !strings.Contains(file, "\u009b") || !strings.Contains(screen, `\u009b`) {
			t.Errorf("%q: %q, %q", args, file, screen)
		}
		var fromFile, fromScreen any
		if err := json.Unmarshal([]byte(file), &fromFile); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal([]byte(screen), &fromScreen); err != nil {
			t.Error(err)
		}
		one, _ := json.Marshal(fromFile)
		two, _ := json.Marshal(fromScreen)
		if !bytes.Equal(one, two) {
			t.Errorf("%q: %s, %s", args, one, two)
		}
	}
	_, _, table := runTerminal(false, "records", "--as", "csv", "--columns", "units", name)
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || !strings.Contains(rows[1][14], hostileText) {
		t.Errorf("%v, %q", err, table)
	}
}

// A character may arrive in two pieces.
func TestScreen(t *testing.T) {
	const text = "a\x1b[2J\tä€\u009b😀\r\n\ufffd\x9b\xf0\x9f"
	const want = "a\\u001b[2J\tä€\\u009b😀\\u000d\n\ufffd\\x9b\\xf0\\x9f"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		s := &screen{out: &out}
		for at := 0; at < len(text); at += size {
			piece := text[at:min(at+size, len(text))]
			if n, err := io.WriteString(s, piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		s.flush()
		if out.String() != want {
			t.Errorf("pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}
