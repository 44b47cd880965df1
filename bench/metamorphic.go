package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"perfdata/bench/metamorphic"
	"perfdata/perfdatatest"
)

// blockSize is the number of documents that a Tester reads one after the other. A failure depends on
// the earlier documents of its block only.
const blockSize = 500

// proof counts what was read in the documents of one format.
type proof struct {
	documents, reads int
	failures         []error
}

// maxFailures is the number of failures of a format that are printed.
const maxFailures = 10

// printMetamorphic reads generated documents of the formats, or of one format, in ways that must not
// matter, until it has read that often or is interrupted. It prints how many documents and reads
// there were, and the failures with their seeds. The first document has the seed first.
func printMetamorphic(out io.Writer, format string, reads int, first uint64) error {
	debug.SetGCPercent(400) // each reading is by a new Reader, and little memory is in use
	var names []string
	for _, name := range perfdatatest.Formats() {
		if format == "" || name == format {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("unknown format %q", format)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var mu sync.Mutex
	proofs := make([]proof, len(names))

	next, done := 0, 0 // blocks that were begun, and reads of completed blocks
	started, reported := time.Now(), time.Now()
	work := func() {
		for {
			mu.Lock()
			block := next
			next++
			enough := done >= reads || ctx.Err() != nil
			mu.Unlock()
			if enough {
				return
			}

			i := block % len(names)
			p := readBlock(names[i], first+uint64(block/len(names)*blockSize))

			mu.Lock()
			proofs[i].documents += p.documents
			proofs[i].reads += p.reads
			proofs[i].failures = append(proofs[i].failures, p.failures...)
			done += p.reads
			if time.Since(reported) > 10*time.Second {
				reported = time.Now()
				fmt.Fprintf(os.Stderr, "%d reads after %.0f s\n", done, time.Since(started).Seconds())
			}
			mu.Unlock()
		}
	}

	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(work)
	}
	workers.Wait()
	return printProofs(out, names, proofs)
}

// readBlock reads a block of documents. The first one has the seed.
func readBlock(format string, seed uint64) (p proof) {
	t := metamorphic.NewTester()
	for ; p.documents < blockSize; p.documents++ {
		if err := t.Check(metamorphic.Generate(format, seed+uint64(p.documents))); err != nil {
			p.failures = append(p.failures, err)
		}
	}
	p.reads = t.Reads()
	return p
}

// printProofs prints a table of the counts, and the failures.
func printProofs(out io.Writer, names []string, proofs []proof) error {
	fmt.Fprintf(out, "| format | documents | reads | failures |\n| --- | --- | --- | --- |\n")
	var total proof
	for i, p := range proofs {
		fmt.Fprintf(out, "| %s | %d | %d | %d |\n", names[i], p.documents, p.reads, len(p.failures))
		total.documents += p.documents
		total.reads += p.reads
		total.failures = append(total.failures, p.failures[:min(len(p.failures), maxFailures)]...)
	}
	fmt.Fprintf(out, "| all | %d | %d | |\n", total.documents, total.reads)
	if len(total.failures) > 0 {
		return errors.Join(total.failures...)
	}
	return nil
}
