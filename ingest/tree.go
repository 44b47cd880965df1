package ingest

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strings"
	"time"
)

// A month is a directory MM below parent/YYYY.
type month struct {
	dir  string
	at   date
	days set // that are to be read, of a root that is a day; 0 for those that the directory has
}

// A set of small numbers: months, days or hours.
type set uint32

func (s *set) add(n int)      { *s |= 1 << n }
func (s set) has(n int) bool  { return s>>n&1 != 0 }
func (s *set) takeFirst() int { n := bits.TrailingZeros32(uint32(*s)); *s &= *s - 1; return n }

// byHour yields the files below root by hour and path. It finds the months of all trees first. Then
// it reads those of a year and month together.
func (w *walker) byHour(root string) {
	var known date
	parent := root // of the year, if the root is a part of an hour
	dirs := strings.Split(root, "/")
	for i, dir := range dirs {
		if known = known.then(dir); known.known == yearKnown {
			parent = path.Join(append([]string{"."}, dirs[:i]...)...)
		}
		if known.known == hourKnown {
			w.dir(root)
			return
		}
	}

	switch known.known {
	case nothingKnown:
		w.survey(root, false)
	case yearKnown:
		w.addMonths(parent, known, w.survey(root, true))
	default:
		var one, days set
		one.add(known.parts[1])
		if known.known == dayKnown {
			days.add(known.parts[2])
		}
		w.addMonths(parent, date{known: yearKnown, parts: [hourKnown]int{known.parts[0]}}, one)
		w.months[0].days = days
	}

	slices.SortFunc(w.months, func(a, b month) int {
		return cmp.Or(a.at.hour().Compare(b.at.hour()), comparePaths(a.dir, true, b.dir, true))
	})
	for len(w.months) > 0 && !w.stopped {
		n := 1
		for n < len(w.months) && w.months[n].at == w.months[0].at {
			n++
		}
		w.sameMonth(w.months[:n])
		w.months = w.months[n:]
	}
}

// addMonths adds the months of a year.
func (w *walker) addMonths(parent string, year date, months set) {
	for months != 0 {
		n := months.takeFirst()
		at := year.then(fmt.Sprintf("%02d", n))
		dir := path.Join(parent, fmt.Sprintf("%04d/%02d", year.parts[0], n))
		w.months = append(w.months, month{dir: dir, at: at})
	}
}

// survey adds the months below a directory that is not a part of an hour, or that may be a year:
// then it returns its months.
func (w *walker) survey(dir string, mayBeYear bool) (months set) {
	for _, e := range w.readDir(dir) {
		year, month := date{}.then(e.Name()), date{known: yearKnown}.then(e.Name())
		switch {
		case w.stopped:
			return 0
		case !e.IsDir():
			w.stray(e)
		case year.known == yearKnown:
			w.addMonths(dir, year, w.survey(e.path, true))
		case mayBeYear && month.known == monthKnown:
			months.add(month.parts[1])
		default:
			w.survey(e.path, false)
		}
	}
	return months
}

// sameMonth yields the files of the directories of one month by hour and path. It reads each
// directory when its turn comes.
func (w *walker) sameMonth(months []month) {
	start := months[0].at.hour()
	if !w.mayHave(start, start.AddDate(0, 1, 0)) {
		return
	}
	days, hours := make([]set, len(months)), make([]set, len(months))
	for i, m := range months {
		if days[i] = m.days; m.days == 0 {
			days[i] = w.list(m.dir, m.at)
		}
	}
	for day := start; day.Month() == start.Month() && !w.stopped; day = day.AddDate(0, 0, 1) {
		if !w.mayHave(day, day.AddDate(0, 0, 1)) {
			continue
		}
		for i, m := range months {
			if hours[i] = 0; days[i].has(day.Day()) {
				name := day.Format("02")
				hours[i] = w.list(path.Join(m.dir, name), m.at.then(name))
			}
		}
		for at := day; at.Day() == day.Day(); at = at.Add(time.Hour) {
			for i, m := range months {
				if hours[i].has(at.Hour()) && w.mayHave(at, at.Add(time.Hour)) {
					w.dir(path.Join(m.dir, at.Format("02/15")))
				}
			}
		}
	}
}

// mayHave reports whether a part of the time may have files to be yielded.
func (w *walker) mayHave(start, end time.Time) bool {
	return w.inRange(start, end) && (w.afterHour.IsZero() || end.After(w.afterHour))
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
