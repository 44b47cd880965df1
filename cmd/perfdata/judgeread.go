package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	"perfdata/store"
	"perfdata/traceid"
)

// addJudgeReadingFlags adds the flags about the inputs of a command that judges.
func (t *tool) addJudgeReadingFlags(cmd *cobra.Command) {
	t.addMatchFlag(cmd)
	t.addCharsetFlag(cmd)
	t.addOutputFlag(cmd)
	t.addOpenerFlags(cmd)
	cmd.Flags().BoolVarP(&t.recursive, "recursive", "r", false,
		"read the files in folders, except hidden files, and files whose names and contents are of no known format")
}

// sets returns the arguments before and after the --, with the files in folders in their place.
// Without the --, two arguments are two sets. If there is no second set, it is nil.
func (j *judge) sets(cmd *cobra.Command, args []string) (old, new []string, err error) {
	if err := j.reading.check(); err != nil {
		return nil, nil, err
	}
	j.readsFolders, j.readsOnce = true, true
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash >= 0:
		for _, name := range args[dash:] {
			if len(name) > 1 && name[0] == '-' {
				return nil, nil, fmt.Errorf("%s is after the --, where only files are: want flags before it", name)
			}
		}
		old, new = args[:dash], args[dash:]
	case len(args) == 2:
		old, new = args[:1], args[1:]
	default:
		old = args
	}

	j.repeated = make(map[string]bool)
	seen := make(map[string]bool)
	for _, name := range args {
		j.repeated[name] = seen[name]
		seen[name] = true
	}
	old, new = j.walked(old), j.walked(new)
	j.reportWalk()
	return old, new, nil
}

// noteSame notes files that are on both sides, which is likely a mistake.
func (j *judge) noteSame(old, new []string) {
	for _, name := range old {
		if slices.Contains(new, name) {
			j.note("%s: it is on both sides", name)
		}
	}
}

// walked returns files, with the files in folders in their place if -r is set.
func (j *judge) walked(names []string) []string {
	if !j.recursive {
		return names
	}
	j.walk.files = nil
	for _, name := range names {
		j.walkArgument(name)
	}
	return j.walk.files
}

// A source is an input of points: a file, a folder that is read as one, or a store.
type sourceInfo struct {
	name      string
	number    int  // from 0, among all inputs of the command
	isHistory bool // as format.Format says
	isStore   bool
}

// once returns names without those of files that others of them name already, as with -r a folder and a
// file in it: values that are read twice would make differences surer than they are. Copies of a file
// are other files.
func (j *judge) once(names []string) []string {
	type like struct { // what the names of a file have in common
		size int64
		time int64
	}
	seen := make(map[like][]fs.FileInfo)
	var kept []string
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() && !info.IsDir() {
			kept = append(kept, name)
			continue
		}
		key := like{info.Size(), info.ModTime().UnixNano()}
		if slices.ContainsFunc(seen[key], func(old fs.FileInfo) bool { return os.SameFile(old, info) }) {
			j.note("%s: it is given twice, and is read once", name)
			continue
		}
		seen[key] = append(seen[key], info)
		kept = append(kept, name)
	}
	return kept
}

