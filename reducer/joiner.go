package reducer

import (
	"fmt"
	"slices"

	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// joiner makes blocks of runs that are cut or joined. It has a worker's buffers and
// coders, made when first used: most groups change few blocks.
type joiner struct {
	o     *Options
	coder // the column's
	made  map[block.Coding]coder
	value []byte // a tuple's value
	raw   []byte // the same, decoded
	part  []byte // the part of it between cuts
	block []byte // what is being joined
	out   []byte // the same, encoded

	kind kind
	typ  trevni.Type
	seam seam   // array columns
	bits int    // packed columns: bits in block
	runs uint32 // runs that the block is to have
}

// coder is an encoder and a decoder of one coding.
type coder struct {
	enc *block.Encoder
	dec *block.Decoder
}

// begin prepares for a block of so many runs of column i.
func (j *joiner) begin(i int, runs uint32) error {
	c := &j.o.Columns[i]
	j.typ = c.Type
	j.kind, j.runs, j.bits, j.block = kindOf(c), runs, 0, j.block[:0]
	j.seam = seam{walk: walker(c.Type)}
	return j.code(j.o.coding(i))
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

// add appends the part of the scanner's current tuple t that is in [from, to), and
// shows it to f, unless that is nil.
func (j *joiner) add(sc Scanner, t *tuple.Tuple, from, to tuple.Row, f *firsts) error {
	r, err := runOf(j.kind, sc, t, from, to)
	if err != nil {
		return err
	}
	if err := j.load(sc, t); err != nil {
		return err
	}
	switch j.kind {
	case packed:
		return j.addBits(t, &r)
	case array:
		return j.addArray(&r)
	}
	start := len(j.block)
	if j.block, err = r.part(j.block, j.raw); err != nil || f == nil {
		return err
	}
	return f.add(j.block[start:], j.typ, r.row, r.rows)
}

// load decodes the tuple's value.
func (j *joiner) load(sc Scanner, t *tuple.Tuple) (err error) {
	if j.value, err = sc.Value(slices.Grow(j.value[:0], int(t.Size))); err != nil {
		return err
	}
	if len(j.value) != int(t.Size) {
		return runError("a value of %d bytes, its tuple says %d", len(j.value), t.Size)
	}
	if j.raw, err = j.dec.Decode(j.raw[:0], j.value, int(t.Raw)); err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	return nil
}

// addBits appends a packed column's part.
func (j *joiner) addBits(t *tuple.Tuple, r *run) error {
	if want := (uint64(t.Values) + 7) / 8; uint64(len(j.raw)) != want {
		return runError("%d booleans in %d bytes", t.Values, len(j.raw))
	}
	from := int(r.lo.Values)
	j.block = appendBits(j.block, j.bits, j.raw, from, from+int(r.values))
	j.bits += int(r.values)
	return nil
}

// addArray appends an array column's part. A block of one run needs no seams.
func (j *joiner) addArray(r *run) (err error) {
	if j.runs == 1 {
		j.block, err = r.part(j.block, j.raw)
		return err
	}
	whole := j.raw
	if r.cut() {
		if j.part, err = r.part(j.part[:0], j.raw); err != nil {
			return err
		}
		whole = j.part
	}
	j.block, err = j.seam.append(j.block, whole)
	return err
}

// finish encodes the block and returns it, valid until the next, and its raw size.
func (j *joiner) finish() (out []byte, raw uint32, err error) {
	j.out, err = j.enc.Append(j.out[:0], j.block)
	return j.out, uint32(len(j.block)), err
}
