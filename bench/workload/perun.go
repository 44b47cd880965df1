package workload

import (
	"strconv"
	"strings"

	"perfdata/internal/testing/plausible"
)

// PerunFile is a Perun profile in both layouts, declared for a general JSON library.
type PerunFile struct {
	Origin         string                  `json:"origin,omitempty"`
	Header         PerunHeader             `json:"header"`
	Collector      PerunTool               `json:"collector_info"`
	Postprocessors []PerunTool             `json:"postprocessors"`
	Resources      map[string]PerunColumns `json:"resources,omitempty"`
	Types          map[string]PerunType    `json:"resource_type_map,omitempty"`
	Snapshots      []PerunSnapshot         `json:"snapshots,omitempty"`
	Models         []map[string]any        `json:"models,omitempty"`
}

// PerunAnyFile is a [PerunFile] for resources with any fields, which the format allows.
type PerunAnyFile struct {
	Origin         string                      `json:"origin,omitempty"`
	Header         PerunHeader                 `json:"header"`
	Collector      PerunTool                   `json:"collector_info"`
	Postprocessors []PerunTool                 `json:"postprocessors"`
	Resources      map[string]map[string][]any `json:"resources,omitempty"`
	Types          map[string]map[string]any   `json:"resource_type_map,omitempty"`
	Snapshots      []PerunAnySnapshot          `json:"snapshots,omitempty"`
	Models         []map[string]any            `json:"models,omitempty"`
}

// PerunAnySnapshot is a snapshot of a [PerunAnyFile].
type PerunAnySnapshot struct {
	Time      string           `json:"time"`
	Resources []map[string]any `json:"resources"`
	Models    []any            `json:"models"`
}

// PerunHeader is the region header of a [PerunFile].
type PerunHeader struct {
	Type     string            `json:"type"`
	Units    map[string]string `json:"units"`
	Cmd      string            `json:"cmd"`
	Args     string            `json:"args"`
	Workload string            `json:"workload"`
}

// PerunTool is a collector or postprocessor of a [PerunFile].
type PerunTool struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params"`
}

// PerunColumns are the parallel arrays of a resource type. Any of them may have fractions.
type PerunColumns struct {
	Amount    []float64 `json:"amount"`
	Size      []float64 `json:"structure-unit-size,omitempty"`
	CallOrder []float64 `json:"call-order,omitempty"`
	Order     []float64 `json:"order,omitempty"`
	Address   []float64 `json:"address,omitempty"`
	Timestamp []float64 `json:"timestamp,omitempty"`
	Exclusive []float64 `json:"exclusive,omitempty"`
}

// PerunType is the fields that the resources of a type share.
type PerunType struct {
	Type    string `json:"type"`
	Time    string `json:"time"`
	UID     string `json:"uid"`
	Subtype string `json:"subtype"`
}

// PerunSnapshot is a snapshot of a [PerunFile].
type PerunSnapshot struct {
	Time      string          `json:"time"`
	Resources []PerunResource `json:"resources"`
	Models    []any           `json:"models"`
}

// PerunResource is a resource of a [PerunSnapshot].
type PerunResource struct {
	Type    string       `json:"type"`
	Subtype string       `json:"subtype"`
	Address float64      `json:"address"`
	Amount  float64      `json:"amount"`
	Trace   []PerunFrame `json:"trace"`
	UID     PerunFrame   `json:"uid"`
}

// PerunFrame is a frame of a trace.
type PerunFrame struct {
	Source   string `json:"source"`
	Function string `json:"function"`
	Line     int    `json:"line"`
}

// MaxPerunTypes is the largest number of resource types of a document.
const MaxPerunTypes = 20_000

// NewPerunTypes returns a Perun profile in the layout with a resource type map, which comes last.
// Each result is a resource type, whose arrays have 1 to 20,000 numbers: many types have few, and
// few have most, as with the functions of a program. The numbers of an array are of one kind, and
// of any width.
func NewPerunTypes(style Style) *Document {
	head := writer{Style: style}
	head.open('{')
	head.key("resources")
	head.open('{')

	tail := func(results int) []byte {
		w := writer{Style: style, depth: head.depth}
		w.close('}')
		w.key("resource_type_map")
		w.open('{')
		for i := range results {
			w.key(perunType(i))
			uid, _, _ := strings.Cut(perunType(i), "#")
			w.members("type", "mixed", "time", "0.00023s", "uid", uid, "subtype", "time delta")
		}
		w.close('}')

		w.key("models")
		w.open('[')
		w.close(']')
		w.perunHeader("mixed", "mixed(time delta)", "us")
		w.close('}')
		return w.b
	}

	d := &Document{
		head:  head.b,
		tail:  tail,
		chunk: 1,
		add: func(b []byte, i int) ([]byte, int) {
			r := plausible.New(4e3, i)
			w := writer{b: b, Style: style, depth: head.depth}
			w.result(i)
			w.text(perunType(i))
			w.b = append(w.b, w.colon...)
			rows := w.perunColumns(&r)
			return w.b, rows
		},
	}
	return d.WithResults(1)
}

