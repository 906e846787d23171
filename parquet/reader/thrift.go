package reader

import "avro2trevni/parquet/internal/thriftscan"

var (
	fileMetaDataShape = thriftscan.ShapeOf[fileMetaData]()
	pageHeaderShape   = thriftscan.ShapeOf[pageHeader]()
	offsetIndexShape  = thriftscan.ShapeOf[offsetIndex]()
	columnIndexShape  = thriftscan.ShapeOf[columnIndex]()
)

// unmarshal decodes the structure that b begins with.
func unmarshal(b []byte, s *thriftscan.Shape, v any) error {
	if err := thriftscan.Unmarshal(b, s, v); err != nil {
		return corruptf("%w", err)
	}
	return nil
}
