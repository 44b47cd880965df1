package drift

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// Aliases continue series under other params. They are used for the measurements of both sides.
type Aliases struct {
	charset *traceid.Charset
	queries []*traceid.Query
	params  []traceid.Params // of each query; an empty value deletes the param
	memory  traceid.Params
}

const maxAliasLine = 64 << 10

// ReadAliases reads a list of aliases. A line is a query, "->", and the params that replace the
// params of the selected measurements, separated by &. An empty value deletes a param:
//
//	test=schema_iter -> test=Schema_Iter
//	device_version=none&device_type=SM-A025V -> device_version=11
//
// Empty lines, and lines that begin with #, are skipped. The charset is the charset of the trace
// IDs, in which queries are compared. The name is for errors, and may be empty. The cause of an
// error, which is a [*format.Error], is [format.ErrSyntax].
func ReadAliases(in io.Reader, name string, charset *traceid.Charset) (*Aliases, error) {
	a := &Aliases{charset: charset}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxAliasLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := a.add(line); err != nil {
			return nil, aliasError(name, n, err, format.ErrSyntax)
		}
	}
	if err := lines.Err(); err != nil {
		cause := err
		if err == bufio.ErrTooLong {
			cause = format.ErrLimit
		}
		return nil, aliasError(name, n+1, err, cause)
	}
	return a, nil
}

func aliasError(name string, line int, err, cause error) error {
	return &format.Error{Name: name, Position: format.Position{Line: line, Column: 1}, Message: err.Error(), Err: cause}
}

func (a *Aliases) add(line string) error {
	query, params, ok := strings.Cut(line, "->")
	if !ok {
		return fmt.Errorf("missing %s: want QUERY -> key=value&key=value", message.Quote("->"))
	}
	q, err := traceid.ParseQuery(strings.TrimSpace(query))
	if err != nil {
		return err
	}
	var pairs []traceid.Param
	for text := range strings.SplitSeq(strings.TrimSpace(params), "&") {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return fmt.Errorf("param %s: want key=value", message.Quote(text))
		}
		pairs = append(pairs, traceid.Param{Key: key, Value: value})
	}
	a.queries, a.params = append(a.queries, a.charset.Query(q)), append(a.params, traceid.FromPairs(pairs...))
	return nil
}

// Apply returns the params of a measurement under the first alias that selects it. The next call
// overwrites the result, if it is not params. The error comes from [traceid.Query.Match]. Nil
// Aliases select nothing.
func (a *Aliases) Apply(params traceid.Params) (traceid.Params, error) {
	if a == nil {
		return params, nil
	}
	canonical := a.charset.Canonical(params)
	for i, query := range a.queries {
		if ok, err := query.Match(canonical); err != nil {
			return params, err
		} else if !ok {
			continue
		}
		a.memory = traceid.AppendMerge(a.memory[:0], params, a.params[i])
		a.memory = slices.DeleteFunc(a.memory, func(p traceid.Param) bool { return p.Value == "" })
		return a.memory, nil
	}
	return params, nil
}
