package workload

import (
	"fmt"
	"strconv"
	"strings"

	"perfdata/internal/testing/plausible"
)

// PerunFile is a Perun profile in both layouts, declared for a general JSON library.
type PerunFile = perunFile[PerunColumns, PerunType, PerunResource]

// PerunAnyFile is a [PerunFile] for resources with any fields, which the format allows.
type PerunAnyFile = perunFile[map[string][]any, map[string]any, map[string]any]

type perunFile[Columns, Type, Resource any] struct {
	Origin         string             `json:"origin,omitempty"`
	Header         PerunHeader        `json:"header"`
	Collector      PerunTool          `json:"collector_info"`
	Postprocessors []PerunTool        `json:"postprocessors"`
	Resources      map[string]Columns `json:"resources,omitempty"`
	Types          map[string]Type    `json:"resource_type_map,omitempty"`
	Snapshots      []struct {
		Time      string     `json:"time"`
		Resources []Resource `json:"resources"`
		Models    []any      `json:"models"`
	} `json:"snapshots,omitempty"`
	Models []map[string]any `json:"models,omitempty"`
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

// PerunResource is a resource of a snapshot.
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
	text := func(results int) string {
		b := []byte(`{"resources":{"$":0,"$":0},"resource_type_map":{`)
		for i := range results {
			if i > 0 {
				b = append(b, ',')
			}
			name := perunType(i)
			uid, _, _ := strings.Cut(name, "#")
			b = fmt.Appendf(b, `%q:{"type":"mixed","time":"0.00023s","uid":%q,"subtype":"time delta"}`, name, uid)
		}
		return string(b) + `},"models":[],` + perunHeader("mixed", "mixed(time delta)", "us") + `}`
	}
	return newJSON(style, text, func(i int) (string, []byte, int) {
		r := plausible.New(4e3, i)
		b, rows := perunColumns(&r)
		return perunType(i), b, rows
	})
}

// perunType returns the name of a type: a function of C or C++, and a number.
func perunType(i int) string {
	r := plausible.New(4e3+1, i)
	endings := []string{"::insert(SLList*, int)", "()", "(std::string const&)", "::~node()", ":main:45"}
	return string(plausible.AppendName(nil, &r)) + plausible.Pick(&r, endings) + "#" + strconv.Itoa(i)
}

// perunColumns returns the arrays of a type, and how many resources they have.
func perunColumns(r *plausible.Random) (b []byte, rows int) {
	share := r.Float() * r.Float() * r.Float()
	rows = 1 + int(20_000*share*share)
	column := func(name string, number func(b []byte, row int) []byte) {
		b = fmt.Appendf(b, `,%q:[`, name)
		for row := range rows {
			if row > 0 {
				b = append(b, ',')
			}
			b = number(b, row)
		}
		b = append(b, ']')
	}

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
	b[0] = '{'
	return append(b, '}'), rows
}

// perunHeader returns the members that describe the profiled program.
func perunHeader(kind, subtype, unit string) string {
	return fmt.Sprintf(`"header":{"type":%q,"units":{%q:%q},"cmd":"./sll","args":"-O2","workload":"input.txt"},`+
		`"collector_info":{"name":"trace","params":{"sampling":"1"}},"postprocessors":[]`, kind, subtype, unit)
}

// NewPerunSnapshots returns a Perun profile in the layout with snapshots. Each result is a
// snapshot of 1 to 40 resources with traces of 1 to 8 frames, as the memory collector writes them.
// The header comes last.
func NewPerunSnapshots(style Style) *Document {
	text := `{"origin":"f7f3dcea69b97f2b03c421a223a770917149cfae","snapshots":["$","$"],` +
		perunHeader("memory", "memory", "B") + `}`
	return newJSON(style, always(text), func(i int) (string, []byte, int) {
		r := plausible.New(5e3, i)
		resources := make([]string, 1+r.Below(40))
		for k := range resources {
			resources[k] = allocation(&r)
		}
		text := fmt.Appendf(nil, `{"time":"%f","resources":[%s],"models":[]}`,
			float64(i)*0.001, strings.Join(resources, ","))
		return "", text, len(resources)
	})
}

// allocation returns a resource: one of the program's 400 places that allocate memory.
func allocation(r *plausible.Random) string {
	site := plausible.New(5e3+1, r.Below(400))
	subtype := plausible.Pick(&site, []string{"malloc", "calloc", "realloc", "free"})
	trace := make([]string, 1+site.Below(8))
	for k := range trace {
		f := plausible.New(5e3+2, site.Below(300)) // one of 300 functions
		source, function := plausible.AppendName(nil, &f), plausible.AppendName(nil, &f)
		trace[k] = fmt.Sprintf(`{"source":"../src/%s.c","function":%q,"line":%s}`, source, function,
			plausible.AppendInteger(nil, &f, 4))
	}
	address, amount := 19_000_000+16*r.Below(1e6), plausible.AppendInteger(nil, r, 6)
	return fmt.Sprintf(`{"type":"memory","subtype":%q,"address":%d,"amount":%s,"trace":[%s],"uid":%s}`,
		subtype, address, amount, strings.Join(trace, ","), trace[0])
}
