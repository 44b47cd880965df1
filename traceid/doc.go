// Package traceid names measurements.
//
// A measurement is identified by its params, a set of key-value pairs such as
//
//	arch=x86 config=8888 test=draw_a_circle units=ms
//
// and its trace id is those params written as one string, sorted by key:
//
//	,arch=x86,config=8888,test=draw_a_circle,units=ms,
//
// All values ever measured under one trace id form a trace. Skia Perf calls the same thing a
// structured key.
//
// # Terms
//
//   - [Param] is a pair, [Params] a set of pairs. Params are verbatim: they hold what a file says.
//   - A trace id is valid if it can be taken apart again without doubt: at least one pair, no key
//     or value that is empty or holds one of , = ; and keys that strictly ascend, byte by byte.
//     [Parse] and [Valid] check that.
//   - A trace id is canonical if it also holds only the characters of a [Charset]; by default
//     these are A-Z a-z 0-9 . _ and -.
//
// # Making ids
//
// [Params.ID] makes a canonical id out of any params: each character (rune, not byte) outside the
// charset becomes one _, and so does an empty key or value. It can't fail. [Make] is the strict
// way: it changes nothing, and refuses params that don't spell a valid id.
//
// # Keys that become equal
//
// Canonicalising can make two keys equal: "a b" and "a_b" both become "a_b". Then the key that
// was canonical already wins, and if there is none, the key that sorts last before
// canonicalising. (T1: the reference implementation's answer is random, as it iterates a Go map.)
//
// # Matching ids
//
// A [Query] selects traces by their params; a [ParamSet] collects which values each key has over
// many traces, which is what a user chooses from to write a query.
//
// T2: As in the reference, a=! is valid, and excludes the empty value. But the regular
// expressions of a query are compiled one by one, where the reference joins the alternatives of
// one key to one expression: there, a quotation without end, as in a=~\Qb, is an error, though it
// is valid by itself.
//
// The rules are those of Skia Perf's structured keys and queries, go.skia.org/infra/go/query.
package traceid
