package parquet

import (
	"errors"
	"fmt"

	"avro2trevni/parquet/internal/thriftscan"
)

// ErrCorrupt is the error for a file that is not whole, or no Parquet file at all.
var ErrCorrupt = errors.New("parquet: damaged file")

var fileMetaDataShape = thriftscan.ShapeOf[fileMetaData]()

// unmarshalFooter decodes a footer, whatever its bytes are.
func unmarshalFooter(b []byte) (*fileMetaData, error) {
	f := new(fileMetaData)
	if err := thriftscan.Unmarshal(b, fileMetaDataShape, f); err != nil {
		return nil, fmt.Errorf("%w: footer: %w", ErrCorrupt, err)
	}
	return f, nil
}
