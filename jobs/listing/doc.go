// Package listing finds the input files of a job, which are given as files, folders, globs
// and lists of names. It returns each file once, in an order that depends only on the
// names.
//
//	Selection --Files--> [ path, size, time, whether its folder is complete ] ...
//
// It reads names, never contents. It follows links, leaves out hidden names, as readers of
// a folder do, and refuses anything that is neither a file nor a folder.
package listing