var functions = []string{"::insert(SLList*, int)", "()", "(std::string const&)", "::~node()", ":main:45"}

// perunType returns the name of a type: a function of C or C++, and a number.
func perunType(i int) string {
	r := plausible.New(4e3+1, i)
	name := plausible.AppendName(nil, &r)
	name = append(name, plausible.Pick(&r, functions)...)
	return string(name) + "#" + strconv.Itoa(i)
}

// perunColumns appends the arrays of a type, and returns how many resources they have.
func (w *writer) perunColumns(r *plausible.Random) int {
	share := r.Float() * r.Float() * r.Float()
	rows := 1 + int(20_000*share*share)
	column := func(name string, number func(b []byte, row int) []byte) {
		w.key(name)
		w.open('[')
		for row := range rows {
			w.item()
			w.b = number(w.b, row)
		}
		w.close(']')
	}

	w.open('{')
	kind := r.Kind()
	column("amount", func(b []byte, _ int) []byte { return kind.Append(b, r) })

	column("structure-unit-size", func(b []byte, row int) []byte { return strconv.AppendInt(b, int64(row), 10) })

	if r.Chance(50) {
		column("address", func(b []byte, _ int) []byte { return plausible.AppendInteger(b, r, 10) })
	}
	if r.Chance(50) {
		now := int64(1_700_000_000_000_000 + r.Below(1e12))
		column("timestamp", func(b []byte, _ int) []byte {
			now += int64(r.Below(1000))
			return strconv.AppendInt(b, now, 10)
		})
	}
	if r.Chance(50) {
		column("exclusive", func(b []byte, _ int) []byte { return plausible.AppendFull(b, r) })
	}
	w.close('}')
	return rows
}

// perunHeader appends the members that say what was profiled.
func (w *writer) perunHeader(kind, subtype, unit string) {
	w.key("header")
	w.open('{')
	w.member("type", kind)
	w.key("units")
	w.members(subtype, unit)
	w.member("cmd", "./sll")
	w.member("args", "-O2")
	w.member("workload", "input.txt")
	w.close('}')

	w.key("collector_info")
	w.open('{')
	w.member("name", "trace")
	w.key("params")
	w.members("sampling", "1")
	w.close('}')
	w.key("postprocessors")
	w.open('[')
	w.close(']')
}

// NewPerunSnapshots returns a Perun profile in the layout with snapshots. Each result is a
// snapshot of 1 to 40 resources with traces of 1 to 8 frames, as the memory collector writes them.
// The header comes last.
func NewPerunSnapshots(style Style) *Document {
	head := writer{Style: style}
	head.open('{')
	head.member("origin", "f7f3dcea69b97f2b03c421a223a770917149cfae")
	head.key("snapshots")
	head.open('[')

	tail := writer{Style: style, depth: head.depth}
	tail.close(']')
	tail.perunHeader("memory", "memory", "B")
	tail.close('}')

	d := &Document{
		head:  head.b,
		tail:  func(int) []byte { return tail.b },
		chunk: 20,
		add: func(b []byte, i int) ([]byte, int) {
			r := plausible.New(5e3, i)
			w := writer{b: b, Style: style, depth: head.depth}
			w.result(i)
			w.open('{')
			w.member("time", string(strconv.AppendFloat(nil, float64(i)*0.001, 'f', 6, 64)))
			w.key("resources")
			w.open('[')
			n := 1 + r.Below(40)
			for range n {
				w.item()
				w.allocation(&r)
			}
			w.close(']')
			w.key("models")
			w.open('[')
			w.close(']')
			w.close('}')
			return w.b, n
		},
	}
	return d.WithResults(1)
}

// allocation appends a resource: one of the program's 400 places that allocate memory.
func (w *writer) allocation(r *plausible.Random) {
	site := plausible.New(5e3+1, r.Below(400))
	w.open('{')
	w.member("type", "memory")
	w.member("subtype", plausible.Pick(&site, []string{"malloc", "calloc", "realloc", "free"}))
	w.key("address")
	w.b = strconv.AppendInt(w.b, int64(19_000_000+16*r.Below(1e6)), 10)
	w.key("amount")
	w.b = plausible.AppendInteger(w.b, r, 6)

	w.key("trace")
	w.open('[')
	innermost := site
	for range 1 + site.Below(8) {
		w.item()
		w.frame(&site)
	}
	w.close(']')
	w.key("uid")
	innermost.Below(8) // the number of frames
	w.frame(&innermost)
	w.close('}')
}

// frame appends a frame of a trace: one of 300 functions.
func (w *writer) frame(r *plausible.Random) {
	f := plausible.New(5e3+2, r.Below(300))
	w.open('{')
	w.key("source")
	w.b = append(plausible.AppendName(append(w.b, `"../src/`...), &f), `.c"`...)
	w.key("function")
	w.b = append(plausible.AppendName(append(w.b, '"'), &f), '"')
	w.key("line")
	w.b = plausible.AppendInteger(w.b, &f, 4)
	w.close('}')
}
