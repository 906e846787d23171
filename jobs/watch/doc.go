// Package watch counts how far a job is, and warns when nothing moves.
package watch
