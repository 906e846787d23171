// Package damage finds out what of a job's inputs is damaged, and decides whether the job may go
// on without it.
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
// What is skipped follows from the bytes of the inputs alone. A survey reads them by the
// mapper's own walk, with all its checks, and keeps nothing: what is no whole block is a gap.
//
// Skipped tells what is left out for the report, which is the same in every run.
package damage
