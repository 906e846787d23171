package reader

// A Batch has consecutive entries of one column: their levels, and the values of those that are
// not null, which are the ones whose definition level is the leaf's MaxDef. Its memory belongs
// to what filled it, and is used again by the next call.
type Batch struct {
	N      int    // entries
	Rep    []byte // repetition levels; nil where MaxRep is 0. An entry with level 0 begins a row
	Def    []byte // definition levels; nil where MaxDef is 0: all entries have values
	Values Values
}

// Values are values in order.
type Values struct {
	N       int
	Width   int      // bytes of each; 0 for byte arrays
	Data    []byte   // of fixed width: little-endian, one after the other
	Offsets []uint32 // of byte arrays: N+1 of them; value i is Data[Offsets[i]:Offsets[i+1]]
}

// Bytes returns value i.
func (v *Values) Bytes(i int) []byte {
	if v.Width > 0 {
		return v.Data[i*v.Width : (i+1)*v.Width]
	}
	return v.Data[v.Offsets[i]:v.Offsets[i+1]]
}

// from removes the values before i.
func (v *Values) from(i int) {
	if v.Width > 0 {
		v.Data = v.Data[i*v.Width:]
	} else {
		v.Offsets = v.Offsets[i:]
	}
	v.N -= i
}

// rows returns how many rows begin in the batch.
func (b *Batch) rows() int {
	if b.Rep == nil {
		return b.N
	}
	return count(b.Rep, 0)
}
