package block

import (
	"encoding/binary"
	"slices"
)

// Lengths interleaves the lengths of an array column with its values in one block. It
// writes a sequence of equal lengths of zero or one as one number (section Column Metadata,
// trevni.array).
//
// A run's number stands before its values, and is known only when the run ends. So
// Lengths leaves one byte for it, which is enough for runs of up to 32, and moves
// the values of a longer run up once when it ends.
//
//	block: | 2 | v v | _ | v v v v ...      _ the open run's byte
//	                 ^at
//
// For each row: Add, then append the length's values to the buffer that Add gave.
// The zero value is not ready: call [Lengths.Reset] first. One goroutine at a time.
type Lengths struct {
	open  int // the length repeated by the open run, 0 or 1; closed if there is none
	count int // lengths in the open run
	at    int // offset of the open run's byte
}

// closed is Lengths.open when no run is open.
const closed = -1

// MaxLengthRun is the most lengths in one run: more would not fit a 32-bit int.
const MaxLengthRun = 1 << 30

// Reset forgets everything, for a new block.
func (l *Lengths) Reset() { *l = Lengths{open: closed} }

// Add records that the next row, or the next element of the parent, has n values,
// 0 <= n < 2^31, and returns buf with room made for what must stand before them.
// The caller appends the n values to it before the next call.
func (l *Lengths) Add(buf []byte, n int) []byte {
	if n == l.open && l.count < MaxLengthRun {
		l.count++
		return buf
	}
	return l.next(buf, n)
}

// Repeat does what Add does if n extends the open run, so that nothing has to be written,
// and reports whether it did. It is inlined, for fast callers.
func (l *Lengths) Repeat(n int) bool {
	if n != l.open || l.count >= MaxLengthRun {
		return false
	}
	l.count++
	return true
}

// AddZeros does what Add does for n lengths of zero.
func (l *Lengths) AddZeros(buf []byte, count int) []byte {
	for count > 0 {
		if l.open != 0 || l.count >= MaxLengthRun {
			buf = l.next(buf, 0)
			count--
		}
		n := min(count, MaxLengthRun-l.count)
		l.count += n
		count -= n
	}
	return buf
}

// next closes the open run and starts another, or writes a length that is never in
// a run.
func (l *Lengths) next(buf []byte, n int) []byte {
	buf = l.Close(buf)
	if n > 1 {
		return AppendLong(buf, int64(n))
	}
	l.open, l.count, l.at = n, 1, len(buf)
	return append(buf, 0)
}

// Close ends the open run, if there is one, and returns buf, whose bytes are then a
// whole block. A block must be closed before it is encoded: a run never crosses two.
func (l *Lengths) Close(buf []byte) []byte {
	if l.open == closed {
		return buf
	}
	if l.count <= shortRun {
		buf[l.at] = shortCode(l.open, l.count)
		l.Reset()
		return buf
	}
	var code [binary.MaxVarintLen64]byte
	n := len(AppendLengthRun(code[:0], l.open == 1, l.count))
	if n > 1 {
		end := len(buf)
		buf = append(buf, code[:n-1]...)
		copy(buf[l.at+n:], buf[l.at+1:end])
	}
	copy(buf[l.at:], code[:n])
	l.Reset()
	return buf
}

// Grow changes the last length, n, which must be at least 1, to n+more, as when an
// array goes on in another block. The last values bytes of buf are the values that
// it has so far; Grow returns buf with those moved to where they belong.
func (l *Lengths) Grow(buf []byte, n, more, values int) []byte {
	const room = 2 * binary.MaxVarintLen64 // for what next may write before the values
	end := len(buf)
	buf = slices.Grow(buf, room+values)
	kept := buf[end+room : end+room+values]
	copy(kept, buf[end-values:end])
	buf = buf[:end-values]
	switch {
	case n > 1:
		buf = buf[:len(buf)-longLen(int64(n))]
	case l.count > 1:
		l.count--
	default:
		buf = buf[:l.at]
		l.Reset()
	}
	return append(l.next(buf, n+more), kept...)
}

// Rollback makes buf[:n] again what it was when l was was and buf was n bytes long:
// it undoes what closing the run that was open then did to those bytes. The caller
// then goes on with was and buf[:n].
func (l *Lengths) Rollback(buf []byte, was Lengths, n int) {
	if was.open == closed || l.open != closed && l.at == was.at {
		return
	}
	code := 1
	for buf[was.at+code-1] >= 0x80 {
		code++
	}
	copy(buf[was.at+1:n], buf[was.at+code:])
}

// shortRun is the most lengths in a run whose number takes one byte, of zeros or ones.
const shortRun = 32

// shortCode returns that byte, for 1 to shortRun lengths of open: what
// [AppendLengthRun] would append.
func shortCode(open, count int) byte {
	if count == 1 {
		return byte(2 * open)
	}
	return byte(4*count - 7 + 2*open)
}

// Run tells where the next row would stand: within an open run of lengths, whose
// number begins at offset at and which has count lengths and values bytes of values
// so far; count 0 when no run is open, and the row would stand at the buffer's end.
func (l *Lengths) Run(buf []byte) (at, count, values int) {
	if l.open == closed {
		return 0, 0, 0
	}
	return l.at, l.count, len(buf) - l.at - 1
}

// AppendLengthRun appends the number that stands for n lengths of one, or of zero,
// and returns dst. One length is written as itself; n of zero as 3-2n and n of one
// as 2-2n, for n in [2, MaxLengthRun].
func AppendLengthRun(dst []byte, ones bool, n int) []byte {
	switch {
	case n == 1 && ones:
		return AppendLong(dst, 1)
	case n == 1:
		return AppendLong(dst, 0)
	case ones:
		return AppendLong(dst, 2-2*int64(n))
	}
	return AppendLong(dst, 3-2*int64(n))
}
