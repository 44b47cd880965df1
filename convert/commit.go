package convert

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/visible"
	"perfdata/keyval"
	"perfdata/keyval/job"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

// The names of the formats, and of a report that is only written.
const (
	nameSkiaV1     = "skiav1"
	nameNanolegacy = "nanolegacy"
	nameBenchfmt   = "benchfmt"
	nameKeyval     = "keyval"
	namePerun      = "perun"
	nameTAP        = "tap"
)

// nativeFormat returns the name of the format whose header it is.
func nativeFormat(native any) string {
	switch native.(type) {
	case skiav1.Header:
		return nameSkiaV1
	case nanolegacy.Header:
		return nameNanolegacy
	case benchfmt.Header:
		return nameBenchfmt
	case keyval.Header, job.Header:
		return nameKeyval
	case perun.Header:
		return namePerun
	}
	return ""
}

const (
	paramCommit    = "commit"
	paramIteration = "iteration"
)

// Commit returns the commit that a record measures: its param commit, or else that of the header of
// its input. It is empty if neither has one.
func Commit(h format.Header, rec *format.Record) string {
	commit, ok := rec.Params.Get(paramCommit)
	if !ok {
		commit = sourceOf(h, "").commit
	}
	return commit
}

// ErrNoCommit is the cause of an error about records without a commit, if the format requires it.
// [Survey.GitHash] sets it.
var ErrNoCommit = errors.New("missing commit")

// A CommitsError is the error about records of several commits, if a file of the format holds one.
// To write them, use a [Survey] and a [Writer] for each commit, or set [Survey.GitHash].
type CommitsError struct {
	Format  string
	Count   int      // of the commits
	Commits []string // the first few; an empty text means records without a commit
}

func (e *CommitsError) Error() string {
	return fmt.Sprintf("the measurements are of %d commits (%s), and a file of format %s holds one",
		e.Count, e.list(), e.Format)
}

// list returns the commits as users can read them.
func (e *CommitsError) list() string {
	var names []string
	for _, c := range e.Commits {
		if c == "" {
			c = "none"
		}
		names = append(names, c)
	}
	if e.Count > len(e.Commits) {
		names = append(names, "...")
	}
	return visible.String(strings.Join(names, ", "))
}

// maxCommits is the number of commits that are counted, and maxCommitsShown the number that are
// named.
const (
	maxCommits      = 1 << 16
	maxCommitsShown = 4
	maxCommitShown  = 100 // bytes
)

// A commitCount counts the commits of records.
type commitCount struct {
	known map[string]struct{} // long ones are cut off
	shown []string
	only  string // the first commit
	last  string
}

func (c *commitCount) add(commit string) {
	if c.known != nil && commit == c.last {
		return
	}
	if c.known == nil {
		c.known = make(map[string]struct{})
		c.only = commit
	}
	c.last = commit
	if len(commit) > 4*maxCommitShown {
		commit = fmt.Sprintf("%s...%x", commit[:maxCommitShown], sha256.Sum256([]byte(commit)))
	}
	if _, ok := c.known[commit]; ok || len(c.known) >= maxCommits {
		return
	}
	c.known[commit] = struct{}{}
	if len(c.shown) < maxCommitsShown {
		c.shown = append(c.shown, commit[:min(len(commit), maxCommitShown)])
	}
}

// commit returns the commit of the file to be written. The cause of its error is ErrNoCommit, if
// the commit is required, or it is a CommitsError.
func (s *Survey) commit(to string, required bool) (string, error) {
	n := len(s.commits.known)
	commit := s.commits.only
	if n == 0 {
		commit = s.inputs.first.commit
	}
	switch {
	case s.GitHash != "":
		return s.GitHash, nil
	case n > 1:
		return "", &CommitsError{Format: to, Count: n, Commits: s.commits.shown}
	case commit == "" && s.commonCommit() != "":
		return s.commonCommit(), nil
	case commit == "" && required:
		return "", fmt.Errorf("%w: format %s requires it", ErrNoCommit, to)
	}
	return commit, nil
}

// commonCommit returns the commit that all records without another one have as an attribute, as a
// file of keyvals does. It is empty if they have none.
func (s *Survey) commonCommit() string {
	if s.records == 0 || len(s.commits.known) > 1 || s.commits.only != "" {
		return ""
	}
	commit, _ := s.attrs.get(paramCommit)
	return commit
}

// countReplaced counts the commits that GitHash replaces.
func (s *Survey) countReplaced(out *sink) {
	if s.GitHash == "" {
		return
	}
	n := len(s.commits.known)
	for _, commit := range []string{"", s.GitHash} {
		if _, ok := s.commits.known[commit]; ok {
			n--
		}
	}
	for _, commit := range s.commits.shown {
		if commit != "" && commit != s.GitHash {
			out.countN(ReplacedCommit, commit, n, func() string { return commit })
			n = 0 // the others have only their names to add
		}
	}
}
