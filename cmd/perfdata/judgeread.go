package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/store"
	"perfdata/traceid"
)

// sets returns the arguments before and after the --, with the files in folders in their place. Without the --,
// two arguments are two sets. If there is no second set, it is nil. It reads the list of --commits.
func (j *judge) sets(cmd *cobra.Command, args []string) (old, new []string, err error) {
	if err = j.reading.check(); err == nil && j.commits != "" {
		j.answer.List, err = j.readList(j.commits)
	}
	if err != nil {
		return nil, nil, err
	}
	j.readsFolders, j.readsOnce, j.prints = true, true, true
	switch dash := cmd.ArgsLenAtDash(); {
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

	j.setRepeated(args)
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

// once returns names without those of files that others of them name already, as with -r a folder and a
// file in it: values that are read twice would make differences surer than they are. Copies of a file
// are other files.
func (j *judge) once(names []string) []string {
	seen := make(map[int64][]fs.FileInfo) // by size
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() && !info.IsDir() {
			return false
		}
		isSame := slices.ContainsFunc(seen[info.Size()], func(old fs.FileInfo) bool { return os.SameFile(old, info) })
		if isSame {
			j.note("%s: it is given twice, and is read once", name)
		}
		seen[info.Size()] = append(seen[info.Size()], info)
		return isSame
	})
}

// ask asks files and stores a question, for a side of the answer. Faults of files are kept as unjudged.
func (j *judge) ask(side int, q *series.Question, names []string) error {
	j.prepare()
	for _, name := range j.once(names) {
		if err := j.answer.Ask(context.Background(), side, q, j.source(name)); err != nil {
			return fmt.Errorf("%s: %w", inputName(name), err)
		}
	}
	return nil
}

// prepare tells the answer what is not part of the identity.
func (j *judge) prepare() {
	a := &j.answer
	if a.NotIdentity != nil {
		return
	}
	a.Charset, a.Promote, a.NotIdentity = j.charset, j.by, []string{}
	for _, key := range append([]string{"commit", "commit-time", "date"}, j.ignored...) {
		if !slices.Contains(j.by, key) {
			a.NotIdentity = append(a.NotIdentity, key)
		}
	}
}

// source returns an input that can be asked.
func (j *judge) source(name string) series.Source {
	j.sources++
	return source{j, name, j.sources - 1}
}

// A source is a file, a folder that is read as one, or a store.
type source struct {
	*judge
	name   string
	number int // among all inputs of the command
}

// Ask reads a file, or looks up the rows of a store. A fault of a file is no error.
func (s source) Ask(ctx context.Context, q *series.Question, to *series.Answer) error {
	if isStore(s.name) {
		return s.askStore(ctx, q, to)
	}
	if q.Trial != (series.Trial{}) {
		return errors.New("--trial wants a database")
	}
	var failure error // of the answer
	found := false
	err := s.withInput(s.number, s.name, func(in *input) error {
		if s.begin != nil {
			s.begin()
		}
		to.Begin(in.name)
		if in.info.IsHistory {
			to.History()
		}
		var fault error
		for rec, err := range s.records(in) {
			if err != nil {
				s.skip(in.name, err)
				if !isRecoverable(err) {
					fault = err
				}
				continue
			}
			found = true
			switch err := to.Add(rec, -1); {
			case errors.Is(err, series.ErrNoIdentity):
				s.skips.Add(judging.Skip{File: in.name, Reason: series.ErrNoIdentity.Error()})
			case err != nil:
				failure = err
				return nil
			}
		}
		s.countFault(fault, found)
		return nil
	})
	if err != nil {
		s.skip(inputName(s.name), err)
		s.countFault(err, false)
	}
	return failure
}

// askStore asks a store. The flags about reading files are for the files among the inputs.
func (s source) askStore(ctx context.Context, q *series.Question, to *series.Answer) error {
	before := s.reading
	s.reading = reading{charset: before.charset}
	defer func() { s.reading = before }()

	return s.openStored(s.name, func(_ string, db *store.Store) error {
		if s.begin != nil {
			s.begin()
		}
		question := *q
		question.Queries = slices.Concat(q.Queries, s.given)
		values := to.Asked()
		if err := db.Ask(ctx, &question, to); err != nil || len(s.given) == 0 {
			return err
		}

		set, err := db.ParamSet(ctx, q.Trial)
		if err != nil {
			return err
		}
		for key, values := range set.All() {
			s.suggest(key, values)
		}
		s.matched = s.matched || to.Asked() > values
		return nil
	})
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

// skip notes an error of an input.
func (j *judge) skip(name string, err error) {
	one := judging.Skip{File: name, Reason: bareMessage(err)}
	if e, ok := errors.AsType[*format.Error](err); ok {
		one.Line, one.Column, one.File = e.Line, e.Column, cmp.Or(e.Name, name)
		if e.Path != "" {
			one.Reason = e.Path + ": " + one.Reason
		}
	} else if _, ok := errors.AsType[*fs.PathError](err); ok {
		one.Reason = strings.TrimPrefix(one.Reason, name+": ")
	}
	j.skips.Add(one)
}

// reportUnread prints what could not be read, before any conclusion, on standard error.
func (j *judge) reportUnread() {
	for _, line := range judging.Shown(j.skips.Lines(true, false)) {
		fmt.Fprintf(j.stderr, "perfdata: cannot be judged: %s\n", chars.Visible(line))
	}
}

// checkKeys reports keys of flags that no series has, with what was likely meant.
func (j *judge) checkKeys(all []*series.Series) {
	var named namedKeys
	named.add("by", j.by)
	named.add("promote", j.reading.promote)
	for _, key := range j.ignored {
		if !j.answer.LeftOut(key) {
			named.add("ignore", []string{key})
		}
	}
	for _, rule := range j.rules {
		for _, term := range j.charset.Query(rule.query).Terms() {
			if term.Required() {
				named.add(rule.flag, []string{term.Key()})
			}
		}
	}
	for _, s := range all {
		named.look(&format.Record{Params: s.Identity})
		if s.Unit != "" {
			named.look(&format.Record{Params: traceid.Of("unit", s.Unit)})
		}
	}
	named.attrs = nil // those of --promote are params of series
	j.reportKeys(&named)
}

// checkList reports a list of commits that has none of those that were measured.
func (j *judge) checkList() {
	a := &j.answer
	i := slices.IndexFunc(a.Commits, func(c series.Commit) bool { return c.Hash != "" })
	if a.List != nil && a.Order.By != "list" && i >= 0 {
		j.report(fmt.Errorf("--commits %s: it has none of the commits of the results, such as %s: want their hashes, "+
			"or names", j.commits, a.Commits[i].Hash))
	}
}
