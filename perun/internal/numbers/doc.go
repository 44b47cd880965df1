// Package numbers reads arrays of numbers from JSON text, fast, if they are written in the usual
// way, and knows how Python writes numbers: Perun does, and the text of a number is an attribute
// of a measurement.
//
//	numbers.go   numbers of any width, many at a time
//	texts.go     their texts, which share memory
//	python.go    the text that Python writes for a number
//
// It works on bytes. What it doesn't read, a JSON parser must, which also finds the faults.
package numbers
