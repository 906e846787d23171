package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// member is one key of a JSON object.
type member struct {
	key   string
	value any
}

// object is a JSON object whose keys keep their order; of several members with one key
// the last. Other values are []any, string, json.Number, bool and nil.
type object []member

// find reports whether there is a key, and where.
func (o object) find(key string) (int, bool) {
	i := slices.IndexFunc(o, func(m member) bool { return m.key == key })
	return max(i, 0), i >= 0
}

// get returns the value of a key, nil if there is none.
func (o object) get(key string) any {
	if i, ok := o.find(key); ok {
		return o[i].value
	}
	return nil
}

// maxNesting is the largest depth of nested values.
const maxNesting = 4096

var errNesting = errors.New("JSON nests too deep")

// decodeJSON decodes a text of one value.
func decodeJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("JSON: %w", brief{err})
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("JSON: there is more after the schema")
	}
	return v, nil
}

// withoutComments returns a text with a space for each comment, // and /* */, which
// Java takes between the parts of JSON.
func withoutComments(text string) string {
	if !strings.Contains(text, "//") && !strings.Contains(text, "/*") {
		return text
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\' && i+1 < len(text):
			b.WriteByte(text[i])
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted:
			if n := comment(text[i:]); n > 0 {
				b.WriteByte(' ')
				i += n - 1
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// comment returns the bytes of the comment that a text begins with, 0 for none.
func comment(text string) int {
	switch {
	case strings.HasPrefix(text, "/*"):
		if i := strings.Index(text[2:], "*/"); i >= 0 {
			return i + 4
		}
		return len(text)
	case !strings.HasPrefix(text, "//"):
		return 0
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	switch {
	case !ok:
		return t, nil
	case depth == maxNesting:
		return nil, errNesting
	case delim == '[':
		return decodeArray(d, depth+1)
	}
	return decodeObject(d, depth+1)
}

func decodeArray(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := decodeValue(d, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(d, depth)
		if err != nil {
			return nil, err
		}
		o = append(o, member{key.(string), v})
	}
	_, err := d.Token()
	return o.lastOfEach(), err
}

// lastOfEach leaves out members of a key that another after them has.
func (o object) lastOfEach() object {
	last := make(map[string]int, len(o))
	for i, m := range o {
		last[m.key] = i
	}
	if len(last) == len(o) {
		return o
	}
	out := object{}
	for i, m := range o {
		if last[m.key] == i {
			out = append(out, m)
		}
	}
	return out
}

// MarshalJSON writes the object with its keys in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(&b, m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := writeJSON(&b, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeJSON writes a value without escapes that only HTML needs.
func writeJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the newline
	return nil
}

// strings returns the strings of a list.
func (o object) strings(key string) []string {
	list, _ := o.get(key).([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
