// Package accepted reads which changes of values people accept, so that a check of new values does not fail
// for them, and a page shows them apart.
//
// A line accepts what the series that a query selects did at a commit. It may be edited by hand, and kept in
// the repository of the code:
//
//	# QUERY COMMIT REASON
//	name=Sort&unit=ns/op 3f2a9c1 checks the bounds now
//
// The query is one of [traceid.ParseQuery], the commit a name or the beginning of a hash, and the reason any text.
// Empty lines, and lines that begin with #, are ignored.
package accepted

import (
	"errors"
	"io"
	"strings"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/traceid"
)

// A Change is a line of the file.
type Change struct {
	Query  *traceid.Query
	Commit string
	Reason string // may be empty
	Line   int    // from 1
}

// Read reads the changes of a file of at most 1 MiB. The name is for errors. A line that has no query or no
// commit is a [format.Error] with the cause [format.ErrSyntax], and a larger file is one with [format.ErrLimit].
func Read(in io.Reader, name string) ([]Change, error) {
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(text) > most {
		err = &format.Error{Name: name, Position: format.Position{Line: 1, Column: 1},
			Message: "the file has more than 1 MiB", Err: format.ErrLimit}
	}
	if err != nil {
		return nil, err
	}

	var all []Change
	for n, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}

		var query *traceid.Query
		err = errors.New("want QUERY COMMIT REASON")
		if len(fields) > 1 {
			query, err = hint.ParseQuery(fields[0])
		}
		if err != nil {
			at := format.Position{Line: n + 1, Column: 1}
			return nil, &format.Error{Name: name, Position: at, Message: err.Error(), Err: format.ErrSyntax}
		}
		all = append(all, Change{query, fields[1], strings.Join(fields[2:], " "), n + 1})
	}
	return all, nil
}
