package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// A Type is a physical type, numbered as in files.
type Type uint8

// The physical types. INT96, of old timestamps, is not among them.
const (
	Boolean           = Type(format.Boolean)
	Int32             = Type(format.Int32)
	Int64             = Type(format.Int64)
	Float             = Type(format.Float)
	Double            = Type(format.Double)
	ByteArray         = Type(format.ByteArray)
	FixedLenByteArray = Type(format.FixedLenByteArray)
)

func (t Type) valid() bool {
	return t <= FixedLenByteArray && format.Type(t) != format.Int96
}

// String returns the name as the specification has it: INT32.
func (t Type) String() string {
	if !t.valid() {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return format.Type(t).String()
}

// A Repetition says how often a field is there in its group.
type Repetition uint8

// The repetitions.
const (
	Required = Repetition(format.Required) // once
	Optional = Repetition(format.Optional) // once or not at all
	Repeated = Repetition(format.Repeated) // any number of times
)

// String returns the name in lower case, as schemas are printed: required.
func (r Repetition) String() string {
	switch r {
	case Required:
		return "required"
	case Optional:
		return "optional"
	case Repeated:
		return "repeated"
	}
	return fmt.Sprintf("repetition %d", uint8(r))
}

// An Encoding is how the values of a page are encoded, numbered as in files.
type Encoding uint8

// The encodings of values.
const (
	Plain                = Encoding(format.Plain)
	RLE                  = Encoding(format.RLE)
	DeltaBinaryPacked    = Encoding(format.DeltaBinaryPacked)
	DeltaLengthByteArray = Encoding(format.DeltaLengthByteArray)
	DeltaByteArray       = Encoding(format.DeltaByteArray)
	RLEDictionary        = Encoding(format.RLEDictionary)
	ByteStreamSplit      = Encoding(format.ByteStreamSplit)
)

func (e Encoding) valid() bool {
	switch e {
	case Plain, RLE, DeltaBinaryPacked, DeltaLengthByteArray, DeltaByteArray, RLEDictionary, ByteStreamSplit:
		return true
	}
	return false
}

// String returns the name as the specification has it: RLE_DICTIONARY.
func (e Encoding) String() string {
	if !e.valid() {
		return fmt.Sprintf("encoding %d", uint8(e))
	}
	return format.Encoding(e).String()
}

// maxPage is the largest size of a page's body, and of a value in it, in bytes: the format
// has signed 32-bit numbers for them.
const maxPage = 1<<31 - 1
