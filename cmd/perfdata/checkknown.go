package main

import (
	"errors"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A knownChange is a line of --known: a change that was accepted.
type knownChange struct {
	query  *traceid.Query
	commit string
	reason string
}

// readKnown reads the file of --known.
func (c *checking) readKnown() error {
	if c.knownFile == "" {
		return nil
	}
	text, err := os.ReadFile(c.knownFile)
	if err != nil {
		return err
	}
	for n, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		err := errors.New("want QUERY COMMIT REASON")
		var query *traceid.Query
		if len(fields) > 1 {
			query, err = parseQuery(fields[0])
		}
		if err != nil {
			at := format.Position{Line: n + 1, Column: 1}
			return &format.Error{Name: c.knownFile, Position: at, Message: err.Error(), Err: format.ErrSyntax}
		}
		if _, n := series.FindCommit(c.answer.Commits, fields[1]); n == 0 && !c.answer.FindNew(fields[1]) {
			c.note("%s:%d: no measurement has the commit %s", c.knownFile, n+1, fields[1])
		}
		c.known = append(c.known, knownChange{query, fields[1], strings.Join(fields[2:], " ")})
	}
	return nil
}

// knownFrom returns the place of the last accepted change of a series: older values are left out. If the
// change is that of a new commit, it returns the reason.
func (c *checking) knownFrom(s *series.Series) (from int, reason string, err error) {
	for _, k := range c.known {
		if ok, err := c.selects(k.query, s); err != nil {
			return 0, "", err
		} else if !ok {
			continue
		}
		if place, n := series.FindCommit(c.answer.Commits, k.commit); n > 0 {
			from = max(from, place)
		} else if c.answer.FindNew(k.commit) {
			reason = "accepted: " + k.reason
		}
	}
	return from, reason, nil
}
