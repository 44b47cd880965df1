package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"perfdata/internal/hostile"
)

// toolUses are the uses of the tool whose memory is measured with hostile inputs.
var toolUses = []struct {
	name string
	args []string
}{
	{"reading", []string{"records"}},
	{"validating", []string{"validate"}},
	{"converting", []string{"convert", "--to", "skiav1", "--git-hash", "fe4a402"}},
	{"converting, records held", []string{"convert", "--to", "keyval"}},
}

// printHostile prints, for each use, the largest peak of the tool's memory: whichever input that
// tries to exhaust it. Another process does the work, because a process's peak begins with that of
// the process that starts it.
func printHostile(out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "-child", "hostile")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	return cmd.Run()
}

func measureHostile(out io.Writer) error {
	dir, err := os.MkdirTemp("", "perfdata-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "perfdata")
	if text, err := exec.Command("go", "build", "-C", "..", "-o", tool, "./cmd/perfdata").CombinedOutput(); err != nil {
		return fmt.Errorf("building the tool: %w\n%s", err, text)
	}

	worst := make([]struct {
		peak  int64
		input string
	}, len(toolUses))
	generators := hostile.Generators()
	for _, g := range generators {
		file := filepath.Join(dir, "input")
		if err := os.WriteFile(file, g.Generate(g.Size()), 0o600); err != nil {
			return err
		}
		for i, use := range toolUses {
			cmd := exec.Command(tool, append(use.args, "--from", g.Format, file)...)
			if err := cmd.Run(); err != nil {
				// The inputs are invalid: that is a status.
				if _, ok := errors.AsType[*exec.ExitError](err); !ok {
					return err
				}
			}
			if peak := maxResident(cmd.ProcessState); peak > worst[i].peak {
				worst[i].peak, worst[i].input = peak, g.Name
			}
		}
	}

	const most = 256 // MB
	for i, use := range toolUses {
		w := worst[i]
		fmt.Fprintf(out, "| memory, %d hostile inputs: %s | | %d MB, with %s | at most %d MB | %s | |\n", len(generators), use.name,
			w.peak/1e6, strings.ReplaceAll(w.input, "|", "/"), most, yes(w.peak <= most*1e6))
	}
	return nil
}
