// Package convert converts measurements from any format to any other.
//
// A [Writer] writes records of any format in one format. If the format cannot hold a record as it
// is, the Writer makes it fit and counts the [Loss]. It needs a [Survey] of all records first,
// because what they have in common becomes the header. So the input is read twice:
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
// [ErrCommits]. Records without a commit count as another commit. [Commit] helps to write a file for
// each. The Commit of [format.Options] names that of records without one.
//
// # Repetitions
//
// Benchmark lines of the same name, iterations of keyvals, samples, and params repetition whose
// values are numbers are repetitions, as package series has them, and are converted to each other.
// Those of several files of a commit add up. A measurement min_ms is the least of its samples: it is
// not one more repetition, and left out if the format has no place for it beside the samples.
//
// # Names
//
// A name depends on the measurement alone: on its params, and on what the header of its file says
// about all measurements. No other measurement changes it, unless both names are the same: formats
// have few characters for some names.
//
// Where a format has a name for what was measured, and other formats have any number of params, the
// name is that of a Go benchmark: a test, which is the param test, name, key or uid, and the
// configuration, which is the param config and all other params, positional ones first and the others
// by key:
//
//	Sort/digits/n=10/pkg=example.com/sort-8
//
// Params that the header of the file gives to the measurement are not part of it, except pkg. The
// machine of a Go benchmark (goos, goarch, cpu) never is, nor improvement_direction. The sub-result is
// the param sub_result, or else unit or units.
//
// # Formats
//
// What a Writer does for each format:
//
//   - skiav1: params keep their names. Common params of the input's header become the file's key, and
//     common links its links. A file has each trace once, so the second and later repetitions have the
//     param repetition. better=lower of a Go benchmark becomes improvement_direction=down.
//   - nanolegacy: results are named by test, configuration ("default" without one) and sub-result
//     ("value" without one). Common params of the input's header become the file's key, and others
//     options, to be read with OptionsAsParams. Repetitions become samples. The measurement is the
//     first of them, or if it is min_ms, the least.
//   - benchfmt: the configuration of a Go benchmark is kept. Of records of other formats, params
//     of the input's header become the configuration, and others a part of the name. A character
//     that neither can hold becomes _. improvement_direction becomes unit metadata.
//   - keyval: the key is the test, configuration and sub-result, such as Sort_n_10.ns_op. Params that
//     are not part of the name, and the commit, become attributes. The n-th repetition of a key goes to
//     iteration n.
//   - perun: the header of a profile is kept. Records of other formats become resources of type
//     mixed, with their unit as subtype, and test and configuration as uid. Their own params
//     become fields, which are read as attributes.
//   - tap: the iterations of keyvals as a report in the Test Anything Protocol. It cannot be
//     read.
//   - any other format: what its Writer accepts is written as it is. The rest is left out.
//
// A file that is converted to its own format keeps its header, measurements, samples and models.
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
