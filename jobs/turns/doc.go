// Package turns lets several workers do numbered tasks. If tasks fail, the error of the
// task with the lowest number is returned, regardless of the order in which they failed.
package turns
