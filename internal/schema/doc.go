// Package schema is the tree of an Avro schema as the converter needs it: kinds,
// names, logical types, and nothing that leaves the data's bytes and their meaning
// as they are (doc, aliases, defaults, order and unknown properties are dropped).
//
//	text --avro.Parse--> names resolved ---> *Schema
//	                                           |
//	      record ns.R --- "a" ---> union --- null
//	         |                       `------ ns.S <--.
//	         `----------- "b" ----------------------' one *Schema a named type
//
// A named type is one [Schema], pointed to from everywhere it is used: a type that
// is used many times is not copied, so the tree is never larger than the text, and
// a recursive type is a cycle. Who walks the tree unfolded asks [Schema.Nodes]
// first, for a few lines of text can unfold to more nodes than there is memory.
//
// A [Text] is a schema with what its JSON says beside: aliases and defaults, by which
// a [Resolver] decides how rows of one schema are read as another's, and doc strings
// and properties, which [Selection.JSON] keeps of the fields that are selected.
//
// Names are taken as they are, as Java does when it reads a data file: writers that
// do not check them put dashes and dots in. Not supported: references to types that
// the text does not define.
package schema
