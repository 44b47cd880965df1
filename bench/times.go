package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// A score is the result of a contestant.
type score struct {
	times   []time.Duration // of each round
	mallocs uint64          // of a run
}

func (s *score) median() time.Duration { return slices.Sorted(slices.Values(s.times))[len(s.times)/2] }

// speedup returns how many times as fast as the other s is: the median of the rounds' ratios,
// because the two ran one after the other in each.
func (s *score) speedup(other *score) float64 {
	var ratios []float64
	for i := range s.times {
		ratios = append(ratios, other.times[i].Seconds()/s.times[i].Seconds())
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// A stopwatch measures time: by the wall, or the CPU time of the thread, which other programs on the
// machine affect less. The latter leaves out garbage collection on other cores, as the former does.
type stopwatch struct{ cpu bool }

// clock measures the times of all contests.
var clock stopwatch

var started = time.Now()

func (s stopwatch) now() time.Duration {
	if s.cpu {
		if t, ok := threadTime(); ok {
			return t
		}
	}
	return time.Since(started)
}

func (s stopwatch) String() string {
	if s.cpu {
		return "CPU time"
	}
	return "wall time"
}

// A result is the outcome of a contest.
type result struct {
	in          *input
	contestants []contestant
	scores      map[string]*score
}

// hold runs a contest. If wanted is not nil, only the contestants that it accepts take part.
func (c *contest) hold(size int64, rounds int, wanted func(name string) bool) (*result, error) {
	in, err := c.input(size)
	if err != nil {
		return nil, err
	}
	all, err := c.contestants(in)
	if err != nil {
		return nil, err
	}
	if c.reading && len(in.files) == 1 {
		all = append(all, simdjsonCpp(in.files[0]))
	}
	if wanted != nil {
		all = slices.DeleteFunc(all, func(one contestant) bool { return !wanted(one.name) })
	}
	scores, err := compete(all, in, rounds)
	for _, one := range all {
		if one.close != nil {
			err = errors.Join(err, one.close())
		}
	}
	return &result{in, all, scores}, err
}

// compete runs the contestants in turns, so that other load on the machine affects all of them.
// Each runs once before the first round. In a round, a contestant whose run takes less than 50 ms
// runs several times.
func compete(contestants []contestant, in *input, rounds int) (map[string]*score, error) {
	runtime.LockOSThread() // the clock may be that of the thread
	defer runtime.UnlockOSThread()
	scores := map[string]*score{}
	repeat := map[string]int{}
	for round := range rounds + 1 {
		for _, c := range contestants {
			if c.missing != "" {
				continue
			}

			n := max(1, repeat[c.name])
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			if c.elsewhere != nil {
				c.elsewhere() // since the last run
			}
			began := clock.now()
			for range n {
				if err := runOnce(c, in); err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
			}
			elapsed := clock.now() - began
			if clock.cpu && c.elsewhere != nil {
				elapsed += c.elsewhere()
			}
			runtime.ReadMemStats(&after)

			if round == 0 {
				scores[c.name] = &score{}
				repeat[c.name] = int(50*time.Millisecond/(elapsed+1)) + 1
				continue
			}
			s := scores[c.name]
			s.times = append(s.times, elapsed/time.Duration(n))
			s.mallocs = (after.Mallocs - before.Mallocs) / uint64(n)
		}
	}
	return scores, nil
}

// runOnce runs a contestant on all files. It is an error if it counts other records than the input
// has.
func runOnce(c contestant, in *input) error {
	runAll := c.runAll
	if runAll == nil {
		runAll = c.runEach
	}
	records, err := runAll(in.files)
	if err != nil {
		return err
	}
	if records != 0 && records != in.records {
		return fmt.Errorf("%d records, want %d", records, in.records)
	}
	return nil
}

// runEach runs a contestant on one file after the other.
func (c *contestant) runEach(files [][]byte) (records int, err error) {
	for _, file := range files {
		n, err := c.run(file)
		if err != nil {
			return 0, err
		}
		records += n
	}
	return records, nil
}

// printTimes runs all contests of a format, or of all formats if it is empty, and prints a table
// for each, in Markdown.
func printTimes(out io.Writer, format string, size int64, rounds int) error {
	fmt.Fprintf(out, "%s\n", machine(rounds))
	found := false
	for _, c := range contests() {
		if format != "" && format != c.format {
			continue
		}
		found = true
		fmt.Fprintf(out, "\n### %s, %s\n\n", c.format, c.workload)
		r, err := c.hold(size, rounds, nil)
		switch {
		case errors.Is(err, errAbsent):
			fmt.Fprintf(out, "Skipped: %v.\n", err)
		case err != nil:
			return fmt.Errorf("%s, %s: %w", c.format, c.workload, err)
		default:
			r.print(out, c.yardstick)
		}
	}
	if !found {
		return fmt.Errorf("unknown format %q", format)
	}
	return nil
}

// machine returns a line that says where and how the times were taken.
func machine(rounds int) string {
	return fmt.Sprintf("%s %s/%s, %d cores, %v, median of %d rounds",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), clock, rounds)
}

func (r *result) print(out io.Writer, yardstick string) {
	files := ""
	if len(r.in.files) > 1 {
		files = fmt.Sprintf("%d files, ", len(r.in.files))
	}
	fmt.Fprintf(out, "%s%.1f MB, %d records.\n\n", files, float64(r.in.size)/1e6, r.in.records)

	fmt.Fprintf(out, "| contestant | speed, relative to %s | MB/s | allocations a record | a file |\n", yardstick)
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- |")
	base := r.scores[yardstick]
	for _, c := range r.contestants {
		s := r.scores[c.name]
		if s == nil {
			fmt.Fprintf(out, "| %s | %s | | | |\n", c.name, c.missing)
			continue
		}
		fmt.Fprintf(out, "| %s | %.2f | %.0f | %.3f | %.1f |\n",
			c.name, s.speedup(base), float64(r.in.size)/1e6/s.median().Seconds(),
			float64(s.mallocs)/float64(r.in.records), float64(s.mallocs)/float64(len(r.in.files)))
	}
}
