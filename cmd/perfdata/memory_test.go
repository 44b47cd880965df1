package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

const maxMemory = 256 // MB: README and SECURITY promise it

// printPeak prints the most memory that this process was resident in so far, on standard error.
func printPeak() {
	status, err := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fmt.Fprintln(os.Stderr, "peak:", string(bytes.Join(bytes.Fields(rest)[:1], nil)), err)
}

var heldPart = flag.Int("held-part", 4,
	"hold this part of the bytes and keys that a conversion may hold; with 1, exactly as many")

// heldInputs are inputs for which conversions to some formats hold as much as they may.
var heldInputs = []struct {
	name, format string
	size         int
	item         func(i int) string
	to, held     []string // formats; the formats in held reach the limit
}{
	{
		name:   "repetitions of a benchmark",
		format: "benchfmt",
		size:   38 << 20,
		item:   func(i int) string { return fmt.Sprintf("BenchmarkX-8 1 %d ns/op\n", i+1) },
		held:   []string{"nanolegacy", "tap"},
	},
	{
		name:   "benchmarks",
		format: "benchfmt",
		size:   40 << 20,
		item:   func(i int) string { return fmt.Sprintf("BenchmarkX/%d 1 %d ns/op\n", i, i+1) },
		to:     []string{"skiav1", "benchfmt"},
	},
	{
		name:   "keyvals",
		format: "keyval",
		size:   36 << 20,
		item:   func(i int) string { return fmt.Sprintf("key%d{perf}=%d\n\n", i, i) },
		held:   []string{"keyval", "perun", "tap"},
	},
	{
		name:   "keys of an iteration",
		format: "keyval",
		size:   7_340_000, // nearly Limits.MaxMembers keys
		item:   func(i int) string { return strconv.FormatInt(36*36*36+int64(i), 36) + "=1\n" },
		to:     []string{"skiav1", "perun"},
		held:   []string{"tap"},
	},
	{
		name:   "attributes",
		format: "keyval",
		size:   56 << 20,
		item:   func(i int) string { return fmt.Sprintf("a{attr}=%d\nb{attr}=%032d\nx{perf}=%d\n\n", i, i, i) },
		held:   []string{"nanolegacy", "tap"},
	},
}

// A conversion to any format takes less memory than promised, even if it holds as much as
// Limits.MaxHeldBytes allows, and a part of it if only a part may be held. The test measures all memory of a
// separate process.
func TestConvertMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip(err)
	}
	switch {
	case formattest.Race:
		t.Skip("the race detector takes memory of its own")
	case testing.Short():
		t.Skip("it reads a quarter of a gigabyte")
	}

	measured := make(map[string]bool)
	for _, in := range heldInputs {
		file := filepath.Join(t.TempDir(), "in")
		var text bytes.Buffer
		for i := 0; text.Len() < in.size / *heldPart; i++ {
			text.WriteString(in.item(i))
		}
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, to := range append(in.to, in.held...) {
			measured[to] = true
			t.Run(in.name+" to "+to, func(t *testing.T) {
				out, peak := convertMeasured(t, in.format, to, file)
				t.Logf("%d MB: %.200s", peak, out)
				fixed := 40 // MB, however much is held
				if to == "perun" {
					fixed = 110 // it also knows the names of all measurements
				}
				if most := fixed + (maxMemory-fixed) / *heldPart; peak > most {
					t.Errorf("%d MB, want %d at most", peak, most)
				}
				want := ""
				if slices.Contains(in.held, to) {
					want = "--limit max-held-bytes"
				}
				if out != want && (want == "" || !strings.Contains(out, want)) {
					t.Errorf("%s, want %q", out, want)
				}
			})
		}
	}
	for _, f := range perfdata.Formats() {
		if f.NewWriter != nil && !measured[f.Name] {
			t.Errorf("%s is not measured", f.Name)
		}
	}
}

// convertMeasured converts a file, and returns what measured does.
func convertMeasured(t *testing.T, from, to, file string) (out string, peak int) {
	t.Helper()
	all := format.Limits{}.WithDefaults()
	return measured(t, "convert", "--from", from, "--to", to, "--commit", "abc", "-q", "-o", os.DevNull,
		"--limit", fmt.Sprintf("max-held-bytes=%d", all.MaxHeldBytes/int64(*heldPart)),
		"--limit", fmt.Sprintf("max-members=%d", all.MaxMembers / *heldPart), file)
}

// measured runs the tool in a process of its own, and returns what that printed, and the most memory
// that it took, in MB.
func measured(t *testing.T, args ...string) (out string, peak int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asTool+"=peak")
	text, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	out, report, ok := strings.Cut(string(text), "peak: ")
	kb, _, _ := strings.Cut(report, " ")
	n, err := strconv.Atoi(kb)
	if !ok || err != nil {
		t.Fatalf("no report: %s", text)
	}
	return out, n >> 10
}
