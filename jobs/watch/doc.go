// Package watch counts the progress of a job, and warns when there is none.
package watch
