// Package listing finds the files that a job's inputs stand for: files, folders, globs and
// lists of names, each file once, in an order that follows from the names alone.
//
//	Selection --Files--> [ path, size, time, whether its folder is complete ] ...
//
// It reads names, never contents. Links are followed; hidden names are left out, as readers
// of a folder leave them out; what is neither file nor folder is refused.
package listing
