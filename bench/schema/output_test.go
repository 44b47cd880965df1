package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

// TestOutputs runs the commands of the tool that print JSON, and checks the output against the
// definitions of docs/output.schema.json, which has every member.
func TestOutputs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(t.TempDir(), "perfdata")
	build := exec.Command("go", "build", "-o", tool, ".")
	build.Dir = filepath.Join(root, "cmd/perfdata")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	dir := t.TempDir()
	history := &strings.Builder{} // a step, an outlier, noise, and a renamed benchmark
	for i, ns := range []int{100, 101, 99, 102, 100, 98, 101, 100, 180, 99, 101, 100, 150, 151, 149, 152, 150, 148, 151} {
		name := "Renamed"
		if i > 10 {
			name = "NewName"
		}
		history.WriteString(strings.NewReplacer("C", string(rune('a'+i)), "T", jsonOf(t, ns), "R", name).Replace(
			"commit: cC00\nBenchmarkStep 1 T ns/op 5 frames\nBenchmarkR 1 77 ns/op\nBenchmarkFlat 1 100 ns/op\n"))
	}
	write(t, dir, "history.txt", history.String())
	write(t, dir, "new.txt", "commit: z00\n"+strings.Repeat("BenchmarkStep 1 190 ns/op 6 frames\nBenchmarkFlat 1 100 ns/op\n", 6))
	write(t, dir, "faulty.txt", "commit: y00\nBenchmarkStep 1 x ns/op\nBenchmarkFlat 1 NaN ns/op\n")
	write(t, dir, "empty.txt", "commit: x00\n")

	for _, test := range []struct{ definition, command string }{
		{"validate", "validate --as json testdata/skiav1/invalid.json testdata/skiav1/example.json DIR/faulty.txt nosuch.json"},
		{"validate", "validate --as json -r testdata/keyval testdata/perun"},
		{"info", "info --as json testdata/skiav1/example.json"},
		{"info", "info --as json testdata/nanolegacy/samples.json"},
		{"info", "info --as json --match name=Step DIR/history.txt"},
		{"info", "info --as json testdata/perun/models.perf"},
		{"record", "records testdata/skiav1/example.json testdata/nanolegacy/example.json DIR/history.txt DIR/faulty.txt"},
		{"record", "records --samples testdata/nanolegacy/samples.json"},
		{"compare", "compare --as json testdata/skiav1/old.json testdata/skiav1/new.json"},
		{"compare", "compare --as json ca00..cs00 DIR/history.txt"},
		{"compare", "compare --as json DIR/history.txt -- DIR/new.txt DIR/faulty.txt DIR/empty.txt"},
		{"check", "check --as json DIR/history.txt -- DIR/new.txt"},
		{"check", "check --as json DIR/history.txt DIR/faulty.txt -- DIR/new.txt DIR/empty.txt"},
		{"changes", "changes --as json DIR/history.txt DIR/new.txt DIR/faulty.txt"},
		{"changes", "changes --as json DIR/new.txt"},
		{"drift", "drift --as json DIR/history.txt -- DIR/new.txt DIR/empty.txt"},
		{"drift", "drift --as json testdata/skiav1/example.json testdata/nanolegacy/example.json"},
	} {
		t.Run(test.command, func(t *testing.T) {
			cmd := exec.Command(tool, strings.Fields(strings.ReplaceAll(test.command, "DIR", dir))...)
			cmd.Dir = root
			out, err := cmd.Output()
			if failed, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || ok && failed.ExitCode() == 2 && len(out) == 0 {
				t.Fatalf("%v: %s", err, failed.Stderr)
			}
			checkDefinition(t, filepath.Join(root, "docs/output.schema.json"), test.definition, out)
		})
	}
}

// checkDefinition holds each JSON value of an output to a definition of a schema.
func checkDefinition(t *testing.T, schema, definition string, out []byte) {
	t.Helper()
	checked := gojsonschema.NewReferenceLoader("file://" + schema + "#/definitions/" + definition)
	compiled, err := gojsonschema.NewSchema(checked)
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); values++ {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		result, err := compiled.Validate(gojsonschema.NewBytesLoader(value))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range result.Errors() {
			t.Errorf("%s\n%.1000s", e, value)
		}
	}
	if values == 0 {
		t.Error("no output")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
