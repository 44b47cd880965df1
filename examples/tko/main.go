// Command tko stores the results folder of an Autotest job in a results database, as Autotest's TKO
// parser does, and prints the job's performance values from the view tko_perf_view_2.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"perfdata"
	"perfdata/format"
	"perfdata/keyval/job"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 1 if a file of the job has a fault, 2 if nothing was stored.
func run(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("tko", flag.ContinueOnError)
	flags.SetOutput(errOut)
	database := flags.String("db", "tko.db", "a SQLite file, or a postgres:// URL")
	tag := flags.String("tag", "", "the name of the job in the database (default the folder's name)")
	flags.Usage = func() {
		fmt.Fprintln(errOut, "usage: tko [-db FILE|URL] [-tag TAG] FOLDER")
		flags.PrintDefaults()
	}

	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return 2
	}

	faults, err := storeAndPrint(context.Background(), *database, *tag, flags.Arg(0), out)
	for _, e := range faults {
		fmt.Fprintln(errOut, e)
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 2
	}
	if len(faults) > 0 {
		return 1
	}
	return 0
}

// storeAndPrint stores the job and prints its values. It returns the faults in files of the job.
func storeAndPrint(ctx context.Context, database, tag, folder string, out io.Writer) ([]*format.Error, error) {
	if tag == "" {
		path, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		tag = filepath.Base(path)
	}

	file, err := perfdata.Open(folder) // a link in the folder cannot lead out of it
	if err != nil {
		return nil, fmt.Errorf("opening a job's results folder: %w", err)
	}
	defer file.Close()
	results, ok := file.Reader.(*job.Reader)
	if !ok {
		return nil, fmt.Errorf("%s is not the results folder of an Autotest job", folder)
	}

	db, err := openDatabase(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	faults, err := storeJob(ctx, db, tag, results)
	if err != nil {
		err = fmt.Errorf("storing job %q: %w", tag, err)
	} else {
		err = printValues(ctx, db, tag, out)
	}
	return faults, errors.Join(err, db.Close())
}
