package s3

import (
	"testing"

	"avro2trevni/internal/storage/storagetest"
)

// The bucket keeps what object storage promises to those who publish.
func TestContract(t *testing.T) {
	each(t, func(t *testing.T, f *FS) { storagetest.Contract(t, f, "s3://bucket/dir") })
}
