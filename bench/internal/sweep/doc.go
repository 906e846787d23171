// Package sweep measures one program at several settings: sizes of blocks, numbers of rows,
// and what the specification says of itself.
package sweep
