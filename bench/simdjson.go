package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// simdjsonProgram is the program that simdjson/build makes, or empty.
var simdjsonProgram string

const simdjsonName = "simdjson C++ On-Demand"

// simdjsonCpp returns the contestant that reads all keys and values of a document with simdjson's
// On-Demand API, in a process of its own that has the document in memory. The time includes a
// message to that process and its answer, some 50 µs.
func simdjsonCpp(doc []byte) contestant {
	c := contestant{name: simdjsonName}
	if simdjsonProgram == "" {
		c.missing = "see bench/simdjson"
		return c
	}

	p := &process{doc: doc}
	c.run = func([]byte) (int, error) { return 0, p.run() }
	c.elsewhere = func() time.Duration {
		defer func() { p.spent = 0 }()
		return p.spent
	}
	c.close = p.close
	return c
}

// A process is a running simdjson program. It is started when it is first used.
type process struct {
	doc  []byte
	file string
	cmd  *exec.Cmd
	in   *os.File
	out  *bufio.Reader

	spent time.Duration // its CPU time that was not asked for yet
}

func (p *process) start() error {
	file, err := os.CreateTemp("", "perfdata-bench-*")
	if err != nil {
		return err
	}
	p.file = file.Name()
	_, err = file.Write(p.doc)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}

	in, toProcess, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	p.in = toProcess
	p.cmd = exec.Command(simdjsonProgram, p.file)
	p.cmd.Stdin, p.cmd.Stderr = in, os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReader(out)
	return p.cmd.Start()
}

// run reads the document once: the program reads it for each line that it gets, and answers with a
// line: "ok" and the nanoseconds of CPU time.
func (p *process) run() error {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	if _, err := p.in.WriteString("\n"); err != nil {
		return err
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", simdjsonProgram, err)
	}
	var spent time.Duration
	if _, err := fmt.Sscanf(answer, "ok %d\n", &spent); err != nil {
		return fmt.Errorf("%s: answer %q", simdjsonProgram, answer)
	}
	p.spent += spent
	return nil
}

// close ends the program and removes its file.
func (p *process) close() error {
	if p.cmd == nil {
		return nil
	}
	err := p.in.Close() // the program ends with its input
	if p.cmd.Process != nil {
		err = errors.Join(err, p.cmd.Wait())
	}
	return errors.Join(err, os.Remove(p.file))
}
