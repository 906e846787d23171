//go:build !race

package shuffle

// stride is 1: every length, byte and operation has its turn.
const stride = 1
