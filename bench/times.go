package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"perfdata/bench/workload"
)

// A score is the result of a contestant.
type score struct {
	times   []time.Duration
	mallocs uint64 // of one run
}

func (s *score) median() time.Duration {
	slices.Sort(s.times)
	return s.times[len(s.times)/2]
}

// best is more reliable than the median on a busy machine.
func (s *score) best() time.Duration { return slices.Min(s.times) }

// printTimes runs all contests of a format, or of all formats if it is empty, and prints a table
// for each.
func printTimes(format string, results, rounds int) error {
	fmt.Printf("%s %s/%s, %d cores, median of %d rounds\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), rounds)
	found := false
	for _, c := range contests {
		if format != "" && format != c.format {
			continue
		}
		found = true
		d := c.document(c.scale(results))
		fmt.Printf("\n%s, %s: %d results, %d records, %.1f MB\n\n", c.format, c.workload, d.Results(), d.Records(), float64(d.Size())/1e6)
		contestants, err := c.contestants(d)
		if err != nil {
			return err
		}
		scores, err := compete(contestants, d.Bytes(), rounds)
		if err != nil {
			return err
		}
		printScores(contestants, c.yardstick, scores, d)
	}
	if !found {
		return fmt.Errorf("unknown format %q", format)
	}
	return nil
}

// compete runs the contestants in turns, so that other load on the machine affects all of them.
// Each runs once before the first measured round.
func compete(contestants []contestant, doc []byte, rounds int) (map[string]*score, error) {
	scores := map[string]*score{}
	for round := range rounds + 1 {
		for _, c := range contestants {
			if c.missing != "" {
				continue
			}

			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			if err := c.read(doc); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			elapsed := time.Since(start)
			runtime.ReadMemStats(&after)

			if round == 0 {
				scores[c.name] = &score{}
				continue
			}
			s := scores[c.name]
			s.times = append(s.times, elapsed)
			s.mallocs = after.Mallocs - before.Mallocs
		}
	}
	return scores, nil
}

func printScores(contestants []contestant, yardstick string, scores map[string]*score, d *workload.Document) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MB/s\tspeed / "+yardstick+"'s\tthe same of best times\tallocs/record\t  contestant")
	base := scores[yardstick]
	for _, c := range contestants {
		s := scores[c.name]
		if s == nil {
			fmt.Fprintf(w, "-\t-\t-\t-\t  %s: %s\n", c.name, c.missing)
			continue
		}
		fmt.Fprintf(w, "%.0f\t%.2f\t%.2f\t%.3f\t  %s\n", float64(d.Size())/1e6/s.median().Seconds(),
			ratio(base.median(), s.median()), ratio(base.best(), s.best()), float64(s.mallocs)/float64(d.Records()), c.name)
	}
	w.Flush()
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
