package mapper

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"avro2trevni/internal/schema"
)

// step is a part of what is stepped over: nothing of it is decoded that is not needed
// to find its end.
type step struct {
	code stepCode
	n    int   // stepBytes: how many; stepList: 1 for a map; stepCall: the sequence
	seqs []int // stepUnion: the sequence of each branch; stepList: of an element
}

type stepCode uint8

const (
	stepVarint stepCode = iota // a number, a symbol
	stepBytes                  // n bytes
	stepText                   // a length, and as many bytes
	stepUnion                  // a branch's index, and its value
	stepList                   // an array or map
	stepCall                   // a record: another sequence
)

// maxSkipDepth is how deep values that are stepped over may nest: only a recursive
// type's can more than the schema does.
const maxSkipDepth = 10_000

// skip emits what steps over a value of w, and returns the least bytes one takes. It
// goes with what is stepped over just before.
func (c *compiler) skip(w *schema.Schema) int {
	last := len(c.p.ops) - 1
	if last < c.fence || c.p.ops[last].code != opSkip {
		last = c.emit(op{code: opSkip, n: uint32(len(c.p.skips))})
		c.p.skips = append(c.p.skips, nil)
	}
	seq := int(c.p.ops[last].n)
	size := c.steps(seq, w)
	if len(c.p.skips[seq]) == 0 {
		c.p.ops = c.p.ops[:last]
	}
	return size
}

// steps appends to a sequence what steps over a value of s, and returns the least
// bytes of one.
func (c *compiler) steps(seq int, s *schema.Schema) int {
	add := func(st step) { c.p.skips[seq] = append(c.p.skips[seq], st) }
	switch s.Kind {
	case schema.Null:
		return 0
	case schema.Boolean:
		return c.bytes(seq, 1)
	case schema.Float:
		return c.bytes(seq, 4)
	case schema.Double:
		return c.bytes(seq, 8)
	case schema.Fixed:
		return c.bytes(seq, s.Size)
	case schema.String, schema.Bytes:
		add(step{code: stepText})
	case schema.Union:
		st := step{code: stepUnion}
		for _, b := range s.Branches {
			n, _ := c.sequence(b)
			st.seqs = append(st.seqs, n)
		}
		add(st)
	case schema.Array, schema.Map:
		n, _ := c.sequence(s.Items)
		st := step{code: stepList, seqs: []int{n}}
		if s.Kind == schema.Map {
			st.n = 1
		}
		add(st)
	case schema.Record:
		n, size := c.sequence(s)
		if size > 0 || !c.skips[s].done || len(c.p.skips[n]) > 0 {
			add(step{code: stepCall, n: n})
		}
		return size
	default:
		add(step{code: stepVarint})
	}
	return 1
}

// bytes appends a step over n bytes, or makes the last one longer.
func (c *compiler) bytes(seq int, n int64) int {
	steps := c.p.skips[seq]
	last := len(steps) - 1
	switch {
	case n == 0:
	case last >= 0 && steps[last].code == stepBytes && n < math.MaxInt32 && steps[last].n < math.MaxInt32:
		steps[last].n += int(n)
	default:
		c.p.skips[seq] = append(steps, step{code: stepBytes, n: int(n)})
	}
	return int(min(n, math.MaxInt32))
}

// sequence is what steps over the values of a type.
type sequence struct {
	n    int  // in [Program].skips
	size int  // the least bytes of a value
	done bool // false while it is made, when a type that recurs comes by again
}

// sequence returns the sequence that steps over a value of s, and the least bytes of
// one. A type has one, however often it is used.
func (c *compiler) sequence(s *schema.Schema) (n, size int) {
	if q := c.skips[s]; q != nil {
		return q.n, q.size
	}
	q := &sequence{n: len(c.p.skips)}
	c.skips[s] = q
	c.p.skips = append(c.p.skips, nil)
	if s.Kind != schema.Record {
		q.size = c.steps(q.n, s)
	} else {
		for _, f := range s.Fields {
			q.size = addSize(q.size, c.steps(q.n, f.Type))
		}
	}
	q.done = true
	return q.n, q.size
}

// skip steps over the values of a sequence, and returns the position after them;
// errShort if src ends in them.
func (p *Program) skip(seq int, src []byte, pos, depth int) (int, error) {
	if depth > maxSkipDepth {
		return pos, fmt.Errorf("values nest deeper than %d", maxSkipDepth)
	}
	var err error
	for i := range p.skips[seq] {
		st := &p.skips[seq][i]
		switch st.code {
		case stepVarint:
			pos, err = skipVarint(src, pos)
		case stepBytes:
			if st.n > len(src)-pos {
				return pos, errShort
			}
			pos += st.n
		case stepText:
			pos, err = skipText(src, pos)
		case stepUnion:
			var v int64
			var n int
			if v, n, err = varint(src, pos); err != nil {
				return pos, err
			}
			if uint64(v) >= uint64(len(st.seqs)) {
				return pos, fmt.Errorf("branch %d of a union of %d", v, len(st.seqs))
			}
			pos, err = p.skip(st.seqs[v], src, pos+n, depth+1)
		case stepList:
			pos, err = p.skipList(st, src, pos, depth+1)
		case stepCall:
			pos, err = p.skip(st.n, src, pos, depth+1)
		}
		if err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// skipVarint steps over a number.
func skipVarint(src []byte, pos int) (int, error) {
	if pos <= len(src)-8 {
		w := binary.LittleEndian.Uint64(src[pos:])
		if n := bits.TrailingZeros64(^w&continuation)>>3 + 1; n <= 8 {
			return pos + n, nil
		}
	}
	_, n, err := varint(src, pos)
	return pos + n, err
}

// skipText steps over a string or bytes.
func skipText(src []byte, pos int) (int, error) {
	if pos < len(src) && src[pos]&0x81 == 0 { // neither negative nor more than 63 bytes
		if n := int(src[pos]>>1) + 1; n <= len(src)-pos {
			return pos + n, nil
		}
		return pos, errShort
	}
	return skipSized(src, pos, "string or bytes of length %d")
}

// skipSized steps over a number of bytes, and as many bytes; wrong is the error's format if
// it is negative.
func skipSized(src []byte, pos int, wrong string) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case v < 0:
		return pos, fmt.Errorf(wrong, v)
	case v > int64(len(src)-pos-n):
		return pos, errShort
	}
	return pos + n + int(v), nil
}

// skipList steps over an array or map: over a block that says its size in bytes at
// once, over others element by element. Elements of no bytes need no step, however
// many they are; all others take bytes of src, which bounds them.
func (p *Program) skipList(st *step, src []byte, pos, depth int) (int, error) {
	for {
		v, n, err := varint(src, pos)
		if err != nil || v == 0 {
			return pos + n, err
		}
		pos += n
		switch {
		case v < 0:
			pos, err = skipSized(src, pos, badArrayBlock)
		case st.n == 1 || len(p.skips[st.seqs[0]]) > 0:
			pos, err = p.skipElements(st, src, pos, v, depth)
		}
		if err != nil {
			return pos, err
		}
	}
}

func (p *Program) skipElements(st *step, src []byte, pos int, count int64, depth int) (int, error) {
	var err error
	for ; count > 0; count-- {
		if st.n == 1 {
			if pos, err = skipText(src, pos); err != nil {
				return pos, err
			}
		}
		if pos, err = p.skip(st.seqs[0], src, pos, depth); err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// skipped says of an error that it was met in what is stepped over.
func (m *Mapper) skipped(err error) error {
	if err == errShort {
		return err
	}
	return fmt.Errorf("in a field that is left out: %w", err)
}
