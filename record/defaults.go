package record

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// fieldDefault returns the default of field i of a record, as Avro.
func (t *text) fieldDefault(s *schema.Schema, i int) ([]byte, error) {
	f := s.Fields[i]
	at, ok := 0, false
	if fields := t.fields[s]; fields != nil {
		at, ok = fields[i].find("default")
	}
	if !ok {
		return nil, fmt.Errorf("%w: %q of %s", ErrNoDefault, f.Name, s)
	}
	if t.depth++; t.depth > schema.MaxDepth {
		return nil, fmt.Errorf("%w: %s has defaults within defaults without end", ErrDefault, s)
	}
	b, err := t.encode(nil, t.fields[s][i][at].value, f.Type)
	t.depth--
	if err != nil {
		return nil, fmt.Errorf("%w: field %q of %s", err, f.Name, s)
	}
	t.defaults += len(b)
	return b, nil
}

// maxDefaults is the most bytes and values of all defaults: records within records
// may each have some of their own, so that a short text can ask for any number.
const maxDefaults = 1 << 26

// encode appends a default, as JSON has it, in Avro's encoding.
func (t *text) encode(dst []byte, v any, s *schema.Schema) ([]byte, error) {
	if t.defaults++; t.defaults > maxDefaults {
		return nil, fmt.Errorf("%w: more than %d bytes and values", ErrDefault, maxDefaults)
	}
	switch s.Kind {
	case schema.Record:
		return t.encodeRecord(dst, v, s)
	case schema.Array, schema.Map:
		return t.encodeArray(dst, v, s)
	case schema.Union:
		return t.encodeUnion(dst, v, s)
	case schema.Int, schema.Long, schema.Float, schema.Double:
		return encodeNumber(dst, v, s)
	}
	switch v := v.(type) {
	case nil:
		if s.Kind == schema.Null {
			return dst, nil
		}
	case bool:
		if s.Kind == schema.Boolean && v {
			return append(dst, 1), nil
		} else if s.Kind == schema.Boolean {
			return append(dst, 0), nil
		}
	case string:
		return encodeText(dst, v, s)
	}
	return nil, errDefault(v, s)
}

func errDefault(v any, s *schema.Schema) error {
	return fmt.Errorf("%w: %.60q for %s", ErrDefault, fmt.Sprint(v), s)
}

// encodeNumber appends a number; of floats also the names JSON has no numbers for.
func encodeNumber(dst []byte, v any, s *schema.Schema) ([]byte, error) {
	n, ok := v.(json.Number)
	if name, is := v.(string); is && (name == "NaN" || name == "Infinity" || name == "-Infinity") {
		n, ok = json.Number(name), s.Kind == schema.Float || s.Kind == schema.Double
	}
	if !ok {
		return nil, errDefault(v, s)
	}
	switch s.Kind {
	case schema.Int, schema.Long:
		i, err := n.Int64()
		if err != nil || s.Kind == schema.Int && i != int64(int32(i)) {
			return nil, errDefault(v, s)
		}
		return trevni.AppendLong(dst, i), nil
	case schema.Float:
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
func encodeText(dst []byte, v string, s *schema.Schema) ([]byte, error) {
	switch s.Kind {
	case schema.String:
		return append(trevni.AppendLong(dst, int64(len(v))), v...), nil
	case schema.Enum:
		if i := slices.Index(s.Symbols, v); i >= 0 {
			return trevni.AppendLong(dst, int64(i)), nil
		}
		return nil, errDefault(v, s)
	case schema.Bytes:
		dst = trevni.AppendLong(dst, int64(utf8.RuneCountInString(v)))
	case schema.Fixed:
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
func (t *text) encodeArray(dst []byte, v any, s *schema.Schema) ([]byte, error) {
	list, isList := v.([]any)
	members, isObject := v.(object)
	if s.Kind == schema.Array && !isList || s.Kind == schema.Map && !isObject {
		return nil, errDefault(v, s)
	}
	if n := len(list) + len(members); n > 0 {
		dst = trevni.AppendLong(dst, int64(n))
	}
	var err error
	for _, e := range list {
		if dst, err = t.encode(dst, e, s.Items); err != nil {
			return nil, err
		}
	}
	for _, m := range members {
		dst = append(trevni.AppendLong(dst, int64(len(m.key))), m.key...)
		if dst, err = t.encode(dst, m.value, s.Items); err != nil {
			return nil, err
		}
	}
	return append(dst, 0), nil
}

// encodeUnion appends the first branch that the value is one of: the specification
// asks for the first of all, and writers also give others.
func (t *text) encodeUnion(dst []byte, v any, s *schema.Schema) ([]byte, error) {
	n := len(dst)
	for i, b := range s.Branches {
		if out, err := t.encode(trevni.AppendLong(dst[:n], int64(i)), v, b); err == nil {
			return out, nil
		}
	}
	return nil, errDefault(v, s)
}

// encodeRecord appends a record; fields that the value lacks have their own default.
func (t *text) encodeRecord(dst []byte, v any, s *schema.Schema) ([]byte, error) {
	o, ok := v.(object)
	if !ok {
		return nil, errDefault(v, s)
	}
	for i, f := range s.Fields {
		at, ok := o.find(f.Name)
		if !ok {
			b, err := t.fieldDefault(s, i)
			if err != nil {
				return nil, err
			}
			dst = append(dst, b...)
			continue
		}
		var err error
		if dst, err = t.encode(dst, o[at].value, f.Type); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
