package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documentation returns the fenced code blocks of README.md and of the pages in docs, in order.
func documentation(t *testing.T, root string) (blocks []fencedBlock) {
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	for _, page := range append([]string{filepath.Join(root, "README.md")}, pages...) {
		blocks = append(blocks, fencedBlocks(read(t, page))...)
	}
	return blocks
}

// TestLinks looks for the file of each relative link in the documentation, and for its heading.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^():#]*)(#[^()]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	other := regexp.MustCompile("[^a-z0-9_ -]")
	root := "../.."
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md", "bench/*.md", "testdata/conformance/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		for _, page := range pages {
			for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
				target := page
				if found[1] != "" {
					target = filepath.Join(filepath.Dir(page), filepath.FromSlash(found[1]))
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s: link %s: %v", page, found[0], err)
					continue
				}
				if found[2] == "" {
					continue
				}
				anchors := []string{}
				for _, title := range heading.FindAllStringSubmatch(read(t, target), -1) {
					anchor := other.ReplaceAllString(strings.ToLower(title[1]), "")
					anchors = append(anchors, "#"+strings.ReplaceAll(anchor, " ", "-"))
				}
				if !slices.Contains(anchors, found[2]) {
					t.Errorf("%s: link %s: %s has no such heading", page, found[0], target)
				}
			}
		}
	}
}

// TestReadme builds each Go program of README.md and docs in a module of its own, as a reader would
// who pastes it. If the program ends with an "Output:" comment, the test runs it and compares.
func TestReadme(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks := documentation(t, root)

	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"),
		"module readme\n\ngo 1.26.0\n\nrequire perfdata v0.0.0\n\nreplace perfdata => "+root+"\n")
	write(t, filepath.Join(module, "go.sum"), read(t, filepath.Join(root, "go.sum")))
	write(t, filepath.Join(module, "run.json"), read(t, filepath.Join(root, "testdata/skiav1/example.json")))

	programs := 0
	outputs := make(map[string]string) // by the programs that end with one
	for _, block := range blocks {
		if block.language != "go" {
			continue
		}
		programs++
		name := fmt.Sprintf("program%d", programs)
		write(t, filepath.Join(module, name, "main.go"), block.text)
		if _, comment, ok := strings.Cut(block.text, "\n// Output:\n"); ok {
			for line := range strings.Lines(comment) {
				outputs[name] += strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
			}
		}
	}
	if programs < 4 || len(outputs) == 0 {
		t.Errorf("%d Go programs found, want at least 4, and %d outputs", programs, len(outputs))
	}

	goTool(t, module, "vet", "./...") // builds them, too
	for name, want := range outputs {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, goTool(t, module, "run", "./"+name)); diff != "" {
				t.Errorf("output (-README +got):\n%s", diff)
			}
		})
	}
}

// TestReadmeCommands runs the block of README.md that shows commands of the tool, as a reader would
// who pastes it, in a folder with a file for each name.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "git", "go"} {
		if _, err := exec.LookPath(program); err != nil || testing.Short() {
			t.Skip("needs bash, git and go, and builds programs")
		}
	}
	commands := ""
	for _, block := range fencedBlocks(read(t, "../../README.md")) {
		if block.language == "sh" && strings.HasPrefix(block.text, "perfdata validate ") {
			commands = block.text
		}
	}

	// TestMain has put the tool on the PATH.
	dir := t.TempDir()
	run := read(t, "../../testdata/skiav1/example.json")
	write(t, filepath.Join(dir, "run.json"), run)
	write(t, filepath.Join(dir, "results/a.json"), run)
	write(t, filepath.Join(dir, "results/b.json"), run)
	write(t, filepath.Join(dir, "go.mod"), "module x\n")
	write(t, filepath.Join(dir, "x_test.go"), "package x\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n")

	const prepare = "set -eo pipefail; gzip -k run.json; git init -q; " +
		"git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x\n"
	cmd := exec.Command("bash", "-c", prepare+commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "2 files checked, 0 invalid\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if csv := read(t, filepath.Join(dir, "all.csv")); strings.Count(csv, "\n") != 8 {
		t.Errorf("all.csv: want a title and 7 measurements:\n%s", csv)
	}
}

// TestReadmeCheck runs the lines of README.md for a CI job on two commits of a repository.
func TestReadmeCheck(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "git", "go"} {
		if _, err := exec.LookPath(program); err != nil || testing.Short() {
			t.Skip("needs bash, git and go, and builds programs")
		}
	}
	job := ""
	for _, block := range fencedBlocks(read(t, "../../README.md")) {
		if block.language == "sh" && strings.Contains(block.text, "perfdata check ") {
			job = block.text
		}
	}
	if lines := strings.Count(job, "\n"); lines == 0 || lines > 10 {
		t.Fatalf("%d lines, want at most 10", lines)
	}

	// TestMain has put the tool on the PATH.
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module x\n")
	write(t, filepath.Join(dir, "x_test.go"), "package x\n\nimport \"testing\"\n\n"+
		"func BenchmarkX(b *testing.B) { b.ReportMetric(5, \"frames\") }\n")
	out := ""
	for range 2 {
		const commit = "set -e; git init -q; git add .; " +
			"git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x\n"
		cmd := exec.Command("bash", "-c", commit+job)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		text, err := cmd.CombinedOutput()
		if out = string(text); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if !strings.Contains(out, "2 unknown**, against a history of 1 commit\n") {
		t.Errorf("the comment about the second commit:\n%s", out)
	}
}

// TestReadmeOutputs runs the commands of README.md and docs whose output is shown after them, as a
// reader would who pastes them.
func TestReadmeOutputs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}

	// TestMain has put the tool on the PATH. Commands leave files behind, so they run in a copy.
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(root, "testdata"))); err != nil {
		t.Fatal(err)
	}
	inCopy := strings.NewReplacer("go run ./cmd/perfdata", "perfdata", "go tool ", "go -C '"+root+"' tool ")
	blocks := documentation(t, root)
	commands := 0
	for i, block := range blocks[:len(blocks)-1] {
		if block.language != "sh" || blocks[i+1].language != "text" {
			continue
		}
		commands++
		t.Run(fmt.Sprintf("command%d", commands), func(t *testing.T) {
			cmd := exec.Command(bash, "-e", "-o", "pipefail", "-c", inCopy.Replace(block.text))
			cmd.Dir = dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if diff := cmp.Diff(blocks[i+1].text, string(out)); diff != "" {
				t.Errorf("output (-README +got):\n%s", diff)
			}
		})
	}
	if commands < 4 {
		t.Errorf("%d commands with output found, want at least 4", commands)
	}
}

type fencedBlock struct{ language, text string }

// fencedBlocks returns the fenced code blocks of a Markdown text.
func fencedBlocks(markdown string) (blocks []fencedBlock) {
	inside := false
	for line := range strings.Lines(markdown) {
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !inside:
			blocks = append(blocks, fencedBlock{language: language})
			inside = true
		case fence:
			inside = false
		case inside:
			blocks[len(blocks)-1].text += line
		}
	}
	return blocks
}

// goTool runs the go command in a folder and returns its standard output.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
