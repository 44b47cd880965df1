package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"perfdata/internal/testing/hostile"
)

// toolUses are the uses of the tool whose memory is measured with hostile inputs.
var toolUses = []struct {
	name string
	args []string
}{
	{"reading", []string{"records"}},
	{"validating", []string{"validate"}},
	{"converting", []string{"convert", "--to", "skiav1", "--commit", "fe4a402"}},
	{"converting, records held for keyvals", []string{"convert", "--to", "keyval"}},
	{"converting, records held for Perun", []string{"convert", "--to", "perun"}},
}

// patience is how long the tool may take for an input before it is stopped.
const patience = 30 * time.Second

// printHostile prints, for each use, the largest peak of the tool's memory: whichever input that
// tries to exhaust it. Other processes do the work, and make the inputs, because a process's peak
// begins with that of the process that starts it.
func printHostile(out io.Writer) error {
	cmd, err := child("hostile")
	if err != nil {
		return err
	}
	cmd.Stdout = out
	return cmd.Run()
}

// writeHostile writes the input with this number to a file.
func writeHostile(number, file string) error {
	i, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	g := hostile.Generators()[i]
	return os.WriteFile(file, g.Generate(g.Size()), 0o600)
}

func measureHostile(out io.Writer) error {
	dir, err := os.MkdirTemp("", "perfdata-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "perfdata")
	if err := buildTool(tool); err != nil {
		return err
	}

	worst := make([]struct {
		peak  int64
		input string
		slow  int // inputs that took longer than patience
	}, len(toolUses))

	generators := hostile.Generators()
	for n, g := range generators {
		file := filepath.Join(dir, "input")
		write, err := child("hostile input", strconv.Itoa(n), file)
		if err != nil {
			return err
		}
		if err := write.Run(); err != nil {
			return err
		}
		for i, use := range toolUses {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			cmd := exec.CommandContext(ctx, tool, append(use.args, "--from", g.Format, file)...)
			err := cmd.Run()
			if ctx.Err() != nil {
				worst[i].slow++
			}
			cancel()
			// Most inputs are invalid: that is a status.
			if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
				return err
			}
			if peak := maxResident(cmd.ProcessState); peak > worst[i].peak {
				worst[i].peak, worst[i].input = peak, g.Name
			}
		}
	}

	const most = 256 // MB, of 1e6 bytes
	for i, use := range toolUses {
		w := worst[i]
		slow := ""
		if w.slow > 0 {
			slow = fmt.Sprintf("; %d stopped after %v", w.slow, patience)
		}
		fmt.Fprintf(out, "| memory, %d hostile inputs: %s | | %d MB, with %s%s | at most %d MB | %s | |\n",
			len(generators), use.name, w.peak/1e6, w.input, slow, most, yes(w.peak <= most*1e6))
	}
	return nil
}
