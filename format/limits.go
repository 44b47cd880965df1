package format

// Limits bounds the resources that an input can make its Reader use. A field that is zero or
// negative means the default, which is far above the needs of ordinary files. An input that exceeds
// a limit gives an *[Error] that names the field. Only an error
// about MaxLineBytes is recoverable.
//
// With the defaults, reading or validating takes less than 256 MB of memory for any input, and less
// than 1 MB for ordinary inputs. The defaults suit untrusted uploads. A program that reads its own
// files may raise them.
type Limits struct {
	// MaxDepth is the largest depth of nested arrays and objects. Default 1,000.
	MaxDepth int

	// MaxStringBytes is the length of the longest string or number. Default 1 MiB.
	MaxStringBytes int

	// MaxLineBytes is the length of the longest line in a line format, without the line end. A
	// longer line is left out, with a recoverable error. Default 1 MiB.
	MaxLineBytes int

	// MaxParams is the largest number of params, or of links, in one object, and in all objects
	// that one record's params or links come from. Default 1,000.
	MaxParams int

	// MaxMembers is the largest number of members in one object, or in an object and the objects
	// around it. Their names are kept to find duplicates. Default 1 Mi.
	MaxMembers int

	// MaxHeaderBytes is the largest size of a file's header: its text, and the additional memory
	// of its values. Default 16 MiB.
	MaxHeaderBytes int64

	// MaxResultBytes is the largest size of a single result: its text, and the additional memory
	// of its values. Default 16 MiB.
	MaxResultBytes int64

	// MaxHeldBytes is the memory that a conversion, or the ingestion of a file, may use for records
	// that it has to hold. Default 128 MiB.
	MaxHeldBytes int64

	// MaxSpoolMemory is the part of an input that can't seek that is held in memory while its
	// Reader looks ahead. The rest goes to a temporary file. Default 8 MiB.
	MaxSpoolMemory int64

	// MaxSpoolBytes is the largest size of that memory and the temporary file together. Default
	// 4 GiB.
	MaxSpoolBytes int64

	// MaxDecompressedBytes is the largest decompressed size of a compressed input. Default 4 GiB.
	MaxDecompressedBytes int64

	// MaxCompressionRatio is the largest ratio of the decompressed to the compressed size. It
	// applies to contents of 64 MiB or more. Default 1,000.
	MaxCompressionRatio int

	// MaxUniqueTraces is the number of traces among which validation looks for duplicates. After
	// more traces, it warns and does not look for duplicates any more. The ingestion of a file
	// fails. Default 2 Mi, which take about 100 MiB of memory.
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
		MaxHeldBytes:         orDefault(l.MaxHeldBytes, 128<<20),
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
