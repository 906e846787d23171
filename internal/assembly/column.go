package assembly

// Column gives the entries of a leaf, in batches of any size. A batch may end inside of a row.
type Column interface {
	// Next puts the entries that come next into b, at least one, whose memory is the column's
	// and good until the next call. After the last entry the error is [io.EOF].
	Next(b *Batch) error
}

// Batch is consecutive entries of a leaf. No element of its slices is changed.
type Batch struct {
	N      int    // entries
	Rep    []byte // repetition level of each; nil where the leaf's greatest is 0
	Def    []byte // definition level of each; nil where the leaf's greatest is 0
	Values Values // of the entries at the greatest definition level
}

// Values are values of one type, one after another.
type Values struct {
	N int
	// Width is the bytes of each value, 0 for byte arrays, whose lengths differ. Booleans have 1,
	// numbers are little-endian.
	Width int
	Data  []byte
	// Offsets are, of byte arrays, where in Data each value begins, and where the last one
	// ends: N+1 numbers, which ascend.
	Offsets []uint32
}

// Leaf is what a program knows of a column.
type Leaf struct {
	Name           string // for messages
	MaxRep, MaxDef int    // greatest levels, at most 255
	Width          int    // of its values
}
