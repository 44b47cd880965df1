package ingest

import (
	"slices"
	"strings"
)

// byModTime yields the files below root by the time of their last modification.
func (w *walker) byModTime(root string) {
	var found []File
	yield := w.yield
	w.yield = func(f File, err error) bool {
		if err != nil {
			return yield(f, err)
		}
		found = append(found, f)
		return true
	}
	w.dir(root)

	slices.SortFunc(found, func(a, b File) int {
		if c := a.ModTime.Compare(b.ModTime); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	for _, f := range found {
		if w.stopped || !yield(f, nil) {
			return
		}
	}
}
