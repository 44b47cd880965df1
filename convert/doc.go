// Package convert converts measurements from any format to any other.
//
// A [Writer] writes records of any format in one format. If the format cannot hold a record as it
// is, the Writer makes it fit and counts the [Loss]. It needs a [Survey] of all records first,
// because what they have in common becomes the header. So the input is read twice:
//
//	s := convert.Survey{To: "skiav1"}
//	header, err := look.FileHeader()
//	s.AddHeader(header)
//	for rec, err := range look.Records() { ... s.Add(rec) }
//
//	w, err := convert.NewWriter("skiav1", out, &s)
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
// The commit that was measured belongs to a record: it is the param commit or else the commit of
// the file's header, which is called git_hash, gitHash or origin. In Go benchmark data the commit is a
// configuration line, so a file can have several. A file of any other format holds one commit, and
// records of several commits are refused with a [CommitsError]. Records without a commit count as
// another commit.
// [Commit] helps to write a file for each. [Survey.GitHash] names the commit, if the records do
// not, or overrides it.
//
// # Repetitions
//
// Benchmark lines of the same name, iterations of keyvals, samples, and params iteration whose
// values are 1 to n in each group of measurements are repetitions, and are converted to each other.
// Any other param named iteration stays a param. A measurement min_ms is the least of its samples: it is not
// one more repetition, and left out if the format has no place for it beside the samples.
//
// # Formats
//
// What a Writer does for each format:
//
//   - skiav1: params of the input's header become the file's key, and common links its links. A
//     file has each trace once, so repetitions are numbered with the param iteration.
//   - nanolegacy: common params become the file's key, and others become options, to be read with
//     OptionsAsParams. A record without a test is named by name or key; its sub_result by unit or
//     units, and its config by the other params that vary. Options belong to a test and config;
//     params that vary within one become a part of sub_result. Repetitions of min_ms become
//     samples; repetitions of another sub_result get other names.
//   - benchfmt: the configuration of a Go benchmark is kept. Of records of other formats, params
//     of the input's header become the configuration, and others a part of the name. A character
//     that neither can hold becomes _.
//   - keyval: the key is the param key and the values of the other params that vary, joined by
//     dots. Common params and the commit become attributes. Without a number, the n-th value of a
//     key goes to iteration n.
//   - perun: the header of a profile is kept. Records of other formats become resources of type
//     mixed, with their unit as subtype, and a uid made of the values that vary. Their own params
//     become fields, which are read as attributes.
//   - tap: the iterations of keyvals as a report in the Test Anything Protocol. It cannot be
//     read.
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
//	nanolegacy    A            =            V A O        P V A S      P V A S
//	benchfmt      V A          P V A O      =            P A O        P V O
//	keyval        P V A        P V A        P A          P            P V A
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
