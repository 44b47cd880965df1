package perfdata

import (
	"io"

	"perfdata/format"
)

// DetectReader is detectReader for an input that [Decompress] returned.
func DetectReader(in io.Reader, name string) (format.Format, io.Reader, error) {
	return detectReader(in, name, content{}, nil)
}
