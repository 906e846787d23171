// Package schema has the tree of an Avro schema as the converter needs it: kinds, names and
// logical types. The tree has no properties that do not affect the data's bytes or their
// meaning (doc, aliases, defaults, order and unknown properties).
//
//	text ---> JSON ---> types, names looked up ---> *Schema
//	                                           |
//	      record ns.R --- "a" ---> union --- null
//	         |                       `------ ns.S <--.
//	         `----------- "b" ----------------------' one *Schema a named type
//
// A named type is one [Schema], and all its uses point to it. A type that is used many
// times is not copied, so the tree is never larger than the text; a recursive type is a
// cycle. A few lines of text can unfold to more types than fit in memory, so a walk of the
// unfolded tree needs a limit.
//
// A [Text] is a schema with the rest of its JSON: aliases and defaults, by which a
// [Resolver] decides how rows of one schema are read with another, and doc strings and
// properties, which [Selection.JSON] keeps for the selected fields.
//
// The package accepts what Java's reader of data files accepts. That reader checks neither
// names nor defaults: writers use dashes, dots and empty names. [Text.Unreadable] reports
// what Java's reader of Trevni files then refuses; [Selection.JSON] leaves out some of it.
// docs/schemas.md has the list.
package schema
