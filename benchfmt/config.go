package benchfmt

import (
	"slices"

	"perfdata/traceid"
)

// A config is the configuration in force, in two orders.
type config struct {
	sorted  traceid.Params
	ordered []traceid.Param // in x/perf's order: as first set, except that the last key replaces a deleted one
	bytes   int64           // roughly the memory that it takes
}

// The keys of the configuration that the testing package prints, in its order.
var knownConfig = [...]string{"goos", "goarch", "pkg", "cpu"}

// commitConfig is the key for the commit that was measured, by which benchstat can compare
// results.
const commitConfig = "commit"

// A change says how much of a configuration has changed.
type change byte

const (
	noChange change = iota
	newValues
	newKeys // and perhaps values
)

// configBytes is roughly the memory that a key of the configuration takes in addition to its text.
const configBytes = 128

// set sets key to value; an empty value deletes the key. It returns what has changed. It copies
// the strings, so that config.bytes is all the memory that they keep.
func (c *config) set(key, value []byte) change {
	i, found := c.sorted.Find(string(key))
	switch {
	case found && string(value) == c.sorted[i].Value, !found && len(value) == 0:
		return noChange
	case !found:
		p := traceid.Param{Key: string(key), Value: string(value)}
		c.sorted = slices.Insert(c.sorted, i, p)
		c.ordered = append(c.ordered, p)
		c.bytes += configBytes + int64(len(key)+len(value))
		return newKeys
	}

	old := c.sorted[i]
	at := slices.IndexFunc(c.ordered, func(p traceid.Param) bool { return p.Key == old.Key })
	c.bytes += int64(len(value) - len(old.Value))
	if len(value) > 0 {
		c.sorted[i].Value = string(value)
		c.ordered[at].Value = c.sorted[i].Value
		return newValues
	}

	c.bytes -= configBytes + int64(len(key))
	c.sorted = slices.Delete(c.sorted, i, i+1)
	last := len(c.ordered) - 1
	c.ordered[at] = c.ordered[last]
	c.ordered = c.ordered[:last]
	return newKeys
}
