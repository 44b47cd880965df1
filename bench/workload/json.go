package workload

// A Style is a rendering of JSON.
type Style struct {
	name   string
	indent string // empty: everything is on one line
	comma  string
	colon  string
}

// Styles of JSON.
var (
	Indented       = Style{"indented", "  ", ",", ": "}          // json.MarshalIndent(v, "", "  ")
	Compact        = Style{"compact", "", ",", ":"}              // json.Marshal
	Python         = Style{"python", "", ", ", ": "}             // json.dumps(v) in Python
	PythonIndented = Style{"python indented", "    ", ",", ": "} // json.dumps(v, indent=4) in Python
)

// A writer appends JSON in a style. Texts need no escaping.
type writer struct {
	b []byte
	Style
	depth int
}

// newline begins a line of an indented document.
func (w *writer) newline() {
	if w.indent == "" {
		return
	}
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, w.indent...)
	}
}

// opened reports whether the last byte opens an object or array. A text ends in a quote.
func (w *writer) opened() bool {
	return len(w.b) > 0 && (w.b[len(w.b)-1] == '{' || w.b[len(w.b)-1] == '[')
}

// open begins an object or array.
func (w *writer) open(brace byte) {
	w.b = append(w.b, brace)
	w.depth++
}

// close ends an object or array.
func (w *writer) close(brace byte) {
	w.depth--
	if !w.opened() {
		w.newline()
	}
	w.b = append(w.b, brace)
}

// item begins an element of an array.
func (w *writer) item() {
	if !w.opened() {
		w.b = append(w.b, w.comma...)
	}
	w.newline()
}

// key begins a member of an object.
func (w *writer) key(key string) {
	w.item()
	w.text(key)
	w.b = append(w.b, w.colon...)
}

func (w *writer) text(s string) {
	w.b = append(w.b, '"')
	w.b = append(w.b, s...)
	w.b = append(w.b, '"')
}

// member appends a member with a text.
func (w *writer) member(key, value string) {
	w.key(key)
	w.text(value)
}

// members appends an object with the given keys and values, in this order.
func (w *writer) members(keysAndValues ...string) {
	w.open('{')
	for i := 0; i < len(keysAndValues); i += 2 {
		w.member(keysAndValues[i], keysAndValues[i+1])
	}
	w.close('}')
}

// result begins the i-th result of an array or object of results: its head ends with the bracket.
func (w *writer) result(i int) {
	if i > 0 {
		w.b = append(w.b, w.comma...)
	}
	w.newline()
}
