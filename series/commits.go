package series

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/lines"
)

// A Commit is a commit of a repository.
type Commit struct {
	Hash    string    // or another name, as in CP:727901
	Parents []string  // their hashes; nil if the commit has none, or they are not known
	Time    time.Time // to the second, in UTC: in git, that of the committer; zero if it is not known
	Author  string    // empty if it is not known
	Subject string    // of the message; empty if it is not known
}

// The limits of a list.
const (
	maxLineBytes = 64 << 10
	maxHashBytes = 256
)

// listLimits are limits that are lower in tests.
type listLimits struct {
	commits int
	bytes   int64
}

// ReadCommits reads a list of commits, and returns it with the oldest commit first. The package
// comment says what a list is. The name of the input is for errors, and may be empty.
//
// An error about the list is a [*format.Error]. Its cause is [format.ErrSyntax],
// [format.ErrDuplicate] or [format.ErrLimit].
func ReadCommits(in io.Reader, name string) ([]Commit, error) {
	return readCommits(in, name, listLimits{commits: 5_000_000, bytes: 1 << 30})
}

func readCommits(in io.Reader, name string, limits listLimits) ([]Commit, error) {
	r := &listReader{name: name, lines: lines.New(in, maxLineBytes), index: make(map[string]int)}
	for line, ok := r.lines.Next(); ok; line, ok = r.lines.Next() {
		switch {
		case r.lines.TooLong():
			return nil, r.fault(1, format.ErrLimit, "line is too long: want at most %d bytes", maxLineBytes)
		case len(bytes.TrimSpace(line)) == 0:
		case len(r.commits) >= limits.commits:
			return nil, r.fault(1, format.ErrLimit, "too many commits: want at most %d", limits.commits)
		case r.lines.End() > limits.bytes:
			return nil, r.fault(1, format.ErrLimit, "list is too long: want at most %d bytes", limits.bytes)
		default:
			if err := r.add(string(line)); err != nil {
				return nil, err
			}
		}
	}

	if err := r.lines.Err(); err != nil {
		cause := err
		if err == lines.ErrUTF16 {
			cause = format.ErrSyntax
		}
		return nil, r.faultAt(format.Position{Offset: r.lines.End(), Line: r.lines.Number() + 1, Column: 1}, cause, "%v", err)
	}
	if len(r.commits) == 0 {
		return nil, r.faultAt(format.Position{Line: 1, Column: 1}, format.ErrSyntax, "empty list: want commits")
	}
	return r.sorted()
}

// A listReader reads a list of commits.
type listReader struct {
	name    string
	lines   *lines.Reader
	commits []Commit
	at      []format.Position // of the lines of the commits
	index   map[string]int    // of commits, by hash
	fields  int               // that each line has
}

// position returns the place of a column, from 1, of the current line.
func (r *listReader) position(column int) format.Position {
	return format.Position{Offset: r.lines.Offset() + int64(column-1), Line: r.lines.Number(), Column: column}
}

// fault returns an error about the current line, at a column from 1.
func (r *listReader) fault(column int, cause error, text string, args ...any) error {
	return r.faultAt(r.position(column), cause, text, args...)
}

func (r *listReader) faultAt(at format.Position, cause error, text string, args ...any) error {
	return &format.Error{Name: r.name, Position: at, Message: fmt.Sprintf(text, args...), Err: cause}
}

// add adds the commit of a line.
func (r *listReader) add(line string) error {
	fields := strings.SplitN(line, "\t", 4)
	names := strings.Split(strings.TrimRight(fields[0], " "), " ")
	column := 1
	for _, name := range names {
		if err := r.checkHash(name, column); err != nil {
			return err
		}
		// Any text has words.
		if len(fields) == 1 && len(names) > 1 && strings.Trim(name, "0123456789abcdef") != "" {
			return r.fault(column, format.ErrSyntax,
				"%q is not a hash: want hex digits in a line of several hashes", name)
		}
		column += len(name) + 1
	}

	c := Commit{Hash: names[0]}
	if len(names) > 1 {
		c.Parents = names[1:]
	}
	r.fields = cmp.Or(r.fields, len(fields))
	if len(fields) != r.fields {
		return r.fault(1, format.ErrSyntax,
			"line has %d tabs: want %d, as in the first line", len(fields)-1, r.fields-1)
	}
	if len(fields) > 1 {
		// The last second of the year 9999 is the last that RFC 3339 can write.
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			return r.fault(len(fields[0])+2, format.ErrSyntax, "time %q: want seconds since 1970", fields[1])
		}
		c.Time = time.Unix(seconds, 0).UTC()
	}
	for i, field := range []*string{&c.Author, &c.Subject} {
		if len(fields) > 2+i {
			*field = strings.ReplaceAll(strings.ToValidUTF8(fields[2+i], "\uFFFD"), "\x00", "\uFFFD")
		}
	}

	if first, ok := r.index[c.Hash]; ok {
		return r.fault(1, format.ErrDuplicate, "duplicate commit %q: it is in line %d too", c.Hash, r.at[first].Line)
	}
	r.index[c.Hash] = len(r.commits)
	r.commits, r.at = append(r.commits, c), append(r.at, r.position(1))
	return nil
}

// checkHash returns an error for a name that a commit cannot have. The column is its first.
func (r *listReader) checkHash(name string, column int) error {
	if name == "" {
		return r.fault(column, format.ErrSyntax, "missing hash of a commit")
	}
	if len(name) > maxHashBytes {
		return r.fault(column, format.ErrLimit, "hash of %d bytes: want at most %d", len(name), maxHashBytes)
	}
	for i, c := range name {
		isPart := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.ContainsRune("._:+-/@", c)
		if !isPart {
			return r.fault(column+i, format.ErrSyntax, "%q in the hash of a commit", c)
		}
	}
	return nil
}

// sorted returns the commits, the oldest first. A list in which some parents precede their children and
// others do not has no order.
func (r *listReader) sorted() ([]Commit, error) {
	known, newestFirst := false, false
	for child, c := range r.commits {
		for _, hash := range c.Parents {
			parent, ok := r.index[hash]
			if !ok {
				continue
			}
			if !known {
				known, newestFirst = true, child < parent
			}
			if newestFirst != (child < parent) {
				return nil, r.faultAt(r.at[child], format.ErrSyntax, "commit %q and its parent %q, in line %d, are not "+
					"in the order of the other commits: want git log --topo-order", c.Hash, hash, r.at[parent].Line)
			}
		}
	}

	first, last := r.commits[0].Time, r.commits[len(r.commits)-1].Time
	if newestFirst || !known && !first.IsZero() && !first.Before(last) {
		slices.Reverse(r.commits)
	}
	return r.commits, nil
}
