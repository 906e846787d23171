// Package inputs is the plan of a job's inputs: which files are read, what schema their rows
// get, in which pieces they are read, and their rows.
//
//	listing.File ...
//	   |  Guard.Ready        old enough, complete
//	   v
//	Plan: Input ...          New, AddFiles; Add
//	   |  ReadHeaders        several at a time; one copy of equal schemas and metadata
//	   |  Drop, Remove       what is damaged, what is converted already: others decide
//	   |  ShareMeta          metadata that all inputs have alike go along
//	   |  Resolve            Schemas: one for the rows, a program for each of the inputs'
//	   |  CheckWritten
//	   v  Cut
//	Split 0   Split 1 ...    Segments: [input 0, bytes 0 to 8 MiB] [input 0, to its end; input 1] ...
//	   |
//	   v  Plan.Rows
//	Rows --> a mapper        blocks of an Avro file, or rows of a part file that is merged
//	   |
//	   v  Tally              rows of each input; its segments meet, to the file's end
//
// What follows from a plan, follows from the inputs and the options that shape outputs, never
// from workers or memory. An input that is not as planned any more is found when it is opened
// (Open) and when all is read (Unchanged, AsPlanned).
//
// What is wrong with an input's data is a Damage, with file and place. Whether it is skipped
// is not decided here: a plan only reads around what is Known to be damaged.
//
// A plan is made by one goroutine. After Cut any number may open rows, and enter a Tally.
package inputs
