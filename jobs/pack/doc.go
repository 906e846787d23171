// Package pack decides where each output file ends: it divides the rows of a job into row
// groups that are as large as a file may be, from what the mappers say of their splits and
// from the exact sizes of groups that were laid out.
//
// A Packer packs parts, ranges of splits whose rows never share a file (the partitions of
// an output, or one part for all); a Part packs one of them. What is chosen depends on the
// splits alone, never on the order in which they are done.
package pack
