//go:build !unix || solaris || aix

package main

import (
	"errors"
	"os"
)

// canLock is false, so nothing is taken for a leftover.
const canLock = false

// lock fails: these systems lock records of a process and not files, or in another way. Leftovers
// of killed runs stay.
func lock(*os.File, bool) error { return errors.ErrUnsupported }
