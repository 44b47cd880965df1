package ingest

import (
	"container/heap"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"strings"
	"time"
)

// byHour yields the files below root by hour and path. It finds the trees of hours first, and then
// merges them.
func (w *walker) byHour(root string) {
	var known date
	parent := root // of the year, if the root is a part of an hour
	for i, dir := range strings.Split(root, "/") {
		if known = known.then(dir); known.known == yearKnown {
			parent = path.Join(append([]string{"."}, strings.Split(root, "/")[:i]...)...)
		}
		if known.known == hourKnown {
			w.dir(root)
			return
		}
	}
	w.find(root, parent, known)

	var merged byHour
	for _, t := range w.trees {
		if t.next(w) {
			merged = append(merged, t)
		}
	}
	heap.Init(&merged)
	for len(merged) > 0 && !w.stopped {
		w.dir(merged[0].dir)
		if merged[0].next(w) {
			heap.Fix(&merged, 0)
		} else {
			heap.Pop(&merged)
		}
	}
}

// find adds the trees below root to w.trees. If root itself is a year, a month or a day, that is
// a tree in parent.
func (w *walker) find(root, parent string, known date) {
	t := &tree{parent: parent, at: known}
	switch known.known {
	case nothingKnown:
		w.survey(root, false)
		return
	case yearKnown:
		t.years = []year{{known.parts[0], w.survey(root, true)}}
	case monthKnown:
		t.days = w.list(root, known)
	case dayKnown:
		t.hours = w.list(root, known)
	}
	w.trees = append(w.trees, t)
}

// A set of small numbers: months, days or hours.
type set uint32

func (s *set) add(n int)      { *s |= 1 << n }
func (s *set) takeFirst() int { n := bits.TrailingZeros32(uint32(*s)); *s &= *s - 1; return n }

// A year is a directory with months.
type year struct {
	year   int
	months set
}

// survey adds the trees in a directory that is not a part of an hour, or that may be a year: then
// it returns its months.
func (w *walker) survey(dir string, mayBeYear bool) (months set) {
	var years []year
	for _, e := range w.readDir(dir) {
		n, isYear := number(e.Name(), 4)
		month := date{known: yearKnown}.then(e.Name())

		switch {
		case w.stopped:
			return 0
		case !e.IsDir():
			w.stray(e)
		case isYear:
			if m := w.survey(e.path, true); m != 0 {
				years = append(years, year{n, m})
			}
		case mayBeYear && month.known == monthKnown:
			months.add(month.parts[1])
		default:
			w.survey(e.path, false)
		}
	}

	if len(years) > 0 {
		w.trees = append(w.trees, &tree{parent: dir, years: years})
	}
	return months
}

// list returns the days of a month, or the hours of a day.
func (w *walker) list(dir string, known date) (found set) {
	for _, e := range w.readDir(dir) {
		next := known.then(e.Name())
		switch {
		case !e.IsDir():
			w.stray(e)
		case next.known == known.known+1:
			found.add(next.parts[known.known])
		default:
			why := layoutError("the directory is not a day of the month: to read it, walk it as a root of its own")
			if known.known == dayKnown {
				why = "the directory is not an hour: to read it, walk it as a root of its own"
			}
			w.misfit(e.path, why)
		}
	}
	return found
}

// stray yields an error about a file outside of the directories of hours.
func (w *walker) stray(e entry) {
	if e.Type()&fs.ModeSymlink != 0 {
		w.misfit(e.path, "symbolic link above the files of an hour is not followed")
	} else {
		w.misfit(e.path, noHour)
	}
}

// A tree is the directories of hours that have the same parent, which is above the years. It
// remembers what it has listed and not yet yielded.
type tree struct {
	parent string
	years  []year // of the first one, the months after that of at
	days   set    // of the month of at
	hours  set    // of the day of at

	at  date
	dir string // of the hour
}

// next goes to the next hour in the range, and reports whether there is one.
func (t *tree) next(w *walker) bool {
	for !w.stopped {
		switch {
		case t.hours != 0:
			t.at = t.at.with(dayKnown, t.hours.takeFirst())
			if t.enter(w, time.Hour) {
				t.dir = t.path()
				return true
			}

		case t.days != 0:
			t.at = t.at.with(monthKnown, t.days.takeFirst())
			if t.enter(w, 24*time.Hour) {
				t.hours = w.list(t.path(), t.at)
			}

		case len(t.years) == 0:
			return false
		case t.years[0].months == 0:
			t.years = t.years[1:]
		default:
			y := &t.years[0]
			t.at = date{known: yearKnown, parts: [hourKnown]int{y.year}}.with(yearKnown, y.months.takeFirst())
			if t.enter(w, time.Duration(daysIn(t.at.parts[0], t.at.parts[1]))*24*time.Hour) {
				t.days = w.list(t.path(), t.at)
			}
		}
	}
	return false
}

// with returns the date with one more part after the first known ones.
func (d date) with(known, part int) date {
	d.parts[known] = part
	clear(d.parts[known+1:])
	d.known = known + 1
	return d
}

// enter reports whether a part of the time that begins at t.at may have files to be yielded.
func (t *tree) enter(w *walker, length time.Duration) bool {
	start := t.at.hour()
	end := start.Add(length)
	return w.inRange(start, end) && (w.afterHour.IsZero() || end.After(w.afterHour))
}

// path returns the directory of t.at.
func (t *tree) path() string {
	p := &t.at.parts
	dir := fmt.Sprintf("%04d/%02d", p[0], p[1])
	for _, part := range p[2:t.at.known] {
		dir += fmt.Sprintf("/%02d", part)
	}
	return path.Join(t.parent, dir)
}

// byHour is a heap of trees by their hours.
type byHour []*tree

func (h byHour) Len() int      { return len(h) }
func (h byHour) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byHour) Push(t any)   { *h = append(*h, t.(*tree)) }

func (h byHour) Less(i, j int) bool {
	if c := h[i].at.hour().Compare(h[j].at.hour()); c != 0 {
		return c < 0
	}
	return comparePaths(h[i].dir, true, h[j].dir, true) < 0
}

func (h *byHour) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	return t
}