// read calls do with the points of files and stores that match. Faults are kept as unjudged. It
// returns the error of do, and of a store.
func (j *judge) read(names []string, do func(*series.Point, *sourceInfo) error) error {
	placer := j.newPlacer()
	for _, name := range j.once(names) {
		info := &sourceInfo{name: inputName(name), number: j.sources}
		j.sources++
		var err error
		if isStore(name) {
			info.isStore = true
			err = j.readStore(name, info, do)
		} else {
			err = j.readFile(name, info, placer, do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newPlacer returns a Placer for which the keys of --by are part of the identity.
func (j *judge) newPlacer() *series.Placer {
	p := &series.Placer{Charset: j.charset, Limits: j.limits}
	for _, key := range j.notIdentity {
		if !slices.Contains(j.by, key) {
			p.NotIdentity = append(p.NotIdentity, key)
		}
	}
	return p
}

// place returns the point of a record. If the command needs no traces, it is without one.
func (j *judge) place(placer *series.Placer, rec *format.Record) (*series.Point, error) {
	if !j.withoutIDs {
		return placer.Place(rec)
	}
	at := placer.Identify(rec)
	if len(at.Identity) == 0 {
		return nil, series.ErrNoIdentity
	}
	return at, nil
}

// readFile reads a file. A fault of the file is no error.
func (j *judge) readFile(
	name string, info *sourceInfo, placer *series.Placer, do func(*series.Point, *sourceInfo) error,
) error {
	promote := j.reading.promote
	j.reading.promote = slices.Concat(promote, j.by)
	defer func() { j.reading.promote = promote }()

	var failure error // of do
	found := false
	err := j.withInput(info.number, name, func(in *input) error {
		info.isHistory = in.info.IsHistory
		if j.begin != nil {
			j.begin(info)
		}
		var fault error
		for rec, err := range j.records(in) {
			if err != nil {
				j.leaveOutError(in.name, err)
				if !isRecoverable(err) {
					fault = err
				}
				continue
			}
			found = true
			at, err := j.place(placer, rec)
			if err != nil {
				j.leaveOut(unjudged{File: in.name, Reason: shown(err)})
				continue
			}
			if failure = do(at, info); failure != nil {
				return nil
			}
		}
		j.countFault(fault, found)
		return nil
	})
	if err != nil {
		j.leaveOutError(info.name, err)
		j.countFault(err, false)
	}
	return failure
}

// countFault makes the error that ended the reading of an input part of the exit status: an I/O error,
// or one before anything was read.
func (j *judge) countFault(err error, found bool) {
	if err == nil {
		return
	}
	if status := statusOf(err); status == statusFailed || !found {
		j.status = max(j.status, status)
	}
}

// leaveOutError notes an error of an input.
func (j *judge) leaveOutError(name string, err error) {
	u := unjudged{File: name, Reason: bareMessage(err)}
	if e, ok := errors.AsType[*format.Error](err); ok {
		u.Line, u.Column = e.Line, e.Column
		if e.Name != "" {
			u.File = e.Name
		}
		if e.Path != "" {
			u.Reason = e.Path + ": " + u.Reason
		}
	} else if _, ok := errors.AsType[*fs.PathError](err); ok {
		u.Reason = strings.TrimPrefix(u.Reason, name+": ")
	}
	j.leaveOut(u)
}

// readStore reads the mainline of a store. The flags about reading files are for the files among the
// inputs.
func (j *judge) readStore(name string, info *sourceInfo, do func(*series.Point, *sourceInfo) error) error {
	before := j.reading
	j.reading = reading{charset: before.charset}
	defer func() { j.reading = before }()

	return j.openStored(name, func(_ string, s *store.Store) error {
		if j.begin != nil {
			j.begin(info)
		}
		placer := j.newPlacer()
		var promoted promoter
		for m, err := range j.matching(s.Measurements(context.Background(), nil, store.Range{})) {
			if err != nil {
				return err
			}
			at, err := j.place(placer, promoted.promote(&m.Record, j.by))
			if err != nil {
				j.leaveOut(unjudged{File: info.name, Trace: m.Trace, Reason: shown(err)})
				continue
			}
			if err := do(at, info); err != nil {
				return err
			}
		}
		return nil
	})
}

// readTrials calls do with the points of a trial in stores that match.
func (j *judge) readTrials(names []string, trial store.Trial, do func(*series.Point, *sourceInfo) error) error {
	for _, name := range names {
		if !isStore(name) {
			return fmt.Errorf("%s: --trial wants a database", name)
		}
		info := &sourceInfo{name: name, number: j.sources, isStore: true}
		j.sources++
		j.reading = reading{charset: j.reading.charset}
		err := j.openStored(name, func(_ string, s *store.Store) error {
			placer := j.newPlacer()
			var promoted promoter
			for m, err := range j.matching(s.Measurements(context.Background(), nil, store.Range{Trial: trial})) {
				if err != nil {
					return err
				}
				at, err := j.place(placer, promoted.promote(&m.Record, j.by))
				if err != nil {
					return err
				}
				if err := do(at, info); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// A promoter makes attrs of records of a store params, as the option Promote does for files.
type promoter struct {
	rec    format.Record
	attrs  traceid.Params
	params traceid.Params
}

// promote returns a record that has the attrs with the keys as params. The next call overwrites it.
func (p *promoter) promote(rec *format.Record, keys []string) *format.Record {
	p.attrs = p.attrs[:0]
	for _, attr := range rec.Attrs {
		if slices.Contains(keys, attr.Key) {
			p.attrs = append(p.attrs, attr)
		}
	}
	if len(p.attrs) == 0 {
		return rec
	}
	p.rec = *rec
	p.params = traceid.AppendMerge(p.params[:0], p.attrs, rec.Params) // a param wins
	p.rec.Params = p.params
	return &p.rec
}

// unjudgedText returns a line about something that could not be judged.
func (u *unjudged) String() string {
	text := u.Reason
	if u.Trace != "" {
		text = u.Trace + ": " + text
	}
	switch {
	case u.File != "" && u.Line > 0:
		text = fmt.Sprintf("%s:%d:%d: %s", u.File, u.Line, u.Column, text)
	case u.File != "":
		text = u.File + ": " + text
	}
	return text
}
