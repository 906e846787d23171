// Package press converts inputs that are hard on memory, in all sizes of --memory and with
// several numbers of workers, and compares peak resident memory with what was allowed.
package press
