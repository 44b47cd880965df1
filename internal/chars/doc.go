// Package chars processes the characters of texts: it searches them, mainly in JSON, eight bytes at
// a time, each in one lane of a 64-bit word (swar.go); appends JSON, because JSON
// libraries allocate for each value, and replace invalid UTF-8 without reporting it (json.go); and
// makes hidden characters visible, so that a text is safe on a terminal or in a log (visible.go).
package chars
