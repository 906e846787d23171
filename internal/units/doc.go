// Package units has sizes in bytes, as numbers and as people read them.
package units
