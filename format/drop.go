package format

// Drop says what a Writer leaves out of records. By default it refuses a record of which the
// format cannot hold everything.
type Drop struct {
	Attrs bool // attrs that the format cannot hold
	Links bool // links that the format cannot hold
}
