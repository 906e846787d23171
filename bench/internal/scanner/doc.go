// Package scanner is the program that answers the questions of package scan, for each
// reader that is a Go library: one line a question, one an answer.
package scanner
