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

// This file has how the commands that judge read their inputs: files, folders and databases.

// sets returns the arguments before and after the --, with the files in folders in their place.
// Without the --, two arguments are two sets. If there is no second set, it is nil. It reads the
// list of --commits.
func (j *judge) sets(cmd *cobra.Command, args []string) (old, new []string, err error) {
	if j.answer.List, err = j.readList(j.commits); err != nil {
		return nil, nil, err
	}
	// Inputs are read once, in their order, so a pipe needs no copy. Nothing is printed until all
	// are read, so a progress bar disturbs no output.
	j.readsFolders, j.readsOnce, j.prints = true, true, true
	n := len(args)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		n = dash
	} else if n == 2 {
		n = 1
	}
	// Cobra passes on all arguments after the -- as they are. Without this check, the error about a
	// flag there would be one about a file that does not exist.
	for _, name := range args[n:] {
		if cmd.ArgsLenAtDash() >= 0 && len(name) > 1 && name[0] == '-' {
			return nil, nil, fmt.Errorf("%s is after the --, where only files are: want flags before it", name)
		}
	}

	// A pipe on both sides has to be copied when it is read for the first of them, so repetitions
	// are looked for among all arguments.
	j.setRepeated(args)
	if old, new = args[:n], args[n:]; slices.Contains(old, stdinName) && slices.Contains(new, stdinName) {
		return nil, nil, errors.New("- is on both sides: standard input can be read once")
	}
	if j.recursive {
		for _, name := range old {
			j.walkArgument(name)
		}
		// Both sides are in one list, which is split here. The bound on the capacity keeps an
		// append to the old side from overwriting the new one.
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
	// These are the keys that package series leaves out by default. The command drift has set
	// others, and keeps date in the identity. A key of --by is what the user wants to tell apart,
	// so it stays in the identity even if it is date, or a key of --ignore.
	if a.NotIdentity == nil {
		a.NotIdentity = slices.DeleteFunc(append([]string{"commit", "commit-time", "date"}, j.ignored...),
			func(key string) bool { return slices.Contains(j.by, key) })
	}

	// SameFile also finds links, and names such as ./old.txt. Only files of one size are compared,
	// because in a folder of thousands, comparing all pairs would take long.
	seen := make(map[int64][]fs.FileInfo) // by size
	for i, name := range names {
		info, err := os.Stat(name)
		isTwice := false
		switch {
		// Some systems cannot tell pipes apart, as they can files, so that the name decides.
		case name == stdinName || err == nil && !info.Mode().IsRegular() && !info.IsDir():
			isTwice = slices.Index(names, name) < i
		case err == nil:
			size := info.Size()
			isTwice = slices.ContainsFunc(seen[size], func(old fs.FileInfo) bool { return os.SameFile(old, info) })
			seen[size] = append(seen[size], info)
		}
		if isTwice {
			// A command may ask its inputs several questions, and each would repeat the note.
			if !slices.Contains(j.twice, name) {
				j.note("%s: it is given twice, and is read once", name)
				j.twice = append(j.twice, name)
			}
			continue
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
// as unjudged, and is part of the exit status if it is of I/O or a limit that ended the reading, or
// nothing was read before it.
func (s source) Ask(ctx context.Context, q *series.Question, to *series.Answer) error {
	if isStore(s.name) {
		return s.askStore(ctx, q, to)
	}
	// Only a database keeps the values of a trial apart from the mainline. A name that does not
	// exist is likely a misspelled database, so that is said first.
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
			// A record without an identity is a fault of the file, like a line that cannot be read.
			// Other errors of the answer, such as its limit of values, would come again with each
			// later record, so they end the command.
			case err == nil:
				found = true
				if err = to.Add(rec, -1); err != nil && !errors.Is(err, series.ErrNoIdentity) {
					failure = err
					return nil
				}
			// The rest of the file follows a recoverable fault, which therefore is only listed. A
			// fault that ends the reading is kept for the exit status.
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
		// Only opening fails here, as the function above returns no error, so that nothing was
		// read.
		s.skip(inputName(s.name), err)
		fault, found = err, false
	}
	// The records before a fault are judged, unless the machine is the cause: a script repeats a
	// command that exits with 2, and the repetition may read all of the file. After a limit, the rest
	// of the file may be valid, and nobody judged it.
	isLimit := errors.Is(fault, format.ErrLimit)
	if fault != nil && failure == nil && (statusOf(fault) == statusFailed || isLimit || !found) {
		s.status = max(s.status, statusOf(fault))
	}
	return failure
}

// askStore asks a store. The flags about reading files are for the files among the inputs. For a
// store alone they would have no effect, and openStored refuses them.
func (s source) askStore(ctx context.Context, q *series.Question, to *series.Answer) error {
	before := s.reading
	s.reading = reading{charset: before.charset}
	defer func() { s.reading = before }()

	return s.openStored(s.name, func(db *store.Store) error {
		if s.begin != nil {
			s.begin()
		}
		question := *q
		// Records of files are matched while they are read. A store looks rows up by a query, in
		// its own charset, so it gets the queries of --match as the user wrote them.
		question.Queries = slices.Concat(q.Queries, s.given)
		values := to.Asked()
		if err := db.Ask(ctx, &question, to); err != nil || len(s.given) == 0 {
			return err
		}

		// A store does not read the rows that a query leaves out, so their params are not seen on
		// the way. They are looked up for suggestions, and the number of added values says whether
		// the query matched.
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
	// The file and the place become fields, which JSON has as members, so they are taken out of the
	// text. In a folder, the error names the file within it.
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

// skipUndecided skips benchmarks none of whose statistics is judged. The name of each is that of
// the benchmark, without stat, because none of its statistics is at fault.
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
