// Package convert converts measurements from any format to any other.
//
// A [Writer] writes records of any format in one format. Where the format cannot hold a record as it is, the Writer makes
// it fit and counts the [Loss]. It needs a [Survey] of all records first, because what they have in common becomes the
// header. So the input is read twice:
//
//	var s convert.Survey
//	header, err := first.FileHeader()
//	s.AddHeader(header)
//	for rec, err := range first.Records() { ... s.Add(rec) }
//
//	w, err := convert.NewWriter("skiav1", out, &s)
//	n, err := convert.Copy(w, second.Records())
//	err = w.Close()
//	for _, loss := range w.Losses() { ... }
//
// What it does for each format:
//
//   - skiav1: common params become the file's key, and common links its links. A file has each trace once, so a repeated
//     measurement gets one more param, iteration, which counts from 2. The git hash is that of the source's header, else
//     the param commit, else the Survey's, else "unknown".
//   - nanolegacy: common params become the file's key, and others become options, to be read with OptionsAsParams. A
//     record without a test is named by name or key; its sub_result by unit or units, and its config by the other params
//     that vary. Options belong to a test and config; params that vary within one become a part of sub_result.
//   - benchfmt: the configuration of a Go benchmark is kept. Of records of other formats, common params become the
//     configuration, and others a part of the name. A character that neither can hold becomes _.
//   - keyval: the key is the param key and the values of the other params that vary, joined by dots. Common params become
//     attributes. Without a param iteration, the n-th value of a key goes to iteration n.
//   - perun: the header of a profile is kept. Records of other formats become resources of type mixed, with their unit as
//     subtype, and a uid made of the values that vary. Their own params become fields, which are read as attributes.
//
// This table shows which parts of the records of testdata differ after converting from the format on the left to the
// format at the top, and back:
//
//	              skiav1                        nanolegacy                    benchfmt                      keyval                        perun
//	skiav1        nothing                       params, links                 params, links                 params, links                 params, links
//	nanolegacy    attrs                         nothing                       attrs                         params, attrs                 params, attrs
//	benchfmt      params, values, attrs         params, values, attrs, order  nothing                       params, attrs, order          params, values, order
//	keyval        params, values, attrs         params, values, attrs         params, attrs                 params                        params, values, attrs
//	perun         params, attrs                 params, attrs, order          params, attrs, order          params, attrs, order          nothing
//
// Params differ where the format requires some, where a measurement is repeated, and where a name or key cannot hold a
// character or an empty text. Attrs and links differ where the format has none; attrs also where the format adds
// iterations=1. Values differ where NaN and infinities are left out, because JSON has none, and the order where the
// format groups what belongs together.
package convert
