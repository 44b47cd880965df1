// Package spool keeps bytes for a second reading: in memory while they are few, then in a temporary file.
package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// ErrFull is the cause of the error with which Write refuses more than the most that a Spool may hold.
var ErrFull = errors.New("spool full")

// A Spool takes bytes and gives them back.
type Spool struct {
	maxMemory, maxBytes int64
	size                int64
	memory              []byte
	file                *os.File
	named               bool // file still has its name
}

// New returns an empty Spool that holds up to maxMemory bytes in memory, and maxBytes in all.
func New(maxMemory, maxBytes int64) *Spool {
	return &Spool{maxMemory: maxMemory, maxBytes: maxBytes}
}

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.size > s.maxBytes {
		return 0, ErrFull
	}
	if s.file == nil {
		if s.size <= s.maxMemory {
			s.memory = append(s.memory, p...)
			return len(p), nil
		}
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	return s.file.Write(p)
}

func (s *Spool) toFile() error {
	f, err := os.CreateTemp("", "perfdata-spool-*")
	if err != nil {
		return err
	}
	// Where an open file can be removed, as on Unix, do it now: then nothing is left even if the process is killed.
	// Elsewhere this fails, and Close removes it.
	s.named = os.Remove(f.Name()) != nil
	s.file = f
	_, err = f.Write(s.memory)
	s.memory = nil
	return err
}

// Reader returns a reader of all that was written. Nothing may be written after.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Close releases the memory and the file. It may be called more than once.
func (s *Spool) Close() error {
	s.memory = nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}
