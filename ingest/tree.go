package ingest

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A period is the directory of a month, a day or an hour.
type period struct {
	dir  string
	date string // a beginning of YYYY/MM/DD/HH
}

// later orders periods: the last one first. A month comes before its days, and these before their
// hours.
func (p period) later(other period) int {
	return cmp.Or(strings.Compare(other.date, p.date), strings.Compare(other.dir+"/", p.dir+"/"))
}

// byHour yields the files below root by hour and path. It finds the months of all trees first. Then
// it reads each directory when its turn comes.
func (w *walker) byHour(root string) {
	if _, ok := HourOf(root + "/x"); ok {
		w.dir(root)
		return
	}
	dirs := strings.Split(root, "/")
	for n := min(3, len(dirs)); n >= 0; n-- {
		date := strings.Join(dirs[len(dirs)-n:], "/")
		_, ok := parseDate(date)
		if ok && n > 1 {
			w.periods = append(w.periods, period{root, date})
		} else if ok || n == 0 {
			w.survey(root, date)
		}
		if ok {
			break
		}
	}

	slices.SortFunc(w.periods, period.later)
	for len(w.periods) > 0 && !w.stopped {
		last := len(w.periods) - 1
		next := w.periods[last]
		w.periods = w.periods[:last]
		w.period(next)
	}
}

// survey adds the months below a directory that is not a part of an hour, or that may be a year.
func (w *walker) survey(dir, year string) {
	for _, e := range w.readDir(dir) {
		date := year + "/" + e.Name()
		_, isYear := parseDate(e.Name())
		_, isMonth := parseDate(date)
		switch {
		case w.stopped:
			return
		case !e.IsDir():
			w.stray(e)
		case isYear:
			w.survey(e.path, e.Name())
		case isMonth:
			w.periods = append(w.periods, period{e.path, date})
		default:
			w.survey(e.path, "")
		}
	}
}

// period yields the files of an hour, or adds the days of a month or the hours of a day.
func (w *walker) period(p period) {
	start, _ := parseDate(p.date)
	end := start.Add(time.Hour)
	misfit := layoutError("the directory is not an hour: to read it, walk it as a root of its own")
	switch len(p.date) {
	case len("2006/01"):
		end = start.AddDate(0, 1, 0)
		misfit = "the directory is not a day of the month: to read it, walk it as a root of its own"
	case len("2006/01/02"):
		end = start.AddDate(0, 0, 1)
	}
	switch {
	case !w.inRange(start, end) || !w.afterHour.IsZero() && !end.After(w.afterHour):
		return
	case len(p.date) == len(hourLayout):
		w.dir(p.dir)
		return
	}

	for _, e := range w.readDir(p.dir) {
		at := period{e.path, p.date + "/" + e.Name()}
		if _, ok := parseDate(at.date); !e.IsDir() {
			w.stray(e)
		} else if !ok {
			w.misfit(e.path, misfit)
		} else {
			i, _ := slices.BinarySearchFunc(w.periods, at, period.later)
			w.periods = slices.Insert(w.periods, i, at)
		}
	}
}

// stray yields an error about a file outside of the directories of hours.
func (w *walker) stray(e entry) {
	if e.Type()&fs.ModeSymlink != 0 {
		w.misfit(e.path, "symbolic link above the files of an hour is not followed")
	} else {
		w.misfit(e.path, noHour)
	}
}
