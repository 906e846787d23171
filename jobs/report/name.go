package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Name is a name as JSON: a string, or {"base64": "..."} if it is not UTF-8, which JSON
// strings cannot hold.
type Name string

type base64Name struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements [json.Marshaler].
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(base64Name{[]byte(n)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Name) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var b base64Name
		err := json.Unmarshal(data, &b)
		*n = Name(b.Base64)
		return err
	}
	return json.Unmarshal(data, (*string)(n))
}

// base64Key occurs in the text of a name that is not a string. Few of many thousand inputs
// have one, and a report without it is read and written at once.
var base64Key = []byte(`"base64"`)

// Lossy returns a name as older manifests have it, with U+FFFD for each byte that is not
// UTF-8.
func Lossy(name string) string { return string([]rune(name)) }

// Printable returns a name for a message, in quotes if it would not be readable otherwise.
func Printable(name string) string {
	if !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// In JSON the names of a report are of type Name. The types below have the fields of the
// report's types, without their methods; an outer field hides an embedded one of the same
// key.
type (
	inputFields   Input
	outputFields  Output
	skippedFields Skipped
)

type inputJSON struct {
	Path Name `json:"path"`
	File Name `json:"file,omitempty"`
	*inputFields
}

// MarshalJSON implements [json.Marshaler].
func (r Input) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(r.Path) && utf8.ValidString(r.File) {
		return json.Marshal((*inputFields)(&r))
	}
	return json.Marshal(inputJSON{Name(r.Path), Name(r.File), (*inputFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Input) UnmarshalJSON(data []byte) error {
	if !bytes.Contains(data, base64Key) {
		return json.Unmarshal(data, (*inputFields)(r))
	}
	j := inputJSON{inputFields: (*inputFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path, r.File = string(j.Path), string(j.File)
	return err
}

type outputJSON struct {
	Path Name `json:"path"`
	*outputFields
}

// MarshalJSON implements [json.Marshaler].
func (r Output) MarshalJSON() ([]byte, error) {
	return json.Marshal(outputJSON{Name(r.Path), (*outputFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Output) UnmarshalJSON(data []byte) error {
	j := outputJSON{outputFields: (*outputFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path = string(j.Path)
	return err
}

type skippedJSON struct {
	Path Name `json:"path"`
	Real Name `json:"real,omitempty"`
	*skippedFields
}

// MarshalJSON implements [json.Marshaler].
func (r Skipped) MarshalJSON() ([]byte, error) {
	return json.Marshal(skippedJSON{Name(r.Path), Name(r.Real), (*skippedFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Skipped) UnmarshalJSON(data []byte) error {
	j := skippedJSON{skippedFields: (*skippedFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path, r.Real = string(j.Path), string(j.Real)
	return err
}
