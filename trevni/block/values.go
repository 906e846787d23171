package block

import (
	"io"
	"math"

	"avro2trevni/trevni/internal/fault"
)

// SkipValues returns the bytes that the first n values of type t take in b, as they
// stand one after another; n booleans are packed into whole bytes. Where b holds
// fewer, or what is there is no value, the error is [ErrCorrupt]; that ints fit 32 bits
// is not checked. A negative n is [ErrMisuse].
func SkipValues(b []byte, t Type, n int) (int, error) {
	if n < 0 {
		return 0, fault.Misusef("%d values cannot be skipped", n)
	}
	if w, ok := t.Width(); ok {
		return within(b, uint64(min(n, math.MaxInt/8))*uint64(w)) // no b has more than that
	}
	switch t {
	case Boolean:
		return within(b, (uint64(n)+7)/8)
	case Int, Long:
		return skipVarints(b, n)
	}
	return skipStrings(b, n)
}

// SkipRun returns the bytes that the values of count equal lengths take in b, the start
// of their run's values. Its errors are those of SkipValues.
func SkipRun(b []byte, t Type, length, count int) (int, error) {
	if t == Boolean && length == 1 { // a byte each
		return within(b, uint64(count))
	}
	return SkipValues(b, t, length*count)
}

// within returns n if b has as many bytes.
func within(b []byte, n uint64) (int, error) {
	if n > uint64(len(b)) {
		return 0, fault.Corruptf("%d bytes wanted, %d left: %w", n, len(b), io.ErrUnexpectedEOF)
	}
	return int(n), nil
}

func skipVarints(b []byte, n int) (int, error) {
	at := 0
	for range n {
		_, size := ReadLong(b[at:])
		if size <= 0 {
			return 0, badVarint(size)
		}
		at += size
	}
	return at, nil
}

func skipStrings(b []byte, n int) (int, error) {
	at := 0
	for range n {
		_, size, err := ReadBytes(b[at:])
		if err != nil {
			return 0, err
		}
		at += size
	}
	return at, nil
}

// ReadBytes returns the string or bytes at the start of b, in place, and the bytes
// that it takes with its length. What is malformed is [ErrCorrupt].
func ReadBytes(b []byte) (v []byte, size int, err error) {
	l, n := ReadLong(b)
	switch {
	case n <= 0:
		return nil, 0, badVarint(n)
	case l < 0:
		return nil, 0, fault.Corruptf("negative length %d", l)
	case uint64(l) > uint64(len(b)-n):
		return nil, 0, fault.Corruptf("length %d, %d bytes left: %w", l, len(b)-n, io.ErrUnexpectedEOF)
	}
	return b[n : n+int(l)], n + int(l), nil
}

// badVarint is the error for what ReadLong could not read.
func badVarint(n int) error {
	if n == 0 {
		return fault.Corruptf("number is cut short: %w", io.ErrUnexpectedEOF)
	}
	return fault.Corruptf("number of more than 64 bits")
}
