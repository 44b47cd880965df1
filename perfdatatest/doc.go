// Package perfdatatest generates test inputs for parsers of performance-result files: valid, nearly
// valid and hostile documents of each format that module perfdata reads. Authors of other parsers
// can use it to compare them with the Readers of this module, or to give fuzz targets seeds.
//
// [Valid] returns documents in all spellings that a format permits: any order of members, any white
// space, escapes, numbers of all widths, optional parts, empty and unusual texts. Some documents
// resemble the files of real programs, others have something unusual everywhere. A parser should
// accept all of them.
//
// [NearlyValid] returns the same documents with one fault each. A parser should reject most of
// them, or at least the line or measurement with the fault. What matters is that two parsers agree.
//
// [Hostile] returns documents that try to make a parser use much memory or time.
//
// # Seeds
//
// The same arguments give the same document, on every platform. A document may change with each
// version of this module. So keep the documents on which a parser failed, not their seeds.
//
// A fuzz target can take documents as seeds, or take the seed of a document as its input:
//
//	f.Fuzz(func(t *testing.T, seed uint64) {
//		document := perfdatatest.Valid("keyval", seed, 1000)
//		...
//	})
//
// The first way lets the engine change documents, the second way keeps them valid.
package perfdatatest
