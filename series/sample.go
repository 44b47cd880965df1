package series

// A Sample is the values of a series that one run measured at one commit: one value, or its
// repetitions.
type Sample struct {
	Commit int // the place of the commit among all commits of an answer, from 0
	Run    int // tells the runs of a commit apart
	Values []float64
}
