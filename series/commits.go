package series

import (
	"bytes"
	"errors"
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

func defaultLimits() listLimits { return listLimits{commits: 5_000_000, bytes: 1 << 30} }

// ReadCommits reads a list of commits, and returns it with the oldest commit first. The package
// comment says what a list is. The name of the input is for errors, and may be empty.
//
// An error about the list is a [*format.Error]. Its cause is [format.ErrSyntax],
// [format.ErrDuplicate] or [format.ErrLimit].
func ReadCommits(in io.Reader, name string) ([]Commit, error) {
	return readCommits(in, name, defaultLimits())
}

func readCommits(in io.Reader, name string, limits listLimits) ([]Commit, error) {
	r := &listReader{limits: limits, lines: lines.New(in, maxLineBytes), index: make(map[string]int)}
	err := r.readAll()
	if err == nil {
		err = r.reverse()
	}
	if e, ok := errors.AsType[*format.Error](err); ok {
		e.Name = name
	}
	if err != nil {
		return nil, err
	}
	return r.commits, nil
}

// A listReader reads a list of commits.
type listReader struct {
	limits  listLimits
	lines   *lines.Reader
	commits []Commit
	at      []format.Position // of the lines of the commits
	index   map[string]int    // of commits, by hash
	fields  int               // that each line has
}

func (r *listReader) readAll() error {
	for {
		line, ok := r.lines.Next()
		if !ok {
			break
		}

		if len(bytes.TrimSpace(line)) == 0 && !r.lines.TooLong() {
			continue
		}
		if err := r.checkLimits(); err != nil {
			return err
		}
		if err := r.add(string(line)); err != nil {
			return err
		}
	}

	if err := r.lines.Err(); err != nil {
		cause := err
		if err == lines.ErrUTF16 {
			cause = format.ErrSyntax
		}
		return &format.Error{Position: r.position(r.lines.End(), r.lines.Number()+1), Message: err.Error(), Err: cause}
	}
	if len(r.commits) == 0 {
		return &format.Error{Position: r.position(0, 1), Message: "empty list: want commits", Err: format.ErrSyntax}
	}
	return nil
}

// checkLimits returns an error for a line that exceeds a limit.
func (r *listReader) checkLimits() error {
	message := ""
	switch {
	case r.lines.TooLong():
		message = fmt.Sprintf("line is too long: want at most %d bytes", maxLineBytes)
	case len(r.commits) >= r.limits.commits:
		message = fmt.Sprintf("too many commits: want at most %d", r.limits.commits)
	case r.lines.End() > r.limits.bytes:
		message = fmt.Sprintf("list is too long: want at most %d bytes", r.limits.bytes)
	default:
		return nil
	}
	return r.fault(1, message, format.ErrLimit)
}

func (r *listReader) position(offset int64, line int) format.Position {
	return format.Position{Offset: offset, Line: line, Column: 1}
}

// fault returns an error about the current line, at a column from 1.
func (r *listReader) fault(column int, message string, cause error) error {
	at := format.Position{Offset: r.lines.Offset() + int64(column-1), Line: r.lines.Number(), Column: column}
	return &format.Error{Position: at, Message: message, Err: cause}
}

// add adds the commit of a line.
func (r *listReader) add(line string) error {
	fields := strings.SplitN(line, "\t", 4)
	var c Commit
	column := 1
	names := strings.Split(strings.TrimRight(fields[0], " "), " ")
	for i, name := range names {
		if err := r.checkHash(name, column); err != nil {
			return err
		}
		// Any text has words.
		if len(fields) == 1 && len(names) > 1 && strings.Trim(name, "0123456789abcdef") != "" {
			message := fmt.Sprintf("%q is not a hash: want hex digits in a line of several hashes", name)
			return r.fault(column, message, format.ErrSyntax)
		}
		if i == 0 {
			c.Hash = name
		} else {
			c.Parents = append(c.Parents, name)
		}
		column += len(name) + 1
	}

	if err := r.details(&c, fields); err != nil {
		return err
	}

	if first, ok := r.index[c.Hash]; ok {
		message := fmt.Sprintf("duplicate commit %q: it is in line %d too", c.Hash, r.at[first].Line)
		return r.fault(1, message, format.ErrDuplicate)
	}
	r.index[c.Hash] = len(r.commits)
	r.commits = append(r.commits, c)
	r.at = append(r.at, r.position(r.lines.Offset(), r.lines.Number()))
	return nil
}

// details sets what follows the hashes in a line.
func (r *listReader) details(c *Commit, fields []string) error {
	if r.fields == 0 {
		r.fields = len(fields)
	}
	if len(fields) != r.fields {
		message := fmt.Sprintf("line has %d tabs: want %d, as in the first line", len(fields)-1, r.fields-1)
		return r.fault(1, message, format.ErrSyntax)
	}

	if len(fields) > 1 {
		// The last second of the year 9999 is the last that RFC 3339 can write.
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			message := fmt.Sprintf("time %q: want seconds since 1970", fields[1])
			return r.fault(len(fields[0])+2, message, format.ErrSyntax)
		}
		c.Time = time.Unix(seconds, 0).UTC()
	}
	for i, field := range []*string{&c.Author, &c.Subject} {
		if len(fields) > 2+i {
			*field = strings.ReplaceAll(strings.ToValidUTF8(fields[2+i], "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return nil
}

// checkHash returns an error for a name that a commit cannot have. The column is its first.
func (r *listReader) checkHash(name string, column int) error {
	if name == "" {
		return r.fault(column, "missing hash of a commit", format.ErrSyntax)
	}
	if len(name) > maxHashBytes {
		message := fmt.Sprintf("hash of %d bytes: want at most %d", len(name), maxHashBytes)
		return r.fault(column, message, format.ErrLimit)
	}
	i := strings.IndexFunc(name, func(c rune) bool { return !isHashChar(c) })
	if i < 0 {
		return nil
	}
	for _, c := range name[i:] {
		return r.fault(column+i, fmt.Sprintf("%q in the hash of a commit", c), format.ErrSyntax)
	}
	return nil
}

func isHashChar(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("._:+-/@", c)
}

// reverse makes the oldest commit the first.
func (r *listReader) reverse() error {
	newestFirst, err := r.newestFirst()
	if newestFirst {
		slices.Reverse(r.commits)
	}
	return err
}

// newestFirst reports whether the list begins with the newest commit. A list in which some parents
// precede their children and others do not has no order.
func (r *listReader) newestFirst() (bool, error) {
	known, newestFirst := false, false
	for child := range r.commits {
		for _, hash := range r.commits[child].Parents {
			parent, ok := r.index[hash]
			if !ok {
				continue
			}
			if !known {
				known, newestFirst = true, child < parent
			}
			if newestFirst != (child < parent) {
				message := fmt.Sprintf("commit %q and its parent %q, in line %d, are not in the order of the other commits: "+
					"want git log --topo-order", r.commits[child].Hash, hash, r.at[parent].Line)
				return false, &format.Error{Position: r.at[child], Message: message, Err: format.ErrSyntax}
			}
		}
	}
	if known {
		return newestFirst, nil
	}
	first, last := r.commits[0].Time, r.commits[len(r.commits)-1].Time
	return !first.IsZero() && !first.Before(last), nil
}
