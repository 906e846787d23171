// Package memory divides --memory among the stages of a job, and accounts for what they
// share: room for large blocks (ReadPool) and temporary space (TempSpace).
//
//	|<------------------------------- --memory ------------------------------>|
//	| runtime, | fixed | workers x        | read pool | stage | shuffle      |
//	| slack    |       | (mapper+reducer) |           |       | (the rest)   |
//
// The stages state what they need (Needs). If the memory is too little, Divide first
// reduces the number of workers; then it refuses, and says how much is needed.
package memory
