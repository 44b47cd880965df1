package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// maxKeptInput is the size in bytes of the largest input that is added to a corpus.
const maxKeptInput = 4 << 10

// keep adds those inputs in the folder found to the target's corpus that reach a statement that the
// target's seeds, its corpus and smaller inputs do not reach. It returns how many it added.
func (t fuzzTarget) keep(ctx context.Context, dir, found string) (kept int, err error) {
	inputs, err := smallInputs(found)
	if err != nil || len(inputs) == 0 {
		return 0, err
	}
	m := minimizer{target: t, program: filepath.Join(dir, "cover.test"), profile: filepath.Join(dir, "profile")}
	if err := m.build(ctx); err != nil {
		return 0, err
	}
	if m.reached, err = m.reach(ctx, nil); err != nil {
		return 0, err
	}

	// A test runs the inputs in the corpus only, so all of them are there until the end.
	if err := os.MkdirAll(t.corpus(), 0o777); err != nil {
		return 0, err
	}
	defer func() {
		for _, name := range inputs {
			if !m.kept[name] {
				os.Remove(filepath.Join(t.corpus(), name))
			}
		}
		os.Remove(t.corpus()) // unless it has files
	}()

	inputs = slices.DeleteFunc(inputs, func(name string) bool {
		_, err := os.Stat(filepath.Join(t.corpus(), name))
		return err == nil
	})
	for _, name := range inputs {
		text, err := os.ReadFile(filepath.Join(found, name))
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(t.corpus(), name), text, 0o666); err != nil {
			return 0, err
		}
	}

	m.kept = make(map[string]bool)
	err = m.add(ctx, inputs)
	return len(m.kept), err
}

// smallInputs returns the names of the inputs in a folder, the smallest first.
func smallInputs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	type input struct {
		name string
		size int64
	}
	var inputs []input
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Size() <= maxKeptInput {
			inputs = append(inputs, input{e.Name(), info.Size()})
		}
	}
	slices.SortFunc(inputs, func(a, b input) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.name, b.name))
	})
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.name
	}
	return names, err
}

// A minimizer finds inputs that reach statements that others do not.
type minimizer struct {
	target  fuzzTarget
	program string // measures coverage
	profile string // a file
	reached map[string]bool
	kept    map[string]bool
}

// build builds the program. It measures the coverage of all packages of the library that the target
// uses.
func (m *minimizer) build(ctx context.Context) error {
	const ofLibrary = "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}"
	list, err := goCommand(ctx, "list", "-deps", "-test", "-f", ofLibrary, m.target.pkg)
	if err != nil {
		return err
	}
	var packages []string
	for line := range strings.Lines(list) {
		pkg := strings.TrimSpace(line)
		variant := strings.Contains(pkg, " ") || strings.HasSuffix(pkg, ".test") // of a test
		if pkg != "" && !variant {
			packages = append(packages, pkg)
		}
	}
	_, err = goCommand(ctx, "test", "-c", "-cover", "-coverpkg", strings.Join(packages, ","),
		"-o", m.program, m.target.pkg)
	return err
}

// add keeps the inputs that reach more. Most groups of inputs reach nothing more, so a group is
// tried as a whole, and only halved if it does.
func (m *minimizer) add(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	reached, err := m.reach(ctx, names)
	if err != nil {
		return err
	}

	more := false
	for statement := range reached {
		more = more || !m.reached[statement]
	}
	switch {
	case !more:
		return nil
	case len(names) == 1:
		m.kept[names[0]] = true
		for statement := range reached {
			m.reached[statement] = true
		}
		return nil
	}

	half := len(names) / 2
	if err := m.add(ctx, names[:half]); err != nil {
		return err
	}
	return m.add(ctx, names[half:])
}

// reach returns the statements that the target reaches with the inputs, or with all seeds and its
// whole corpus if names is nil.
func (m *minimizer) reach(ctx context.Context, names []string) (map[string]bool, error) {
	run := "^" + m.target.name + "$"
	if names != nil {
		run += "/^(" + strings.Join(names, "|") + ")$"
	}
	cmd := exec.CommandContext(ctx, m.program, "-test.run", run, "-test.coverprofile", m.profile)
	cmd.Dir = m.target.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("measuring coverage: %w\n%s", err, out)
	}

	file, err := os.Open(m.profile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reached := make(map[string]bool)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		// A line is "file:from,to statements count".
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 && lines.Text()[i+1:] != "0" {
			reached[lines.Text()[:i]] = true
		}
	}
	return reached, lines.Err()
}
