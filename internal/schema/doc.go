// Package schema is the tree of an Avro schema as the converter needs it: kinds,
// names, logical types, and nothing that leaves the data's bytes and their meaning
// as they are (doc, aliases, defaults, order and unknown properties are dropped).
//
//	text ---> JSON ---> types, names looked up ---> *Schema
//	                                           |
//	      record ns.R --- "a" ---> union --- null
//	         |                       `------ ns.S <--.
//	         `----------- "b" ----------------------' one *Schema a named type
//
// A named type is one [Schema], pointed to from everywhere it is used: a type that
// is used many times is not copied, so the tree is never larger than the text, and
// a recursive type is a cycle. A few lines of text can unfold to more types than there
// is memory for: a walk of the tree unfolded needs a bound.
//
// A [Text] is a schema with what its JSON says beside: aliases and defaults, by which
// a [Resolver] decides how rows of one schema are read as another's, and doc strings
// and properties, which [Selection.JSON] keeps of the fields that are selected.
//
// What is a schema follows Java's reader of data files, which checks neither names nor
// defaults: writers put dashes, dots and nothing at all into names. What Java's reader of
// Trevni files then refuses is told by [Text.Unreadable], or left out by
// [Selection.JSON]. docs/schemas.md has the list.
package schema
