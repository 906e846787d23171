package trevni

import (
	"fmt"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni/block"
)

// joiner makes blocks of runs that are cut or joined. It is a [reducer.Joiner]. Its coders
// are made when first used: most groups change few blocks.
type joiner struct {
	o     *FileOptions
	coder // the column's
	made  map[block.Coding]coder
	raw   []byte // a tuple's value, decoded
	part  []byte // the part of it between cuts
	block []byte // what is being joined
	out   []byte // the same, encoded

	kind    kind
	seam    seam   // array columns
	bits    int    // packed columns: bits in block
	runs    uint32 // runs that the block is to have
	ordered bool   // the column has first values
	firsts  firsts // of that
}

// coder is an encoder and a decoder of one coding.
type coder struct {
	enc *block.Encoder
	dec *block.Decoder
}

// Begin implements [reducer.Joiner].
func (j *joiner) Begin(column int, runs uint32, before []byte) error {
	c := &j.o.Columns[column]
	j.kind, j.runs, j.bits, j.block = kindOf(c), runs, 0, j.block[:0]
	j.seam = seam{walk: walker(c.Type)}
	if j.ordered = c.FirstValues; j.ordered {
		j.firsts.begin(c.Type, before)
	}
	return j.code(j.o.coding(column))
}

// code sets the coder.
func (j *joiner) code(c block.Coding) error {
	have, ok := j.made[c]
	if !ok {
		dec, err := block.NewDecoder(c)
		if err != nil {
			return err
		}
		enc, err := block.NewEncoder(c)
		if err != nil {
			return err
		}
		if j.made == nil {
			j.made = map[block.Coding]coder{}
		}
		have = coder{enc, dec}
		j.made[c] = have
	}
	j.coder = have
	return nil
}

// Pass implements [reducer.Joiner].
func (j *joiner) Pass(t *tuple.Tuple, _, value, before []byte) (reducer.Noted, error) {
	if err := j.Begin(int(t.Column), 1, before); err != nil {
		return reducer.Noted{}, err
	}
	if err := j.decode(t, value); err != nil {
		return reducer.Noted{}, err
	}
	err := j.firsts.add(j.raw, t.Row, t.Rows)
	return j.firsts.noted(), err
}

// Add implements [reducer.Joiner].
func (j *joiner) Add(t *tuple.Tuple, note, value []byte, lo, hi uint32) error {
	p, err := pieceOf(j.kind, t, note, lo, hi)
	if err != nil {
		return err
	}
	if err := j.decode(t, value); err != nil {
		return err
	}
	switch j.kind {
	case packed:
		return j.addBits(t, &p)
	case array:
		return j.addArray(&p)
	}
	start := len(j.block)
	if j.block, err = p.part(j.block, j.raw); err != nil || !j.ordered {
		return err
	}
	return j.firsts.add(j.block[start:], t.Row+tuple.Row(lo), hi-lo)
}

// decode decodes the tuple's value.
func (j *joiner) decode(t *tuple.Tuple, value []byte) (err error) {
	if j.raw, err = j.dec.Decode(j.raw[:0], value, int(t.Raw)); err != nil {
		return fmt.Errorf("%w: %w", reducer.ErrRun, err)
	}
	return nil
}

// addBits appends a packed column's part.
func (j *joiner) addBits(t *tuple.Tuple, p *piece) error {
	if want := (uint64(t.Values) + 7) / 8; uint64(len(j.raw)) != want {
		return runError("%d booleans in %d bytes", t.Values, len(j.raw))
	}
	from := int(p.lo.Values)
	j.block = appendBits(j.block, j.bits, j.raw, from, from+int(p.values))
	j.bits += int(p.values)
	return nil
}

// addArray appends an array column's part. A block of one run needs no seams.
func (j *joiner) addArray(p *piece) (err error) {
	if j.runs == 1 {
		j.block, err = p.part(j.block, j.raw)
		return err
	}
	whole := j.raw
	if p.cut() {
		if j.part, err = p.part(j.part[:0], j.raw); err != nil {
			return err
		}
		whole = j.part
	}
	j.block, err = j.seam.append(j.block, whole)
	return err
}

// Finish implements [reducer.Joiner].
func (j *joiner) Finish() (value []byte, raw uint32, n reducer.Noted, err error) {
	if j.ordered {
		n = j.firsts.noted()
	}
	j.out, err = j.enc.Append(j.out[:0], j.block)
	return j.out, uint32(len(j.block)), n, err
}
