package trevni

import (
	"fmt"
	"strings"

	"avro2trevni/trevni/block"
)

// Property is one key and value of a file's or a column's metadata.
type Property struct {
	Key   string // UTF-8
	Value []byte
}

// Metadata is a list of properties, in the order they stand in the file (section
// Metadata). Keys that start with "trevni." are reserved.
type Metadata []Property

// Get returns the value of a key, and whether the key exists. If a key is repeated the last
// value counts, as in the Java implementation.
func (m Metadata) Get(key string) ([]byte, bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Key == key {
			return m[i].Value, true
		}
	}
	return nil, false
}

// Set sets a key's value, in its present position or else after all others, and returns the
// metadata, as append does. The value is not copied.
func (m Metadata) Set(key string, value []byte) Metadata {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Key == key {
			m[i].Value = value
			return m
		}
	}
	return append(m, Property{Key: key, Value: value})
}

// ReservedKey reports whether a key is reserved for the format.
func ReservedKey(key string) bool { return strings.HasPrefix(key, reservedPrefix) }

// text returns a key's value as a string, "" if absent.
func (m Metadata) text(key string) string {
	v, _ := m.Get(key)
	return string(v)
}

// append appends the wire form: a count, and that many pairs; no closing zero.
func (m Metadata) append(dst []byte) []byte {
	dst = block.AppendLong(dst, int64(len(m)))
	for i := range m {
		dst = appendBytes(dst, m[i].Key)
		dst = appendBytes(dst, m[i].Value)
	}
	return dst
}

// unique reports the first key that stands twice, which no writer should write.
func (m Metadata) unique() error {
	seen := make(map[string]bool, len(m))
	for i := range m {
		if seen[m[i].Key] {
			return fmt.Errorf("metadata key %q stands twice", m[i].Key)
		}
		seen[m[i].Key] = true
	}
	return nil
}

// appendBytes appends a string or bytes primitive: a length and its bytes.
func appendBytes[T string | []byte](dst []byte, v T) []byte {
	return append(block.AppendLong(dst, int64(len(v))), v...)
}
