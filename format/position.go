package format

// A Position is a place in the (decompressed) input. Writers ignore it.
type Position struct {
	Offset int64 // in bytes, from 0
	Line   int   // from 1
	Column int   // in bytes, from 1, as compilers count
}
