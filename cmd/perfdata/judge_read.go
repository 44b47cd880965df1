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

// sets returns the arguments before and after the --, with the files in folders in their place.
// Without the --, two arguments are two sets. If there is no second set, it is nil. It reads the
// list of --commits.
func (j *judge) sets(cmd *cobra.Command, args []string) (old, new []string, err error) {
	if j.answer.List, err = j.readList(j.commits); err != nil {
		return nil, nil, err
	}
	j.readsFolders, j.readsOnce, j.prints = true, true, true
	n := len(args)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		n = dash
	} else if n == 2 {
		n = 1
	}
	for _, name := range args[n:] {
		if cmd.ArgsLenAtDash() >= 0 && len(name) > 1 && name[0] == '-' {
			return nil, nil, fmt.Errorf("%s is after the --, where only files are: want flags before it", name)
		}
	}

	j.setRepeated(args)
	if old, new = args[:n], args[n:]; j.recursive {
		for _, name := range old {
			j.walkArgument(name)
		}
		n = len(j.walk.files)
		for _, name := range new {
			j.walkArgument(name)
		}
		old, new = j.walk.files[:n:n], j.walk.files[n:]
	}
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

// ask asks files and stores a question, for a side of the answer. Faults of files are kept as
// unjudged.
func (j *judge) ask(side int, q *series.Question, names []string) error {
	return j.eachSource(names, func(name string, s series.Source) error {
		if err := j.answer.Ask(context.Background(), side, q, s); err != nil {
			return fmt.Errorf("%s: %w", inputName(name), err)
		}
		return nil
	})
}

// eachSource calls do with each input. Files that others of them name already, as with -r a folder
// and a file in it, are left out: values that are read twice would make differences surer than
// they are. Copies of a file are other files.
func (j *judge) eachSource(names []string, do func(name string, s series.Source) error) error {
	a := &j.answer
	a.Charset, a.Promote = j.charset, j.by
	if a.NotIdentity == nil {
		a.NotIdentity = slices.DeleteFunc(append([]string{"commit", "commit-time", "date"}, j.ignored...),
			func(key string) bool { return slices.Contains(j.by, key) })
	}

	seen := make(map[int64][]fs.FileInfo) // by size
	for _, name := range names {
		info, err := os.Stat(name)
		if name != "-" && err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			size := info.Size()
			if slices.ContainsFunc(seen[size], func(old fs.FileInfo) bool { return os.SameFile(old, info) }) {
				j.note("%s: it is given twice, and is read once", name)
				continue
			}
			seen[size] = append(seen[size], info)
		}

		j.sources++
		if err := do(name, source{j, name, j.sources - 1}); err != nil {
			return err
		}
	}
	return nil
}

// A source is a file, a folder that is read as one, or a store.
type source struct {
	*judge
	name   string
	number int // among all inputs of the command
}

// Ask reads a file, or looks up the rows of a store. A fault of a file is not an error: it is kept
// as unjudged, and is part of the exit status if it is of I/O, or nothing was read before it.
func (s source) Ask(ctx context.Context, q *series.Question, to *series.Answer) error {
	if isStore(s.name) {
		return s.askStore(ctx, q, to)
	}
	if q.Trial != (series.Trial{}) {
		if _, err := os.Stat(s.name); err != nil && s.name != "-" {
			return errors.Unwrap(err) // the caller names the file
		}
		return errors.New("--trial wants a database")
	}

	var fault, failure error // of the file, and of the answer
	found := false
	err := s.withInput(s.number, s.name, func(in *input) error {
		if s.begin != nil {
			s.begin()
		}
		to.Begin(in.name)
		if in.info.IsHistory {
			to.History()
		}

		for rec, err := range s.records(in) {
			switch {
			case err == nil:
				found = true
				if err = to.Add(rec, -1); err != nil && !errors.Is(err, series.ErrNoIdentity) {
					failure = err
					return nil
				}
			case severityOf(err) != format.Recoverable:
				fault = err
			}

			if err != nil {
				s.skip(in.name, err)
			}
		}
		return nil
	})
	if err != nil {
		s.skip(inputName(s.name), err)
		fault, found = err, false
	}
	if fault != nil && failure == nil && (statusOf(fault) == statusFailed || !found) {
		s.status = max(s.status, statusOf(fault))
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
		s.suggest(set)
		s.matched = s.matched || to.Asked() > values
		return nil
	})
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

// skipUndecided skips benchmarks none of whose statistics is judged.
func (j *judge) skipUndecided(undecided []*series.Series) {
	for _, s := range undecided {
		id := slices.DeleteFunc(s.Identity.Clone(), func(p traceid.Param) bool { return p.Key == "stat" }).ID()
		const reason = "it has several statistics, and neither median nor mean: choose by --match"
		j.skips.Add(judging.Skip{Trace: id, Reason: reason})
	}
}

// reportUnread prints the inputs that could not be read, before any conclusion, on standard
// error.
func (j *judge) reportUnread() {
	for _, line := range judging.Shown(j.skips.Lines(true, false)) {
		fmt.Fprintf(j.stderr, "perfdata: cannot be judged: %s\n", chars.Visible(line))
	}
}

// checkKeys reports keys of flags that no series has, with a similar key that exists.
func (j *judge) checkKeys(all []*series.Series) {
	var named namedKeys
	named.add("by", j.by)
	named.add("promote", j.reading.opener.Promote)
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
	named.attrs.Absent = nil // the keys of --promote are params of series
	j.reportKeys(&named)
}

// checkList reports a list of commits that has none of the measured commits, and notes a list
// that can order none.
func (j *judge) checkList() {
	a := &j.answer
	i := slices.IndexFunc(a.Commits, func(c series.Commit) bool { return c.Hash != "" })
	switch {
	case a.List == nil || a.Order.By == "list":
	case i >= 0:
		j.report(fmt.Errorf("--commits %s: it has none of the commits of the results, such as %s: want their hashes, "+
			"or names", j.commits, a.Commits[i].Hash))
	case len(a.Commits) > 1:
		j.note("--commits %s: no measurement names its commit, so the list orders none; store ingest --commit names it",
			j.commits)
	}
}
