// Package perfdata reads and writes the file formats in which performance results travel. Every measurement becomes
// one kind of record, with params, a value and links, and has one canonical trace id, whichever format it came
// from.
//
// This package detects formats and opens files of any. A program that knows its format uses that package:
//
//   - perfdata/skiav1, the Skia Perf format, version 1
//   - perfdata/nanolegacy, the Skia Perf legacy format, of nanobench
//   - perfdata/benchfmt, the Go benchmark data format
//   - perfdata/keyval, Autotest perf keyvals
//   - perfdata/perun, Perun profiles
//
// # Opening
//
// [Open], [OpenFS] and [NewReader] detect the format, and decompress gzip, zstd and zlib. Their errors are those of the
// formats, with offsets and lines of what was decompressed.
//
// # Converting
//
// A [Writer] writes records of any format in one format. Where that can't hold a record as it is, it makes it fit, and
// counts the [Loss]. It needs a [Survey] of all records first, because what they have in common becomes the header:
//
//	var s perfdata.Survey
//	for rec, err := range first.Records() { ... s.Add(rec) }
//	w, err := perfdata.NewWriter("skiav1", out, &s)
//	n, err := perfdata.Convert(w, second.Records())
//	err = w.Close()
//	for _, loss := range w.Losses() { ... }
//
// What it does for each format:
//
//   - skiav1: common params become the file's key, common links its links. A measurement that is taken again has one more
//     param, iteration, from 2 on, because a file has each trace once. The git hash is that of the source's header, or else its
//     param commit, or else the Survey's, or else "unknown".
//   - nanolegacy: common params become the file's key, and others options, to be read with OptionsAsParams. Where a record has
//     no test, it is named by name or key; sub_result by unit or units, and config by the other params that vary. Params that
//     vary within a test and config, which have their options in common, become a part of sub_result.
//   - benchfmt: a Go benchmark's configuration is kept; of records of other formats, common params become the configuration,
//     and others a part of the name. A character that can stand in neither becomes _.
//   - keyval: the key is the param key, with the values of the other params that vary, joined by a dot. Common params become
//     attributes. Where there is no param iteration, the n-th value of a key goes to iteration n.
//   - perun: a profile's header is kept. Records of other formats are resources of type mixed, with their unit as subtype, and a
//     uid of the values that vary; their own params become fields, and so attributes when they are read.
//
// What differs in the records, after converting from the format on the left to that above and back, for one file or another of
// testdata:
//
//	              skiav1                        nanolegacy                    benchfmt                      keyval                        perun
//	skiav1        nothing                       params, links                 params, links                 params, links                 params, links
//	nanolegacy    attrs                         nothing                       attrs                         params, attrs                 params, attrs
//	benchfmt      params, values, attrs         params, values, attrs, order  nothing                       params, attrs, order          params, values, order
//	keyval        params, values, attrs         params, values, attrs         params, attrs                 params                        params, values, attrs
//	perun         params, attrs                 params, attrs, order          params, attrs, order          params, attrs, order          nothing
//
// Params differ where the format requires some, where a measurement is repeated, or where a character or an empty text can't
// stand in a name or key; attrs and links where the format has none, and attrs besides where the format adds iterations=1; values
// where NaN and infinities are left out, because JSON has none; and the order where the format puts together what belongs
// together.
//
// The records and the interfaces that all formats share are in perfdata/format, trace ids and queries in
// perfdata/traceid.
package perfdata
