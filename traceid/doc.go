// Package traceid names measurements.
//
// A measurement is identified by its params, a set of key-value pairs such as
//
//	arch=x86 config=8888 test=draw_a_circle units=ms
//
// Its trace id is the params as one string, sorted by key:
//
//	,arch=x86,config=8888,test=draw_a_circle,units=ms,
//
// All values with one trace id form a trace. Skia Perf calls a trace id a structured key.
//
// # Terms
//
//   - [Param] is a pair, [Params] a set of pairs. Params are verbatim, as spelled in the file.
//   - A trace id is valid if it has at least one pair, if no key or value is empty or has one of
//     , = ; and if the keys strictly ascend, byte by byte. So it can be parsed without ambiguity.
//     [Parse] and [Valid] check that.
//   - A trace id is canonical if it is valid and has only the characters of a [Charset]; by
//     default these are A-Z a-z 0-9 . _ and -.
//
// # Making ids
//
// [Params.ID] makes a canonical id of any params: each character (rune, not byte) outside the
// charset becomes one _, and so does an empty key or value. It can't fail. [MakeStrict] is strict: it
// changes nothing, and refuses params that do not make a valid id.
//
// # Keys that become equal
//
// Canonicalizing can make two keys equal: "a b" and "a_b" both become "a_b". Then the key that was
// already canonical wins. If no key was, the original key that sorts last wins. (T1: the reference
// implementation's result is random, because it iterates over a Go map.)
//
// # Matching ids
//
// A [Query] selects traces by their params. A [ParamSet] collects the values of each key over many
// traces, so that users can choose from them.
//
// T2: As in the reference, a=! is valid, and excludes the empty value. But a [Query] compiles each
// regular expression by itself. The reference joins the alternatives of one key to one expression,
// in which an unterminated quotation, as in a=~\Qb, is an error, although it is valid by itself.
//
// T3: The expressions of a query are limited, so that queries of strangers take little memory and
// time: see [ErrLimit]. The reference compiles any.
//
// The source of these rules is Skia Perf, go.skia.org/infra/go/query.
package traceid
