package main

import (
	"bufio"
	"fmt"
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
	file, err := os.Open(c.knownFile)
	if err != nil {
		return err
	}
	defer file.Close() // it was read only

	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		err := fmt.Errorf("want QUERY COMMIT REASON")
		var query *traceid.Query
		if len(fields) > 1 {
			query, err = parseQuery(fields[0])
		}
		if err != nil {
			at := format.Position{Line: n, Column: 1}
			return &format.Error{Name: c.knownFile, Position: at, Message: err.Error(), Err: format.ErrSyntax}
		}
		if c.place(fields[1]) < 0 && !c.answer.FindNew(fields[1]) {
			c.note("%s:%d: no measurement has the commit %s", c.knownFile, n, fields[1])
		}
		c.known = append(c.known, knownChange{query, fields[1], strings.Join(fields[2:], " ")})
	}
	return lines.Err()
}

// knownFrom returns the rank of the last accepted change of a series: older values are left out. If
// the change is that of a new commit, it returns the reason.
func (c *checking) knownFrom(s *series.Series) (from int, known string, err error) {
	for _, k := range c.known {
		ok, err := c.selects(k.query, s)
		if err != nil {
			return 0, "", err
		}
		if !ok {
			continue
		}
		if place := c.place(k.commit); place >= 0 {
			from = max(from, place)
		} else if c.answer.FindNew(k.commit) {
			known = "accepted: " + k.reason
		}
	}
	return from, known, nil
}

// place returns the place of the commit of the history that a text names, or -1.
func (c *checking) place(text string) int {
	at := -1
	for i, commit := range c.answer.Commits {
		switch {
		case commit.Hash == text:
			return i
		case len(text) >= 4 && strings.HasPrefix(commit.Hash, text):
			at = i
		}
	}
	return at
}
