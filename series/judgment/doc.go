// Package judgment has the words for what the packages that judge say about a series.
package judgment
