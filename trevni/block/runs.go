package block

import "avro2trevni/trevni/internal/fault"

// ReadLength decodes the length, or the run of equal lengths, at the start of b:
// count lengths of length, in n bytes. What is malformed is [ErrCorrupt].
func ReadLength(b []byte) (length, count, n int, err error) {
	v, n := ReadLong(b)
	switch {
	case n <= 0:
		return 0, 0, 0, badVarint(n)
	case v != int64(int32(v)):
		return 0, 0, 0, fault.Corruptf("length %d does not fit 32 bits", v)
	case v >= 0:
		return int(v), 1, n, nil
	}
	return int(v+1) & 1, int((3 - v) / 2), n, nil
}

// LengthReader walks the lengths of an array column's block and the values after
// each, run by run. The zero value walks nothing: call [LengthReader.Reset].
//
//	| -6 | v v v v | 2 | v v | ...
//	^Offset        ^End
//	     |<-Data-->|      Length 1, Count 4
type LengthReader struct {
	Length int    // of each length of the run
	Count  int    // lengths in the run; 1 for a length that stands alone
	Offset int    // of the run's number in the block
	Data   []byte // the values of the whole run, part of the block

	block []byte
	typ   Type
	at    int
	err   error
}

// Reset starts over with a block, before compression, of values of a type.
func (r *LengthReader) Reset(block []byte, t Type) {
	*r = LengthReader{block: block, typ: t}
}

// Next goes to the next run and reports whether there is one; if not, Err returns the
// error, or nil at the end of the block.
func (r *LengthReader) Next() bool {
	if r.err != nil || r.at == len(r.block) {
		return false
	}
	var n, size int
	if r.Length, r.Count, n, r.err = ReadLength(r.block[r.at:]); r.err != nil {
		return false
	}
	start := r.at + n
	if size, r.err = SkipRun(r.block[start:], r.typ, r.Length, r.Count); r.err != nil {
		return false
	}
	r.Offset, r.Data, r.at = r.at, r.block[start:start+size], start+size
	return true
}

// End returns the offset after the run's values.
func (r *LengthReader) End() int { return r.at }

// Err returns what ended the walk, [ErrCorrupt], or nil at the block's end.
func (r *LengthReader) Err() error {
	if r.err == nil {
		return nil
	}
	return fault.Corruptf("length at %d of a block: %w", r.at, r.err)
}
