package series

// Commit returns what is known about a commit, by its number, after Sort: what the list says that Sort
// was given, which list must be, or else its name and the time that the points give.
func (t *Timeline) Commit(number int, list []Commit) Commit {
	place := &t.commits[number].place
	if place.Listed > 0 && place.Listed <= len(list) {
		return list[place.Listed-1]
	}
	return Commit{Hash: place.Name, Time: place.Time}
}
