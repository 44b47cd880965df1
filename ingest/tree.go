package ingest

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A month is a directory MM in a directory YYYY.
type month struct {
	dir string
	at  time.Time
	day int // that is to be read, of a root that is a day; 0 for all
}

// byHour yields the files below root by hour and path. It finds the months of all trees first. Then
// it reads the months of all trees with the same year and month together.
func (w *walker) byHour(root string) {
	if _, ok := HourOf(root + "/x"); ok {
		w.dir(root)
		return
	}
	dirs := strings.Split(root, "/")
	last := func(n int) (time.Time, bool) {
		if len(dirs) < n {
			return time.Time{}, false
		}

		return parseDate(strings.Join(dirs[len(dirs)-n:], "/"))
	}
	if day, ok := last(3); ok {
		w.months = []month{{path.Dir(root), day.AddDate(0, 0, 1-day.Day()), day.Day()}}
	} else if at, ok := last(2); ok {
		w.months = []month{{dir: root, at: at}}
	} else if _, ok := last(1); ok {
		w.survey(root, dirs[len(dirs)-1])
	} else {
		w.survey(root, "")
	}

	slices.SortFunc(w.months, func(a, b month) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.dir+"/", b.dir+"/"))
	})
	for len(w.months) > 0 && !w.stopped {
		n := 1
		for n < len(w.months) && w.months[n].at.Equal(w.months[0].at) {
			n++
		}
		w.sameMonth(w.months[:n])
		w.months = w.months[n:]
	}
}

// survey adds the months below a directory that is not a part of an hour, or that may be a year.
func (w *walker) survey(dir, year string) {
	for _, e := range w.readDir(dir) {
		name := e.Name()
		at, isMonth := parseDate(year + "/" + name)
		switch _, isYear := parseDate(name); {
		case w.stopped:
			return
		case !e.IsDir():
			w.stray(e)
		case isYear:
			w.survey(e.path, name)
		case isMonth:
			w.months = append(w.months, month{dir: e.path, at: at})
		default:
			w.survey(e.path, "")
		}
	}
}

// sameMonth yields the files of the directories of one month by hour and path. It reads each
// directory when its turn comes.
func (w *walker) sameMonth(months []month) {
	start := months[0].at
	if !w.mayHave(start, start.AddDate(0, 1, 0)) {
		return
	}
	days, hours := make([]map[int]bool, len(months)), make([]map[int]bool, len(months))
	for i, m := range months {
		if m.day > 0 {
			days[i] = map[int]bool{m.day: true}
		} else {
			days[i] = w.list(m.dir, start.Format("2006/01"))
		}
	}

	for day := start; day.Month() == start.Month() && !w.stopped; day = day.AddDate(0, 0, 1) {
		if !w.mayHave(day, day.AddDate(0, 0, 1)) {
			continue
		}
		for i, m := range months {
			if hours[i] = nil; days[i][day.Day()] {
				hours[i] = w.list(path.Join(m.dir, day.Format("02")), day.Format("2006/01/02"))
			}
		}

		for at := day; at.Day() == day.Day(); at = at.Add(time.Hour) {
			for i, m := range months {
				if hours[i][at.Hour()] && w.mayHave(at, at.Add(time.Hour)) {
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
func (w *walker) list(dir, date string) map[int]bool {
	found := map[int]bool{}
	for _, e := range w.readDir(dir) {
		at, ok := parseDate(date + "/" + e.Name())
		isDay := len(date) == len("2006/01")
		switch {
		case !e.IsDir():
			w.stray(e)
		case ok && isDay:
			found[at.Day()] = true
		case ok:
			found[at.Hour()] = true
		case isDay:
			w.misfit(e.path, "the directory is not a day of the month: to read it, walk it as a root of its own")
		default:
			w.misfit(e.path, "the directory is not an hour: to read it, walk it as a root of its own")
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
