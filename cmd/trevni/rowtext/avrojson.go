package rowtext

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// ErrRow is the error for bytes that are no row of their schema; those that are read
// from a file were checked before.
var ErrRow = errors.New("trevni: bytes are no row of the schema")

// JSON writes rows of Avro's binary encoding as Avro's JSON encoding has them
// (Avro specification, section JSON Encoding): a union's value in an object that
// names its branch, bytes and fixed as strings of the characters U+0000 to U+00FF.
// Numbers that JSON has no word for are the strings that the Java implementation
// writes: "NaN", "Infinity", "-Infinity". Bytes of a string that are no UTF-8 become
// U+FFFD.
//
// It writes to w as its buffer fills: a row of a few bytes may have 2^30 elements.
type JSON struct {
	W io.Writer
	// Plain asks for the values of unions as they are, without the names of their branches.
	Plain bool
	// People asks for values of logical types as people write them.
	People bool
	most   int // bytes that are gathered before they are written; 0: flushAt
	buf    []byte
	src    []byte // what is left of the rows
	err    error  // the first, kept; nothing more is done after it
}

// flushAt is how many bytes are gathered before they are written.
const flushAt = 64 << 10

// Row writes the row at the start of src and a newline, and returns what follows the row.
func (j *JSON) Row(s *schema.Schema, src []byte) ([]byte, error) {
	j.src = src
	j.value(s)
	j.text("\n")
	return j.src, j.err
}

// Flush writes what was gathered.
func (j *JSON) Flush() error {
	if j.err == nil && len(j.buf) > 0 {
		_, j.err = j.W.Write(j.buf)
	}
	j.buf = j.buf[:0]
	return j.err
}

func (j *JSON) text(s string) {
	if j.err != nil {
		return
	}
	j.buf = append(j.buf, s...)
	if len(j.buf) >= cmp.Or(j.most, flushAt) {
		_ = j.Flush() // kept in err
	}
}

func (j *JSON) value(s *schema.Schema) {
	if j.People && s.Logical.Name != "" && j.logical(s) {
		return
	}
	switch s.Kind {
	case schema.Null:
		j.text("null")
	case schema.Boolean:
		j.text(strconv.FormatBool(j.take(1)[0] != 0))
	case schema.Int, schema.Long:
		j.text(strconv.FormatInt(j.long(), 10))
	case schema.Float:
		v := math.Float32frombits(binary.LittleEndian.Uint32(j.take(4)))
		j.float(float64(v), 32)
	case schema.Double:
		j.float(math.Float64frombits(binary.LittleEndian.Uint64(j.take(8))), 64)
	case schema.String:
		j.quoted(j.take(j.long()))
	case schema.Bytes:
		j.latin(j.take(j.long()))
	case schema.Fixed:
		j.latin(j.take(s.Size))
	case schema.Enum:
		if i := j.index(len(s.Symbols)); i >= 0 {
			j.quoted([]byte(s.Symbols[i]))
		}
	default:
		j.complex(s)
	}
}

func (j *JSON) complex(s *schema.Schema) {
	switch s.Kind {
	case schema.Record:
		j.record(s)
	case schema.Array, schema.Map:
		j.list(s)
	case schema.Union:
		j.union(s)
	default:
		j.fail()
	}
}

func (j *JSON) record(s *schema.Schema) {
	j.text("{")
	for i, f := range s.Fields {
		if i > 0 {
			j.text(",")
		}
		j.quoted([]byte(f.Name))
		j.text(":")
		j.value(f.Type)
	}
	j.text("}")
}

// list writes an array, or a map.
func (j *JSON) list(s *schema.Schema) {
	isMap := s.Kind == schema.Map
	opening, closing := "[", "]"
	if isMap {
		opening, closing = "{", "}"
	}
	j.text(opening)
	comma := false
	for n := j.count(); n > 0 && j.err == nil; n = j.count() {
		for ; n > 0 && j.err == nil; n-- {
			if comma {
				j.text(",")
			}
			comma = true
			if isMap {
				j.quoted(j.take(j.long()))
				j.text(":")
			}
			j.value(s.Items)
		}
	}
	j.text(closing)
}

// count returns the elements of the next block of an array or map, 0 at its end.
func (j *JSON) count() int64 {
	n := j.long()
	if n >= 0 {
		return n
	}
	j.long() // bytes
	if n == math.MinInt64 {
		j.fail()
		return 0
	}
	return -n
}

func (j *JSON) union(s *schema.Schema) {
	i := j.index(len(s.Branches))
	if i < 0 {
		return
	}
	b := s.Branches[i]
	if b.Kind == schema.Null || j.Plain {
		j.value(b)
		return
	}
	j.text("{")
	j.quoted([]byte(b.TypeName()))
	j.text(":")
	j.value(b)
	j.text("}")
}

// long takes a number.
func (j *JSON) long() int64 {
	v, n := block.ReadLong(j.src)
	if n <= 0 {
		j.fail()
		return 0
	}
	j.src = j.src[n:]
	return v
}

// index takes a number below n; -1 is an error.
func (j *JSON) index(n int) int {
	v := j.long()
	if j.err != nil || v < 0 || v >= int64(n) {
		j.fail()
		return -1
	}
	return int(v)
}

// take takes n bytes. If there are not as many it returns eight zeros.
func (j *JSON) take(n int64) []byte {
	if n < 0 || n > int64(len(j.src)) {
		j.fail()
		return make([]byte, 8)
	}
	b := j.src[:n]
	j.src = j.src[n:]
	return b
}

func (j *JSON) fail() {
	if j.err == nil {
		j.err = fmt.Errorf("%w: %d bytes are left", ErrRow, len(j.src))
	}
	j.src = nil
}

// float writes the shortest number that reads back as v, with a point or an exponent.
func (j *JSON) float(v float64, bits int) {
	switch {
	case math.IsNaN(v):
		j.text(`"NaN"`)
	case math.IsInf(v, 1):
		j.text(`"Infinity"`)
	case math.IsInf(v, -1):
		j.text(`"-Infinity"`)
	default:
		format := byte('f')
		if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
			format = 'e'
		}
		j.buf = strconv.AppendFloat(j.buf, v, format, -1, bits)
		if format == 'f' && v == math.Trunc(v) {
			j.buf = append(j.buf, ".0"...)
		}
		j.text("")
	}
}

const hexDigits = "0123456789abcdef"

// plain reports whether a byte stands for itself in a JSON string.
func plain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

// quoted writes a string.
func (j *JSON) quoted(s []byte) {
	j.buf = append(j.buf, '"')
	for len(s) > 0 {
		n := 0
		for n < len(s) && plain(s[n]) {
			n++
		}
		j.buf = append(j.buf, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		r, size := utf8.DecodeRune(s)
		j.rune(r)
		s = s[size:]
	}
	j.text(`"`)
}

// latin writes bytes as the characters of the same numbers.
func (j *JSON) latin(s []byte) {
	j.buf = append(j.buf, '"')
	for _, c := range s {
		j.rune(rune(c))
	}
	j.text(`"`)
}

// rune writes one character of a string.
func (j *JSON) rune(r rune) {
	switch {
	case r == '"' || r == '\\':
		j.buf = append(j.buf, '\\', byte(r))
	case r == '\n':
		j.buf = append(j.buf, `\n`...)
	case r < ' ' || r >= 0x7f && r < 0xa0: // control characters
		j.buf = append(j.buf, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	default:
		j.buf = utf8.AppendRune(j.buf, r)
	}
}
