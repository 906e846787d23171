// Package pack decides where each output file ends. It divides the rows of a job into row
// groups as large as a file may be, from the mappers' estimates of their splits and from
// the exact sizes of groups that were laid out.
//
// A Packer packs parts, ranges of splits whose rows never share a file (the partitions of
// an output, or one part for all); a Part packs one of them. The result depends only on the
// splits, never on the order in which they finish.
package pack
