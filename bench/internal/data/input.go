package data

import (
	"fmt"
	"os"

	"avro2trevni/internal/ocf"
)

// CheckAvro demands an Avro file whose header can be read.
func CheckAvro(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	_, err = ocf.ReadHeader(f, info.Size(), path, ocf.Limits{})
	return err
}
