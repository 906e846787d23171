// Package memory divides --memory among the stages of a job, and lends what is shared:
// room for large blocks (ReadPool) and temporary space (TempSpace).
//
//	|<------------------------------- --memory ------------------------------>|
//	| runtime, | fixed | workers x        | read pool | stage | shuffle      |
//	| slack    |       | (mapper+reducer) |           |       | (the rest)   |
//
// The stages say what they need (Needs); Divide gives up workers before it refuses, and
// then says how much would do.
package memory
