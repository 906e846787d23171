//go:build !race

package main

// raced is whether the race detector is at work, which takes memory of its own.
const raced = false
