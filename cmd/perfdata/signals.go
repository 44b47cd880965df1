package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// signals has the program die of a signal as if it didn't handle any, but for the file that is written, which is removed. A
// shell that runs the program in a loop ends the loop only if the program dies of the interrupt itself.
type signals struct {
	mu         sync.Mutex
	incomplete string // the file to remove
}

// listen begins to handle signals. Those that are ignored, as by nohup, stay so.
func (s *signals) listen() {
	received := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(received, sig)
		}
	}
	go func() { s.die(<-received) }()
}

func (s *signals) die(sig os.Signal) {
	s.mu.Lock() // for good: from now on no file is created
	if s.incomplete != "" {
		os.Remove(s.incomplete)
	}
	if sig != syscall.SIGQUIT { // of which a Go program doesn't die, but prints its stacks
		signal.Reset(sig)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(sig) == nil {
			time.Sleep(time.Second) // until it arrives
		}
	}
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
	f, err := createBeside(name)
	if err == nil {
		s.incomplete = f.Name()
	}
	return f, err
}

func (s *signals) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.incomplete = ""
}
