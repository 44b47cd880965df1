package job

import (
	"io/fs"

	"perfdata/format"
	"perfdata/internal/opening"
)

// Format returns the format of a job's results folder, for programs that read several: its Reader
// is a [*Reader]. Its DetectDir reports whether a folder is the results folder of a job: whether it
// has a status log with a status line in its first 64 KiB, or an empty one beside an
// .autoserv_execute. It returns the error of a file that exists and cannot be read.
func Format() format.Format {
	return format.Format{
		Name:        "keyval job",
		Title:       "Autotest job folder",
		Holds:       "the tests of a job, with their keyvals, and the job's attributes",
		DetectDir:   detect,
		TakesParams: true,
		OpenDir: func(fsys fs.FS, dir string, o format.Options) format.Reader {
			r := NewReader(fsys, dir)
			r.Name, r.Limits, r.Params = o.Name, o.Limits, o.Params
			if err := opening.Configure(Format, r, o); err != nil {
				return opening.Refuse(err)
			}
			return r
		},
	}
}
