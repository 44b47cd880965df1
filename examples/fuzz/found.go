package fuzz

import "strings"

// found has the inputs on which the fuzz target failed while the parser was written, in the order in
// which it found them, and what was wrong.
var found = []struct{ text, fault string }{
	{" 0=0", "the white space around a line is not part of the key"},
	{"0{}=0", "a tag other than perf and attr is an error"},
	{"=+00+-00", "a fix accepted a mean and a deviation with signs"},
	{"\xa6=0", "text that is not UTF-8 is an error"},
	{"=0\n=0", "the last value of a key is used"},
	{"= 0", "there may be white space around a number"},
	{"=0_0", "strconv.ParseFloat accepts underscores"},
	{"\u0085", "a fix used strings.TrimSpace: this character is not white space in the format"},

	// Random changes did not find these in minutes. They are seeds from the format's documentation.
	{"\ufefffps{perf}=1", "a byte order mark is not part of the key"},
	{"a=1\nb=" + longNumber + "\nc=3", "bufio.Scanner stops at a line of 64 KiB"},
}

var longNumber = strings.Repeat("0", 70_000)
