// Package turns lets several workers do numbered tasks, and has the failure of the least of
// them be the failure of all, whichever worker came first.
package turns
