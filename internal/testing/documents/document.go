package documents

// A document is the text that is made, and its parts, in which faults can be made.
type document struct {
	text  []byte
	parts []part

	// wrap, if not nil, makes the final text of the text, after a fault was made in it.
	wrap func(text []byte) []byte
}

// A part of a document. Parts may contain others.
type part struct {
	kind       kind
	start, end int
}

// The kinds of parts.
type kind int

const (
	wholeDocument kind = iota

	jsonObject
	jsonArray
	jsonString
	jsonLiteral
	jsonName
	jsonMember
	jsonRemovable // a member and its comma
	jsonElement
	jsonComma
	jsonColon

	benchIterations
	benchValue
	benchUnit   // with the blank before it
	benchValues // all of a line, with their units
	benchConfig // the text after the key
	benchMetadata

	keyvalLine // with its line end
	keyvalKey
	keyvalTag // perhaps empty
	keyvalEqual
	keyvalNumber
	keyvalAttr

	tableNumber
	tableSeparator
	tableMap
)

// mark adds the part that begins at start and ends at the end of the text.
func (d *document) mark(k kind, start int) { d.parts = append(d.parts, part{k, start, len(d.text)}) }

// add appends text, and marks it.
func (d *document) add(k kind, text string) {
	start := len(d.text)
	d.text = append(d.text, text...)
	d.mark(k, start)
}

// bytes returns the final text.
func (d *document) bytes() []byte {
	if d.wrap != nil {
		return d.wrap(d.text)
	}
	return d.text
}
