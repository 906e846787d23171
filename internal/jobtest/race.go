//go:build race

package jobtest

const raced = true
