package schema

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Errors of [Defaults].
var (
	ErrNoDefault = errors.New("schema: field has no default")
	ErrDefault   = errors.New("schema: default does not fit its type")
)

// Defaults returns the defaults of a text's fields, in Avro's binary encoding. The total
// size of the defaults that one Defaults returns is bounded. It is for one goroutine at a
// time.
type Defaults struct {
	t     *Text
	size  int // bytes and values of those encoded
	depth int // those that the one in work stands in
}

// Defaults returns the defaults of t's fields.
func (t *Text) Defaults() *Defaults { return &Defaults{t: t} }

// Of returns the default of field i of a record: [ErrNoDefault] if it has none,
// [ErrDefault] if that is no value of the field's type. Java reads a union's default
// as the first branch that it is a value of, and so does this.
func (d *Defaults) Of(record *Schema, i int) ([]byte, error) {
	f := record.Fields[i]
	v, ok := d.t.defaultOf(record, i)
	if !ok {
		return nil, fmt.Errorf("%w: %q of %s", ErrNoDefault, f.Name, record)
	}
	if d.depth++; d.depth > MaxDepth {
		return nil, fmt.Errorf("%w: %s has defaults within defaults without end", ErrDefault, record)
	}
	b, err := d.encode(nil, v, f.Type)
	d.depth--
	if err != nil {
		return nil, fmt.Errorf("%w: field %q of %s", err, f.Name, record)
	}
	d.size += len(b)
	return b, nil
}

// maxDefaults is the largest number of bytes and values of all defaults: nested records may
// each have defaults of their own, so that a short text can require any number.
const maxDefaults = 1 << 26

// encode appends a default, as JSON has it, in Avro's encoding.
func (d *Defaults) encode(dst []byte, v any, s *Schema) ([]byte, error) {
	if d.size++; d.size > maxDefaults {
		return nil, fmt.Errorf("%w: more than %d bytes and values", ErrDefault, maxDefaults)
	}
	switch s.Kind {
	case Record:
		return d.encodeRecord(dst, v, s)
	case Array, Map:
		return d.encodeArray(dst, v, s)
	case Union:
		return d.encodeUnion(dst, v, s)
	case Int, Long, Float, Double:
		return encodeNumber(dst, v, s)
	}
	switch v := v.(type) {
	case nil:
		if s.Kind == Null {
			return dst, nil
		}
	case bool:
		if s.Kind == Boolean && v {
			return append(dst, 1), nil
		} else if s.Kind == Boolean {
			return append(dst, 0), nil
		}
	case string:
		return encodeText(dst, v, s)
	}
	return nil, errDefault(v, s)
}

func errDefault(v any, s *Schema) error {
	return fmt.Errorf("%w: %.60q for %s", ErrDefault, fmt.Sprint(v), s)
}

// encodeNumber appends a number; of floats also the names JSON has no numbers for.
func encodeNumber(dst []byte, v any, s *Schema) ([]byte, error) {
	n, ok := v.(json.Number)
	if name, is := v.(string); is && (name == "NaN" || name == "Infinity" || name == "-Infinity") {
		n, ok = json.Number(name), s.Kind == Float || s.Kind == Double
	}
	if !ok {
		return nil, errDefault(v, s)
	}
	switch s.Kind {
	case Int, Long:
		i, err := n.Int64()
		if err != nil || s.Kind == Int && i != int64(int32(i)) {
			return nil, errDefault(v, s)
		}
		return binary.AppendVarint(dst, i), nil
	case Float:
		f, err := strconv.ParseFloat(n.String(), 32)
		if err != nil {
			return nil, errDefault(v, s)
		}
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), nil
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return nil, errDefault(v, s)
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), nil
}

// encodeText appends what JSON has as a string. That of bytes and fixed has a
// character below 256 for each byte.
func encodeText(dst []byte, v string, s *Schema) ([]byte, error) {
	switch s.Kind {
	case String:
		return append(binary.AppendVarint(dst, int64(len(v))), v...), nil
	case Enum:
		if i := slices.Index(s.Symbols, v); i >= 0 {
			return binary.AppendVarint(dst, int64(i)), nil
		}
		return nil, errDefault(v, s)
	case Bytes:
		dst = binary.AppendVarint(dst, int64(utf8.RuneCountInString(v)))
	case Fixed:
		if int64(utf8.RuneCountInString(v)) != s.Size {
			return nil, errDefault(v, s)
		}
	default:
		return nil, errDefault(v, s)
	}
	for _, r := range v {
		if r > 255 {
			return nil, errDefault(v, s)
		}
		dst = append(dst, byte(r))
	}
	return dst, nil
}

// encodeArray appends an array or a map.
func (d *Defaults) encodeArray(dst []byte, v any, s *Schema) ([]byte, error) {
	list, isList := v.([]any)
	members, isObject := v.(object)
	if s.Kind == Array && !isList || s.Kind == Map && !isObject {
		return nil, errDefault(v, s)
	}
	if n := len(list) + len(members); n > 0 {
		dst = binary.AppendVarint(dst, int64(n))
	}
	var err error
	for _, e := range list {
		if dst, err = d.encode(dst, e, s.Items); err != nil {
			return nil, err
		}
	}
	for _, m := range members {
		dst = append(binary.AppendVarint(dst, int64(len(m.key))), m.key...)
		if dst, err = d.encode(dst, m.value, s.Items); err != nil {
			return nil, err
		}
	}
	return append(dst, 0), nil
}

// encodeUnion appends the first branch that matches the value: the specification requires
// the first branch of the union, but writers also use others.
func (d *Defaults) encodeUnion(dst []byte, v any, s *Schema) ([]byte, error) {
	n := len(dst)
	for i, b := range s.Branches {
		if out, err := d.encode(binary.AppendVarint(dst[:n], int64(i)), v, b); err == nil {
			return out, nil
		}
	}
	return nil, errDefault(v, s)
}

// encodeRecord appends a record; fields that the value lacks have their own default.
func (d *Defaults) encodeRecord(dst []byte, v any, s *Schema) ([]byte, error) {
	o, ok := v.(object)
	if !ok {
		return nil, errDefault(v, s)
	}
	for i, f := range s.Fields {
		at, ok := o.find(f.Name)
		if !ok {
			b, err := d.Of(s, i)
			if err != nil {
				return nil, err
			}
			dst = append(dst, b...)
			continue
		}
		var err error
		if dst, err = d.encode(dst, o[at].value, f.Type); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
