package colsum

// Column is the digest of a stretch of a column.
type Column struct {
	Lengths Sum   // of the structure: of an array column its lengths
	Values  Sum   // but for those that are only counted
	True    int64 // booleans whose number a block does not tell: how many are true
}

// Then returns the digest of c's part followed by d's.
func (c Column) Then(d Column) Column {
	return Column{c.Lengths.Then(d.Lengths), c.Values.Then(d.Values), c.True + d.True}
}
