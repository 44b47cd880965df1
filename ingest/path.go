package ingest

import (
	"fmt"
	"strings"
	"time"
)

// MakePath returns the path at which to store a file that was written at the given time, so that
// Skia Perf ingests it:
//
//	gs://<bucket>/<one or more directories>/YYYY/MM/DD/HH/<zero or more directories>/<unique name>.json
//
// The dir is the bucket and the directories before the hour, which is in UTC. The name is that of
// the file, and may have directories; it must end in .json.
//
// Every file below HH whose name ends in .json is ingested. If two files have the same measurement,
// that of the file with the later hour is used. The rest of the path has no meaning. (The Skia Perf
// Format, "Storage".)
func MakePath(dir string, written time.Time, name string) (string, error) {
	hour := written.UTC().Truncate(time.Hour)
	if year := hour.Year(); year < 0 || year > 9999 {
		return "", fmt.Errorf("storage path: year %d does not have four digits", year)
	}

	// ParsePath must return the same: no part is empty or looks like another.
	path := "gs://" + dir + "/" + hour.Format(hourLayout) + "/" + name
	parsedDir, parsedHour, parsedName, err := ParsePath(path)
	if err != nil {
		return "", err
	}
	if parsedDir != dir || parsedName != name {
		return "", fmt.Errorf("storage path %s: it would be parsed as hour %s", path, parsedHour.Format(hourLayout))
	}
	return path, nil
}

// ParsePath parses the path of a stored file, including the bucket: see [MakePath]. It may begin
// with gs://. The hour is the first four directories that can be one.
func ParsePath(path string) (dir string, hour time.Time, name string, err error) {
	fail := func(why string) (string, time.Time, string, error) {
		return "", time.Time{}, "", fmt.Errorf("storage path %s: %s", path, why)
	}
	parts := strings.Split(strings.TrimPrefix(path, "gs://"), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return fail(fmt.Sprintf("%q cannot be the name of a directory or file", part))
		}
	}
	if !strings.HasSuffix(path, ".json") || parts[len(parts)-1] == ".json" {
		return fail("its name does not end in .json")
	}

	var dirs date
	for i := 2; i+1 < len(parts); i++ {
		dirs = dirs.then(parts[i])
		if dirs.known == hourKnown {
			return strings.Join(parts[:i-3], "/"), dirs.hour(), strings.Join(parts[i+1:], "/"), nil
		}
	}
	return fail("no directories YYYY/MM/DD/HH after a bucket and one or more directories")
}

// HourOf returns the hour that the directories of a path name: the first four that can be
// YYYY/MM/DD/HH. Unlike [ParsePath], it does not need a bucket, or another directory before the
// hour, and accepts any file name after it. It returns false if the path has no hour.
func HourOf(path string) (time.Time, bool) {
	var dirs date
	for dir, rest, ok := strings.Cut(path, "/"); ok; dir, rest, ok = strings.Cut(rest, "/") {
		if dirs = dirs.then(dir); dirs.known == hourKnown {
			return dirs.hour(), rest != ""
		}
	}
	return time.Time{}, false
}

const hourLayout = "2006/01/02/15"

// A date is the part of an hour that the last directories of a path name. Only a year has four
// digits, so a directory that does not continue a date can begin another, and no two dates overlap.
type date struct {
	known int // how many of these are known
	parts [hourKnown]int
}

// How much of a date is known.
const (
	nothingKnown = iota
	yearKnown
	monthKnown
	dayKnown
	hourKnown
)

// then returns the date after one more directory.
func (d date) then(dir string) date {
	low, high, digits := 0, 9999, 4
	switch d.known {
	case yearKnown:
		low, high, digits = 1, 12, 2
	case monthKnown:
		low, high, digits = 1, daysIn(d.parts[0], d.parts[1]), 2
	case dayKnown:
		low, high, digits = 0, 23, 2
	}
	if n, ok := number(dir, digits); ok && d.known < hourKnown && low <= n && n <= high {
		d.parts[d.known] = n
		d.known++
		return d
	}
	if d.known == nothingKnown {
		return d
	}
	return date{}.then(dir)
}

// hour returns the hour in UTC. Unknown parts are the first of the year, month or
// day.
func (d date) hour() time.Time {
	return time.Date(d.parts[0], time.Month(max(1, d.parts[1])), max(1, d.parts[2]), d.parts[3], 0, 0, 0, time.UTC)
}

// number returns the number that a text of the given number of digits is.
func number(text string, digits int) (n int, ok bool) {
	if len(text) != digits {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
