package trevni

import (
	"encoding/binary"
	"errors"
)

// Cut is a place where a run may be split in two at a row's start. Offsets are
// into the run before compression.
//
// In a bit-packed column (boolean, without lengths of its own) Values is the cut's
// offset in bits, and Value and Length are unused. In any other column without
// lengths the first part is the bytes before Value and the second those from it on.
// In an array column a row may begin inside a run of equal lengths: the run's varint
// stands at Length, Run of its lengths and the first Value bytes after the varint
// belong to the first part, and both parts need a varint of their own. Run may be
// all of the run's lengths: then the second part gets none of them.
//
//	... | varint: n lengths of one | v0 v1 v2 | v3 v4 ...
//	    ^Length                    |<-Value-->|           Run = 3
type Cut struct {
	Rows   uint32 // rows before the cut, at least 1 and fewer than the run's
	Values uint32 // values before the cut
	Run    uint32 // lengths before the cut in the length run it stands in; 0: it stands in none
	Length uint32 // Run > 0: offset of that length run's varint
	Value  uint32 // Run > 0: bytes between that varint's end and the cut; 0: offset of the cut
}

// cutSize is the wire size of a Cut: five 32-bit little-endian numbers.
const cutSize = 20

// Cuts is a sequence of cuts as it travels: fixed-width little-endian, in order of
// rows. Its zero value is empty.
type Cuts []byte

// ErrCuts is returned for a sequence that is not one.
var ErrCuts = errors.New("malformed cuts")

// Append adds a cut and returns the sequence, as append does.
func (c Cuts) Append(k Cut) Cuts {
	le := binary.LittleEndian
	c = le.AppendUint32(c, k.Rows)
	c = le.AppendUint32(c, k.Values)
	c = le.AppendUint32(c, k.Run)
	c = le.AppendUint32(c, k.Length)
	return le.AppendUint32(c, k.Value)
}

// Len returns the number of cuts.
func (c Cuts) Len() int { return len(c) / cutSize }

// At returns cut i, which must be in [0, Len).
func (c Cuts) At(i int) Cut {
	b, le := c[i*cutSize:(i+1)*cutSize], binary.LittleEndian
	return Cut{
		Rows: le.Uint32(b), Values: le.Uint32(b[4:]),
		Run: le.Uint32(b[8:]), Length: le.Uint32(b[12:]), Value: le.Uint32(b[16:]),
	}
}

// Find returns the cut with the given number of rows before it, and whether there
// is one.
func (c Cuts) Find(rows uint32) (Cut, bool) {
	lo, hi := 0, c.Len()
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if c.At(mid).Rows < rows {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < c.Len() && c.At(lo).Rows == rows {
		return c.At(lo), true
	}
	return Cut{}, false
}

// Trim returns the first n cuts.
func (c Cuts) Trim(n int) Cuts { return c[:n*cutSize] }

// Check reports whether c is a whole number of cuts, [ErrCuts] if not.
func (c Cuts) Check() error {
	if len(c)%cutSize != 0 {
		return ErrCuts
	}
	return nil
}
