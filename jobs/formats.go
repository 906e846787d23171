package jobs

import (
	"path/filepath"

	"avro2trevni/internal/format"
	"avro2trevni/internal/format/trevni"
)

// formats are the formats of files, by how names of files end. The first is that of a folder's.
var formats = []format.Format{
	trevni.Format{},
}

// format returns the format of the job's files.
func (o *Options) format() format.Format {
	for _, f := range formats {
		if filepath.Ext(o.Output) == f.Ext() {
			return f
		}
	}
	return formats[0]
}

// words returns the options whose meaning is the format's.
func (o *Options) words() *format.Words {
	return &format.Words{
		Codec: o.Codec, Checksum: o.Checksum, Index: o.Index, BlockSize: o.BlockSize, FileSize: o.fileLimit(), Digests: o.Verify,
	}
}

// reserved reports whether a key of metadata is the format's own.
func (o *Options) reserved(key string) bool { return format.Reserved(o.format(), key) }
