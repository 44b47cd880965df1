package main

import "github.com/spf13/cobra"

// verdictsTopic returns the page of the manual about the verdicts of the commands that judge. A
// test computes its examples.
func verdictsTopic() *cobra.Command {
	return &cobra.Command{
		// A command without a function is a topic: cobra lists it apart from the commands, and
		// completes it after help.
		Use:   "verdicts",
		Short: "What the verdicts of compare and check mean, with an example of each",
		Long: `What the verdicts of compare and check mean. In the examples, values are
times in ms, less is better, and the threshold and alpha are 5%, the defaults.

compare looks at the values of two commits. It computes the ratios of all pairs of a new
and an old value: their median is the ratio, and its interval is the middle of them.

  old 100 101 99 102 100  new 120 121 119 122 120    worse

The ratio is 1.20, and its interval, 1.17 to 1.22, is above 1.05. Values of two equal
commits differ this much in one of 126 cases (p = 0.008), which is less than 5%.

  old 120 121 119 122 120  new 100 101 99 102 100    better

The same in the other direction. If neither the file nor the unit nor --better says which
direction is better, the verdict is changed.

  old 100 101 99 102 100  new 101 100 102 99 101     same

The interval lies between 0.95 and 1.05: whatever the difference is, it is less than the
threshold. If the interval were wider, the verdict would be unknown.

  old 100 130 80 120 90  new 105 125 85 95 130       unknown

The values vary so much that they may hide a change of a quarter. The output says how many
values on each side would probably make the interval narrow enough.

  old 100 101  new 120 121                           unknown

No test can be sure with two values on each side: four are needed for p below 5%.

worse? means worse, but with this number of series, one of them may well differ this much
by chance: its q, which is p adjusted for that number, is not below alpha. It fails a
build with --fail-on suspect only.

check compares new values with the values of the history since its last change. It needs
five old values, or three commits with several values each. One new value is enough, and
more new values decide more.

  history 100 106 95 101 103  new 104                same
  history 100 106 95 101 103  new 108                within noise
  history 100 106 95 101 103  new 125                unknown
  history 100 106 95 101 103  new 130                worse
  history 100 106 95  new 130                        unknown

The first new value is less than 5% above the median, 101. The second is more, but this
history may have values that far from its median. The third is outside of the usual
range, which is 81 to 119, but five old values are too few to be sure: one more run would
decide. The fourth is farther away than noise. In the last line, the history has too few
values.

worse? would be worse if the series were alone, with a p below a fifth of alpha, but not
among all series of the run: its q is not below alpha, or old values have been more than
half as far, or too few of them show how far such noise may go. A regression is worse at
the first commit at which it is certain, and fails that commit. Later, it is "worse since"
the commit at which it began, which fails with --fail-on known only.

With check, p says how often a new value would be as far from the median, on the same side,
if nothing had changed. If a greater share of the old values have been as far, p is that
share, so a history with spikes needs more than one new value to be worse.`,
	}
}
