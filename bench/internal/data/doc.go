// Package data makes the inputs that are measured, and fetches the tools that are measured
// against, each once, below one folder that may be deleted.
//
//	steps: name -> products; a step whose products are there is passed over
//
// Tables are made from seeds or by a generator of TPC-H, and written by goavro, so that
// nothing measured has written its own input. Versions of all tools stand in versions.go.
package data
