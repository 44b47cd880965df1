// Package convert converts measurements from any format to any other.
//
// A [Writer] writes records of any format in one format. If the format cannot hold a record as it
// is, the Writer makes it fit and counts the [Loss]. It needs a [Survey] of all records first,
// because the params that they have in common become the header. So the input is read twice:
//
//	s := convert.NewSurvey(skiav1.Format())
//	header, err := look.FileHeader()
//	s.AddHeader(header)
//	for rec, err := range look.Records() { ... s.Add(rec) }
//
//	w, err := s.NewWriter(out)
//	n, err := convert.Copy(w, again.Records()) // again is a second Reader of the same file
//	err = w.Close()
//	for _, loss := range w.Losses() { ... }
//
// For several files, call AddHeader of both before the records of each file. Samples of the
// legacy Skia format and models of Perun are not records: see [Survey.AddSamples],
// [Writer.WriteSamples] and [Writer.WriteModel].
//
// # Commits
//
// Package series says which commit a record measures: in Go benchmark data a file can have several.
// A file of any other format holds one commit, and records of several commits are refused with
// [ErrCommits]. Records without a commit count as another commit. [Commit] helps to write a file
// for each. A param commit that is not the record's commit stays a param in Skia files, and is left out
// of others. The Commit of [format.Options] names that of records without one.
//
// # Repetitions
//
// Benchmark lines of the same name, iterations of keyvals, samples, and params repetition whose
// values are numbers are repetitions, as package series has them, and are converted to each other.
// Repetitions in several files of a commit add up. A measurement min_ms is the least of its
// samples: it is not one more repetition, and left out if the format has no place for it beside the
// samples.
//
// # Names
//
// A name depends on the measurement alone: on its params, and on what the header of the first input
// says about all measurements. No other measurement changes it. The section Conversion of the
// package of each format has the recipe. For a format without one, a Writer writes what the
// format's Writer accepts, and leaves out the rest.
//
// Two series of the input stay two series, and one stays one. Where a format has too few characters
// to tell two of them apart, or no place for the params that do, the measurements of the later one are
// written to the series of the earlier one, or left out, and a Loss counts them.
//
// A file that is converted to its own format keeps its header, measurements, samples and models, as far
// as the format's Writer accepts them. Converting a converted file to the same format changes nothing.
//
// # Round trips
//
// This table shows what differs in the files of testdata after converting from the format on the
// left to the format at the top, and back:
//
//	              skiav1       nanolegacy   benchfmt     keyval       perun
//	skiav1        =            P L          P L          P L O        P L
//	nanolegacy    V A O        =            V A O        P V A S      P V A S
//	benchfmt      V A          P V A O      =            P A O        P V O
//	keyval        P V A        P V A O      P A          P            P V A
//	perun         P A O M      P A O M      P A O M      P A O M      =
//
// The letters mean:
//
//	=  nothing differs
//	P  params: some are required or renamed, or a name or key cannot hold a character
//	V  values: NaN and infinities, which JSON does not have, or a min_ms that is not the least of its
//	   samples, are left out
//	A  attributes: the format has none, or the commit or the iterations of a benchmark are added
//	L  links: the format has none
//	O  the order: the format groups what belongs together
//	S  samples are measurements under another name
//	M  models are left out
package convert
