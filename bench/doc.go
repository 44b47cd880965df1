// Package bench compares this library with others that read and write the same formats. All of it
// is in its tests and benchmarks, for go test and benchstat: README.md says how to run them.
package bench
