package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// signals removes the file that is being written when a signal arrives, and then lets the signal
// end the program as usual. A shell that runs the program in a loop ends the loop only if the
// interrupt itself ends the program.
type signals struct {
	mu         sync.Mutex
	incomplete string // the file to remove
}

// listen starts handling signals. Signals that are ignored, as with nohup, stay ignored.
func (s *signals) listen() {
	received := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(received, sig)
		}
	}
	// This goroutine is the only one that stays: it waits until the process ends.
	go func() { s.die(<-received) }()
}

// die ends the process as the signal would have, had nobody listened.
func (s *signals) die(sig os.Signal) {
	s.mu.Lock() // never unlocked: no file is created after this
	if s.incomplete != "" {
		os.Remove(s.incomplete)
	}
	if sig != syscall.SIGQUIT { // a Go program would print its stacks
		signal.Reset(sig)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(sig) == nil {
			time.Sleep(time.Second) // until the signal arrives
		}
	}
	// Where a process cannot send itself a signal, as on Windows, the status is the one that
	// shells use.
	status := statusFailed
	if number, ok := sig.(syscall.Signal); ok {
		status = 128 + int(number)
	}
	os.Exit(status)
}

// create creates a file that a signal removes, until keep is called.
func (s *signals) create(name string) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The lock is held meanwhile, so that no signal arrives between the file and its name here.
	f, err := createBeside(name)
	if err == nil {
		s.incomplete = f.Name()
	}
	return f, err
}

// folder returns the folder of the file that is being written, or nothing if there is none.
func (s *signals) folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.incomplete == "" {
		return ""
	}
	return filepath.Dir(s.incomplete)
}

// keep makes a signal leave the file: it is complete, or was removed.
func (s *signals) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.incomplete = ""
}
