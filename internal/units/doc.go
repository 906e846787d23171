// Package units has sizes in bytes, as numbers and in readable units.
package units
