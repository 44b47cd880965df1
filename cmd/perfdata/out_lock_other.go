//go:build !unix || solaris || aix

package main

import (
	"errors"
	"os"
)

const (
	canLock  = false
	nonblock = 0
)

func lock(*os.File, bool) error { return errors.ErrUnsupported }
