// Package thriftscan decodes structures of Thrift's compact protocol whose bytes may be anything.
//
// The library's decoder allocates a list by its declared length, and follows nested structures
// as deep as they go, so that a few bytes end the process. A scan of the bytes goes before it:
// it bounds the depth, compares every length with what is there, adds up what the library will
// allocate for lists of structures, and finds where the structure ends.
//
//	bytes --> Measure: depth, lengths, lists --> n --> the library decodes bytes[:n]
//
// Functions may be called from any number of goroutines.
package thriftscan
