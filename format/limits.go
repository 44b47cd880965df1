package format

import "cmp"

// Limits bounds what an input can make its Reader use. A field that is zero stands for its default, which no
// honest file comes near. Exceeding one is an *[Error] that names the field and, but for MaxLineBytes, isn't
// recoverable.
//
// With the defaults, and whatever the input, a Reader takes a few hundred megabytes of memory at the very most;
// with ordinary files it takes less than one.
type Limits struct {
	// MaxDepth is how deep arrays and objects nest. Default 1,000.
	MaxDepth int

	// MaxStringBytes is the length of the longest string or number. Default 1 MiB.
	MaxStringBytes int

	// MaxLineBytes is the length of the longest line of a format that consists of lines, without the line end.
	// A longer line is left out, with an error that is recoverable. Default 1 MiB.
	MaxLineBytes int

	// MaxParams is how many params, or links, there are in one object, and in those that one record's come from.
	// Default 1,000.
	MaxParams int

	// MaxMembers is how many members' names of one object, or of several one in another, are remembered to find one
	// that repeats. Default 1 Mi.
	MaxMembers int

	// MaxHeaderBytes is the size of the text of a file's header. Default 16 MiB.
	MaxHeaderBytes int64

	// MaxResultBytes is the size of the text of a single result. Default 16 MiB.
	MaxResultBytes int64

	// MaxSpoolMemory is how much of an input that can't seek is held in memory while its reader looks ahead. What
	// is more goes to a temporary file. Default 8 MiB.
	MaxSpoolMemory int64

	// MaxSpoolBytes is how much that and the temporary file may hold together. Default 64 GiB.
	MaxSpoolBytes int64

	// MaxDecompressedBytes is the size of what a compressed input holds, decompressed. Default 16 GiB.
	MaxDecompressedBytes int64

	// MaxUniqueTraces is how many traces validation tells apart to find those that repeat. Beyond it, validation
	// goes on without, and says so. Default 4 Mi, in some 200 MiB of memory.
	MaxUniqueTraces int
}

// WithDefaults returns l with each zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	return Limits{
		MaxDepth:             cmp.Or(l.MaxDepth, 1000),
		MaxStringBytes:       cmp.Or(l.MaxStringBytes, 1<<20),
		MaxLineBytes:         cmp.Or(l.MaxLineBytes, 1<<20),
		MaxParams:            cmp.Or(l.MaxParams, 1000),
		MaxMembers:           cmp.Or(l.MaxMembers, 1<<20),
		MaxHeaderBytes:       cmp.Or(l.MaxHeaderBytes, 16<<20),
		MaxResultBytes:       cmp.Or(l.MaxResultBytes, 16<<20),
		MaxSpoolMemory:       cmp.Or(l.MaxSpoolMemory, 8<<20),
		MaxSpoolBytes:        cmp.Or(l.MaxSpoolBytes, 64<<30),
		MaxDecompressedBytes: cmp.Or(l.MaxDecompressedBytes, 16<<30),
		MaxUniqueTraces:      cmp.Or(l.MaxUniqueTraces, 4<<20),
	}
}
