//go:build !unix

package main

import "os"

// maxResident returns 0: unknown.
func maxResident(*os.ProcessState) int64 { return 0 }
