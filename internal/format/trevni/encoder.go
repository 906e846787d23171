package trevni

import (
	"fmt"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Overhead is what a block takes in a file beside its value: the descriptor.
const Overhead = 12

// Encoder makes blocks of a mapper's runs: a tuple's value is a whole block, its note the
// cuts where it can be parted at marks. It is a [mapper.Encoder].
type Encoder struct {
	columns []trevni.Column
	blocks  []*block.Encoder // of each column
	cuts    []Cuts           // of each column: marks inside its run
	sums    []*Summer        // of each column; nil: no digests are made
}

var _ mapper.Encoder = (*Encoder)(nil)

// NewEncoder returns an encoder of columns, each in its coding. With sums it makes digests.
// It panics on a coding that no block can be written in.
func NewEncoder(columns []trevni.Column, codings []block.Coding, sums bool) *Encoder {
	e := &Encoder{columns: columns, blocks: make([]*block.Encoder, len(columns)), cuts: make([]Cuts, len(columns))}
	made := map[block.Coding]*block.Encoder{} // columns of one coding share theirs
	for i, c := range codings {
		if made[c] == nil {
			b, err := block.NewEncoder(c)
			if err != nil {
				panic(err)
			}
			made[c] = b
		}
		e.blocks[i] = made[c]
	}
	if sums {
		e.sums = NewSummers(columns)
	}
	return e
}

// Begin begins a split.
func (e *Encoder) Begin() {
	for i := range e.cuts {
		e.cuts[i] = e.cuts[i][:0]
	}
	for _, s := range e.sums {
		s.Reset()
	}
}

// Mark notes where the run can be cut.
func (e *Encoder) Mark(column int, r *mapper.Run) (raw int) {
	k := Cut{Rows: uint32(r.Rows), Values: uint32(r.Values), Value: uint32(len(r.Bytes))}
	if at, run, after := r.Lengths.Run(r.Bytes); run > 0 {
		k.Length, k.Run, k.Value = uint32(at), uint32(run), uint32(after)
	}
	e.cuts[column] = e.cuts[column].Append(k)
	return int(k.Length) + int(k.Value)
}

// MaxLen returns the most bytes of a block of the run.
func (e *Encoder) MaxLen(column int, r *mapper.Run) int { return e.blocks[column].MaxLen(len(r.Bytes)) }

// Seal makes the run a block. A mark at its end is no cut.
func (e *Encoder) Seal(column int, r *mapper.Run, t *tuple.Tuple) (err error) {
	if e.sums != nil {
		if err := e.sums[column].Add(r.Bytes, r.Rows); err != nil {
			return fmt.Errorf("digest of column %q: %w", e.columns[column].Name, err)
		}
	}
	if t.Value, err = e.blocks[column].Append(t.Value, r.Bytes); err != nil {
		return fmt.Errorf("compress column %q: %w", e.columns[column].Name, err)
	}
	cuts := e.cuts[column]
	e.cuts[column] = cuts[:0]
	if n := cuts.Len(); n > 0 && int64(cuts.At(n-1).Rows) == r.Rows {
		cuts = cuts.Trim(n - 1)
	}
	t.Note = cuts
	return nil
}

// End returns the digests of the split's columns. There is nothing else to send.
func (e *Encoder) End(func(tuple.Tuple) error) (sums []colsum.Column, err error) {
	for _, s := range e.sums {
		sums = append(sums, s.Column)
	}
	return sums, nil
}
