package jobs

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// jsonName is a name as JSON: a string, or where it is not UTF-8, which no string of JSON
// can hold, {"base64": "..."}.
type jsonName string

type base64Name struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements [json.Marshaler].
func (n jsonName) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(base64Name{[]byte(n)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *jsonName) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var b base64Name
		err := json.Unmarshal(data, &b)
		*n = jsonName(b.Base64)
		return err
	}
	return json.Unmarshal(data, (*string)(n))
}

// base64Key is in the text of a name that is no string. Of many thousand inputs few have
// one, and the others are read and written in one go.
var base64Key = []byte(`"base64"`)

// lossy returns a name as manifests once had it, where each byte that is not of UTF-8
// became U+FFFD.
func lossy(name string) string { return string([]rune(name)) }

// printable returns a name for a message: in quotes if it would not read as it is.
func printable(name string) string {
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

// The names of a report as JSON are jsonNames. The types below have the fields of the
// report's, and none of its methods; a field of the same key before them hides theirs.
type (
	inputFields   InputReport
	outputFields  OutputReport
	skippedFields SkippedReport
)

type inputJSON struct {
	Path jsonName `json:"path"`
	File jsonName `json:"file,omitempty"`
	*inputFields
}

// MarshalJSON implements [json.Marshaler].
func (r InputReport) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(r.Path) && utf8.ValidString(r.File) {
		return json.Marshal((*inputFields)(&r))
	}
	return json.Marshal(inputJSON{jsonName(r.Path), jsonName(r.File), (*inputFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *InputReport) UnmarshalJSON(data []byte) error {
	if !bytes.Contains(data, base64Key) {
		return json.Unmarshal(data, (*inputFields)(r))
	}
	j := inputJSON{inputFields: (*inputFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path, r.File = string(j.Path), string(j.File)
	return err
}

type outputJSON struct {
	Path jsonName `json:"path"`
	*outputFields
}

// MarshalJSON implements [json.Marshaler].
func (r OutputReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(outputJSON{jsonName(r.Path), (*outputFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *OutputReport) UnmarshalJSON(data []byte) error {
	j := outputJSON{outputFields: (*outputFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path = string(j.Path)
	return err
}

type skippedJSON struct {
	Path jsonName `json:"path"`
	Real jsonName `json:"real,omitempty"`
	*skippedFields
}

// MarshalJSON implements [json.Marshaler].
func (r SkippedReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(skippedJSON{jsonName(r.Path), jsonName(r.Real), (*skippedFields)(&r)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *SkippedReport) UnmarshalJSON(data []byte) error {
	j := skippedJSON{skippedFields: (*skippedFields)(r)}
	err := json.Unmarshal(data, &j)
	r.Path, r.Real = string(j.Path), string(j.Real)
	return err
}
