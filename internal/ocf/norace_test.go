//go:build !race

package ocf

// raced: see race_test.go.
const raced = false
