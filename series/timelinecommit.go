package series

// Commit returns what is known about a commit, by its number, after Sort: what the list says that Sort
// was given, which list must be, or else its name and what the points or their source say.
func (t *Timeline) Commit(number int, list []Commit) Commit {
	c := &t.commits[number]
	switch {
	case c.place.Listed > 0 && c.place.Listed <= len(list):
		return list[c.place.Listed-1]
	case c.isPlaced:
		return c.details
	}
	return Commit{Hash: c.place.Name, Time: c.place.Time}
}
