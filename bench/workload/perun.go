package workload

import (
	"bytes"
	"fmt"
	"strings"
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

// MaxPerunTypes is the largest number of resource types, and perunEach the number of resources of
// each.
const (
	MaxPerunTypes = 10_000
	perunEach     = 10_000
)

// NewPerunTypes returns a Perun profile in the layout with a resource type map, which comes last.
// Each result is a resource type with 10,000 resources; there are at most MaxPerunTypes types. The
// profile is formatted by Python's json.dumps: without indentation with four arrays for each type,
// and with indent with two. With 100 types, a million resources, it takes 41 MB, or 30 MB if
// indented.
func NewPerunTypes(types int, indent string) *Document {
	if types > MaxPerunTypes {
		panic("workload: too many resource types")
	}
	const name = `"SLList_insert(SLList*, int)#0000": {`

	nl := ""
	item, closing := ", ", "]"
	columns := []string{"amount", "structure-unit-size", "call-order", "timestamp"}
	patterns := []string{"1111.5", "2222", "3333333", "1700000000000000"}
	if indent != "" {
		nl = "\n" + strings.Repeat(indent, 3)
		item, closing = ",\n"+strings.Repeat(indent, 4), nl+"]"
		columns, patterns = columns[:2], patterns[:2]
	}

	var result bytes.Buffer
	if indent != "" {
		result.WriteString("\n" + strings.Repeat(indent, 2))
	}
	result.WriteString(name)

	type column struct{ at, step, width int }
	var at []column
	for i, key := range columns {
		if i > 0 {
			result.WriteString(",")
			if indent == "" {
				result.WriteString(" ")
			}
		}
		fmt.Fprintf(&result, "%s\"%s\": [", nl, key)
		if indent != "" {
			result.WriteString(item[1:])
		}

		at = append(at, column{result.Len(), len(patterns[i]) + len(item), len(patterns[i])})
		for row := range perunEach {
			if row > 0 {
				result.WriteString(item)
			}
			result.WriteString(patterns[i])
		}
		result.WriteString(closing)
	}

	if indent != "" {
		result.WriteString("\n" + strings.Repeat(indent, 2))
	}
	result.WriteString("}")
	last := result.Len()
	result.WriteString(",")
	if indent == "" {
		result.WriteString(" ")
	}

	var entries bytes.Buffer
	for i := range types {
		if i > 0 {
			entries.WriteString(", ")
		}
		fmt.Fprintf(&entries, `"SLList_insert(SLList*, int)#%04d": {"type": "mixed", "time": "0.00023s", "uid": "SLList_insert%04d(SLList*, int)", "subtype": "time delta"}`, i, i)
	}
	numberAt := strings.Index(result.String(), "#00") + 1

	d := &Document{
		head:    []byte(`{"resources": {`),
		tail:    []byte(`}, "resource_type_map": {` + entries.String() + `}, "models": [], ` + perunHeader("mixed", `"mixed(time delta)": "us"`) + `}`),
		pattern: result.Bytes(),
		last:    last,
		each:    perunEach,
		fill: func(result []byte, i int) {
			putDecimal(result[numberAt:numberAt+4], uint64(i))
			for row := range perunEach {
				h := mix(i*perunEach + row)
				for c, col := range at {
					field := result[col.at+row*col.step:][:col.width]
					switch c {
					case 0:
						putDecimal(field, noZero(10000+h%89990))
					case 1:
						putDecimal(field, 1000+uint64(row)%9000)
					case 2:
						putDecimal(field, uint64(1_000_000+(i*perunEach+row)%9_000_000))
					case 3:
						putDecimal(field, 1_700_000_000_000_000+uint64(i*perunEach+row)*37+h%37)
					}
				}
			}
		},
	}
	return d.WithResults(types)
}

func perunHeader(kind, units string) string {
	return `"header": {"type": "` + kind + `", "units": {` + units + `}, "cmd": "./sll", "args": "-O2", "workload": "input.txt"}, ` +
		`"collector_info": {"name": "trace", "params": {"sampling": 1}}, "postprocessors": []`
}

// perunPerSnapshot is the number of resources of a snapshot.
const perunPerSnapshot = 20

// NewPerunSnapshots returns a Perun profile in the layout with snapshots. Each result is a
// snapshot of 20 resources with three frames each, and the header comes last. The profile is
// formatted by Python's json.dumps with the given indentation. 50,000 snapshots, a million
// resources, take 443 MB, or 786 MB with [Indent].
func NewPerunSnapshots(snapshots int, indent string) *Document {
	resource := `{"type": "memory", "subtype": "malloc", "address": 19284560, "amount": 1234, "trace": [` +
		frame + `, ` + frame + `, ` + frame + `], "uid": ` + frame + `}`
	one := `{"time": "0.000000", "resources": [` + strings.Repeat(resource+", ", perunPerSnapshot-1) + resource + `], "models": []}`
	one = indentPython(one, indent, 2)
	last := len(one)
	sep := ", "
	if indent != "" {
		sep = ",\n" + strings.Repeat(indent, 2)
	}

	d := &Document{
		head:    []byte(`{"origin": "f7f3dcea69b97f2b03c421a223a770917149cfae", "snapshots": [`),
		tail:    []byte(`], ` + perunHeader("memory", `"memory": "B"`) + `}`),
		pattern: []byte(one + sep),
		last:    last,
		each:    perunPerSnapshot,
	}

	all := func(text string) (at []int) {
		for i := 0; ; i += len(text) {
			n := bytes.Index(d.pattern[i:], []byte(text))
			if n < 0 {
				return at
			}
			i += n
			at = append(at, i)
		}
	}
	time := all("0.000000")[0]
	subtypes, addresses, amounts := all("malloc"), all("19284560"), all("1234")
	functions, lines := all("function_0000"), all("\"line\": 000")

	d.fill = func(result []byte, i int) {
		putDecimal(result[time:time+8], uint64(i)*1000)
		for row := range perunPerSnapshot {
			h := mix(i*perunPerSnapshot + row)
			site := int(h % 300) // the number of places where the program allocates
			copy(result[subtypes[row]:], [...]string{"malloc", "calloc"}[site%2])
			putDecimal(result[addresses[row]:][:8], 10_000_000+h>>8%89_000_000)
			putDecimal(result[amounts[row]:][:4], 1000+h>>16%8999)

			for f := range 4 {
				// The uid is the innermost frame; many resources share the outermost frames.
				k := mix(site >> (2 * (f % 3)))
				putDecimal(result[functions[4*row+f]+9:][:4], k%200)
				putDecimal(result[lines[4*row+f]+8:][:3], 100+k>>8%899)
			}
		}
	}
	return d.WithResults(snapshots)
}

const frame = `{"source": "../src/memory_collect_test.c", "function": "function_0000", "line": 000}`

// indentPython indents text as Python does, from the given depth on.
func indentPython(text, indent string, depth int) string {
	if indent == "" {
		return text
	}
	var b strings.Builder
	quoted := false
	newline := func() { b.WriteString("\n" + strings.Repeat(indent, depth)) }

	for i := 0; i < len(text); i++ {
		c := text[i]

		switch {
		case c == '"':
			quoted = !quoted
			b.WriteByte(c)
		case quoted:
			b.WriteByte(c)
		case (c == '[' || c == '{') && text[i+1] != c+2:
			b.WriteByte(c)
			depth++
			newline()
		case (c == ']' || c == '}') && text[i-1] != c-2:
			depth--
			newline()
			b.WriteByte(c)
		case c == ',':
			b.WriteByte(c)
			newline()
			i++
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
