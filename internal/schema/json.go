package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// member is one key of a JSON object.
type member struct {
	key   string
	value any
}

// object is a JSON object whose keys keep their order. Other values are []any,
// string, json.Number, bool and nil.
type object []member

// find reports whether there is a key, and where. Of several the last counts.
func (o object) find(key string) (int, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].key == key {
			return i, true
		}
	}
	return 0, false
}

// get returns the value of a key, nil if there is none.
func (o object) get(key string) any {
	if i, ok := o.find(key); ok {
		return o[i].value
	}
	return nil
}

// maxNesting is the most values that may stand one in another.
const maxNesting = 4096

var errNesting = errors.New("JSON nests too deep")

// decodeJSON decodes the value that text begins with. What is behind it the schema's
// parser did not mind.
func decodeJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, fmt.Errorf("schema: text: %w", err)
	}
	return v, nil
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
	return o, err
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
