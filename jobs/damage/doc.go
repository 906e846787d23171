// Package damage finds the damaged parts of a job's inputs, and decides whether the job may
// continue without them.
//
//	ReadHeaders --> Policy.DropHeaders       headers that cannot be used
//	     |
//	stages ...... inputs.Damage              an input is damaged, or looks so
//	     |             |
//	     |        Policy.Mend --> Survey     every input, from its start to its end:
//	     |             |                       |=====|  gap  |=====|==|gap|====|
//	     |             |                     inputs.Known: gaps, where each segment begins
//	     |             v
//	     |        Policy.Allowed             not too much of it, and something is left
//	     v
//	stages again, around the gaps, or without the files that have any
//
// What is skipped depends only on the bytes of the inputs. A survey reads them with the
// mapper's own walk and all its checks, and keeps nothing: everything that is not a
// complete block is a gap.
//
// Skipped describes what is left out, for the report; it is the same in every run.
package damage
