package format

// Drop chooses the parts of records that a Writer leaves out. By default, a Writer refuses a record
// if the format cannot hold all of it.
type Drop struct {
	Attrs bool // attrs that the format cannot hold
	Links bool // links that the format cannot hold
}
