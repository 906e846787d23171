// Package assembly puts rows together from columns with levels, as the Dremel paper does, and
// appends them in Avro's binary encoding. It knows no format of files: a format gives a tree of
// [Node]s, which says where in its columns the parts of a row are, and a [Column] for each leaf
// that the rows need.
//
//	tree of nodes --> Compile --> Program --> which leaves are needed
//	                                 |
//	 DocId     (rep, def, value) ... |
//	 Code      (rep, def, value) ... +--> Rows.Read: | row 0 | row 1 | ...      Avro
//	 Url       (rep, def, value) ...
//
// An entry of a leaf has two levels. The definition level says how many of the optional and
// repeated fields on the leaf's path are present. The repetition level says at which of the
// repeated ones the entry begins a new element; 0 begins a new row. Where an entry's definition
// level is the leaf's greatest it has a value; other entries have none.
//
// # The machine
//
// The paper assembles rows with a finite-state machine whose states are leaves: it takes an entry
// from the leaf, and the repetition level of the entry that comes next there decides which leaf
// follows. A program is this machine, written as instructions. The states are instructions that
// take an entry, and the transitions are those that look at the next entry of one leaf, the
// driver of a list or a union, without taking it:
//
//	row begins           rep = 0
//	value                take an entry, which must be (rep, Def), and its value
//	union                a driver's definition level decides for a branch; of the other branches
//	                     each leaf has an entry (rep, Absent), of null each has (rep, Def)
//	list, map            a driver at level Def: no elements, each leaf has an entry (rep, Def)
//	  after an element   a driver at repetition level Rep: rep = Rep, and the next element;
//	                     else rep is what it was before the list
//	row ends             the next entry of each leaf is at repetition level 0
//
// The register rep, and the definition level that the tree demands, are compared with those of
// each entry that is taken. So columns whose levels do not make the same rows are an error, with
// the row and the column, and never rows with values in a wrong place.
//
// # Projection
//
// A tree has only what the rows need, but each node knows all leaves of its place. Leaves
// without a node are neither opened nor read, except where the structure of something written
// cannot be known without one, such as how many elements a list of nulls has. Then the program
// needs the one with the fewest levels, and takes its entries without their values.
//
// # Encoding
//
// Rows have the encoding that Avro's writers use by default: an array or map is one block,
// without its size in bytes. The count stands before the elements and is known after them:
// one byte is kept for it, and elements are moved if there are more than 63.
//
// # Not supported
//
// Recursive types. Duplicates of a map's key stay as they are.
package assembly
