// Package inputs has the plan of a job's inputs: the files to read, the schema of their
// rows, the splits in which they are read, and the rows.
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
// A plan depends only on the inputs and the options that affect the outputs' bytes, never
// on workers or memory. A changed input is noticed when it is opened (Open), and when
// everything is read (Unchanged, AsPlanned).
//
// An error in an input's data is a Damage, with file and place. Package damage decides
// whether it is skipped: a plan only reads around ranges that are Known to be damaged.
//
// One goroutine makes a plan. After Cut any number of goroutines may open rows, and add to
// a Tally.
package inputs
