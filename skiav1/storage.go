package skiav1

import (
	"fmt"
	"strings"
	"time"
)

// A StoragePath is where a file is stored for Skia Perf to ingest it:
//
//	gs://<bucket>/<one or more directories>/YYYY/MM/DD/HH/<zero or more directories>/<unique name>.json
//
// All below HH that ends in .json is ingested. Where two files measure the same, the one with the later hour counts.
// Nothing else of the path has a meaning. (Skia Perf Format, "Storage".)
type StoragePath struct {
	Bucket string    // without a scheme
	Dir    string    // what is between the bucket and the hour; at least one directory
	Hour   time.Time // when the file was written: a full hour, in UTC
	Name   string    // what is below the hour: perhaps directories, and the file's name, which ends in .json
}

// MakePath returns where a file written at the given time is to be stored: the path of its hour in UTC. Dir is one
// or more directories; name is the file's name, perhaps with directories, and must end in .json.
func MakePath(bucket, dir string, written time.Time, name string) (StoragePath, error) {
	p := StoragePath{Bucket: bucket, Dir: dir, Hour: written.UTC().Truncate(time.Hour), Name: name}
	if year := p.Hour.Year(); year < 0 || year > 9999 {
		return StoragePath{}, fmt.Errorf("storage path: year %d doesn't have four digits", year)
	}
	// What Parse makes of it must be the same: no part is empty or looks like another.
	back, err := ParsePath(p.String())
	if err != nil {
		return StoragePath{}, err
	}
	if back != p {
		return StoragePath{}, fmt.Errorf("storage path %s: it would be taken for one of hour %s", p, back.Hour.Format(hourLayout))
	}
	return p, nil
}

// ParsePath parses the path of a stored file, including the bucket. It may begin with gs://. The hour is the first
// four directories that can be one.
func ParsePath(path string) (StoragePath, error) {
	fail := func(why string) (StoragePath, error) {
		return StoragePath{}, fmt.Errorf("storage path %s: %s", path, why)
	}
	parts := strings.Split(strings.TrimPrefix(path, "gs://"), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return fail(fmt.Sprintf("%q can't be the name of a directory or file", part))
		}
	}
	if !strings.HasSuffix(path, ".json") || parts[len(parts)-1] == ".json" {
		return fail("its name doesn't end in .json")
	}
	for i := 2; i+4 < len(parts); i++ {
		if hour, ok := parseHour(parts[i : i+4]); ok {
			return StoragePath{
				Bucket: parts[0],
				Dir:    strings.Join(parts[1:i], "/"),
				Hour:   hour,
				Name:   strings.Join(parts[i+4:], "/"),
			}, nil
		}
	}
	return fail("no directories YYYY/MM/DD/HH after a bucket and one or more directories")
}

const hourLayout = "2006/01/02/15"

// parseHour returns the time that the directories year, month, day and hour mean.
func parseHour(parts []string) (time.Time, bool) {
	text := strings.Join(parts, "/")
	if len(text) != len(hourLayout) {
		return time.Time{}, false // time.Parse would take an hour of one digit
	}
	hour, err := time.Parse(hourLayout, text)
	return hour, err == nil
}

// String returns the path, with gs:// before it.
func (p StoragePath) String() string {
	return "gs://" + strings.Join([]string{p.Bucket, p.Dir, p.Hour.Format(hourLayout), p.Name}, "/")
}
