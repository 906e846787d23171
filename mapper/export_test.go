package mapper

// What tests see of the inside.

const MaxSkipDepth = maxSkipDepth

// Walk is the inner loop.
func (m *Mapper) Walk(src []byte, pos, limit int, rows int64) (end, last int, done int64, err error) {
	return m.walk(src, pos, limit, rows)
}

// Row returns the rows of the split so far.
func (m *Mapper) Row() int64 { return m.row }

// WithBuffers returns options by which all columns are cut when they hold so many bytes.
func (o Options) WithBuffers(bytes int) Options {
	o.BufferBytes = bytes
	return o
}
