// Package jsontree reads one JSON value after another into a tree, by a table of the members that are
// wanted.
//
// It is for formats whose results have many members, or an order of members that does not matter:
// the grammar of such a format is a [Type], a table, and all the rest of it works on the tree.
//
//	var result = jsontree.Object(
//		jsontree.Member{Name: "name", Type: jsontree.Text},
//		jsontree.Member{Name: "time", Type: jsontree.Number},
//	)
//
//	for s.EnterArray(); s.Element(); {
//		row := trees.Read(s, result)
//		... row.Get("name").Text(), row.Get("time").Number()
//	}
//
// A value that repeats the text of an earlier one, except its numbers and some of its strings, is
// read by comparing text, see package forms. So its tree is the tree of the earlier value, with
// other numbers and strings. All numbers and strings of a tree are bound, so no format has to do
// anything for it.
//
// A value of another type than its table says is a fault of the tree, and absent from it. Everything
// that is not JSON fails the Scanner.
package jsontree
