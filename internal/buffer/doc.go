// Package buffer has the memory of Readers and Writers: input for a second pass, in memory first, then
// in a temporary file (spool.go); the output of a Writer (output.go); and strings that repeat
// (strings.go).
package buffer
