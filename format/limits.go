package format

// Limits bounds what an input can make its Reader use. A field that is zero or negative stands
// for its default, which no honest file comes near. Exceeding one is an *[Error] that names the
// field and, except for MaxLineBytes, is not recoverable.
//
// With the defaults, reading or validating any input takes less than 256 MB of memory, and an
// ordinary one less than one. The defaults suit untrusted uploads; a program that reads its own
// files may raise them.
type Limits struct {
	// MaxDepth is how deep arrays and objects nest. Default 1,000.
	MaxDepth int

	// MaxStringBytes is the length of the longest string or number. Default 1 MiB.
	MaxStringBytes int

	// MaxLineBytes is the length of the longest line of a format that consists of lines, without
	// the line end. A longer line is left out, with an error that is recoverable. Default 1 MiB.
	MaxLineBytes int

	// MaxParams is how many params, or links, there are in one object, and in those that one
	// record's come from. Default 1,000.
	MaxParams int

	// MaxMembers is how many members' names of one object, or of several one in another, are
	// remembered to find one that repeats. Default 1 Mi.
	MaxMembers int

	// MaxHeaderBytes is the size of a file's header: of its text, and of the memory that its
	// values take besides. Default 16 MiB.
	MaxHeaderBytes int64

	// MaxResultBytes is the size of a single result: of its text, and of the memory that its
	// values take besides. Default 16 MiB.
	MaxResultBytes int64

	// MaxHeldBytes is how much memory a conversion takes for the records that it has to hold.
	// Default 256 MiB.
	MaxHeldBytes int64

	// MaxSpoolMemory is how much of an input that can't seek is held in memory while its reader
	// looks ahead. What is more goes to a temporary file. Default 8 MiB.
	MaxSpoolMemory int64

	// MaxSpoolBytes is how much that and the temporary file may hold together. Default 4 GiB.
	MaxSpoolBytes int64

	// MaxDecompressedBytes is the size of what a compressed input holds, decompressed. Default 4
	// GiB.
	MaxDecompressedBytes int64

	// MaxCompressionRatio is how many times as large as a compressed input its contents may be.
	// It holds from 64 MiB of contents on. Default 1,000.
	MaxCompressionRatio int

	// MaxUniqueTraces is how many traces validation tells apart to find those that repeat. Beyond
	// it, validation goes on without, and says so. Default 2 Mi, in some 100 MiB of memory.
	MaxUniqueTraces int
}

// WithDefaults returns l with each field that is zero or negative replaced by its default.
func (l Limits) WithDefaults() Limits {
	return Limits{
		MaxDepth:             orDefault(l.MaxDepth, 1000),
		MaxStringBytes:       orDefault(l.MaxStringBytes, 1<<20),
		MaxLineBytes:         orDefault(l.MaxLineBytes, 1<<20),
		MaxParams:            orDefault(l.MaxParams, 1000),
		MaxMembers:           orDefault(l.MaxMembers, 1<<20),
		MaxHeaderBytes:       orDefault(l.MaxHeaderBytes, 16<<20),
		MaxResultBytes:       orDefault(l.MaxResultBytes, 16<<20),
		MaxHeldBytes:         orDefault(l.MaxHeldBytes, 256<<20),
		MaxSpoolMemory:       orDefault(l.MaxSpoolMemory, 8<<20),
		MaxSpoolBytes:        orDefault(l.MaxSpoolBytes, 4<<30),
		MaxDecompressedBytes: orDefault(l.MaxDecompressedBytes, 4<<30),
		MaxCompressionRatio:  orDefault(l.MaxCompressionRatio, 1000),
		MaxUniqueTraces:      orDefault(l.MaxUniqueTraces, 2<<20),
	}
}

func orDefault[T int | int64](value, whenUnset T) T {
	if value <= 0 {
		return whenUnset
	}
	return value
}
