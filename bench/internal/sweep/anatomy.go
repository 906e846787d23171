package sweep

import (
	"fmt"
	"os"

	"avro2trevni/trevni"
)

// anatomy is where the bytes of Trevni files are.
type anatomy struct {
	Files       int   `json:"files"`
	Bytes       int64 `json:"bytes"`       // of the files; all that follow but Raw add up to it
	Header      int64 `json:"header"`      // counts, metadata and the columns' offsets
	Descriptors int64 `json:"descriptors"` // of blocks, with their number
	Checksums   int64 `json:"checksums"`
	Data        int64 `json:"data"` // blocks, compressed
	Raw         int64 `json:"raw"`  // blocks, before that: values and lengths
}

// overhead is the bytes that aren't data.
func (a anatomy) overhead() int64 { return a.Header + a.Descriptors + a.Checksums }

func anatomyOf(files []string) (a anatomy, err error) {
	for _, name := range files {
		if err := a.add(name); err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
	}
	if sum := a.overhead() + a.Data; sum != a.Bytes {
		return a, fmt.Errorf("bench: the parts of %d files are %d bytes, the files %d", a.Files, sum, a.Bytes)
	}
	return a, nil
}

func (a *anatomy) add(name string) error {
	f, err := trevni.OpenFile(name, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	a.Files++
	a.Bytes += info.Size()
	a.Header += f.HeaderSize()
	for i := range f.Header().Columns {
		if err := a.addColumn(f.Reader, i); err != nil {
			return err
		}
	}
	return nil
}

// Bytes in the file beside a block's own (section File Format).
const (
	countBytes      = 4  // a column's number of blocks
	descriptorBytes = 12 // without a first value
	sumBytes        = 4
)

func (a *anatomy) addColumn(r *trevni.Reader, i int) error {
	blocks, err := r.Blocks(i)
	if err != nil {
		return err
	}
	a.Descriptors += countBytes
	for _, b := range blocks {
		a.Descriptors += descriptorBytes + int64(len(b.FirstValue))
		a.Data += int64(b.Size)
		a.Raw += int64(b.RawSize)
		if r.Coding(i).Checksum != trevni.ChecksumNull {
			a.Checksums += sumBytes
		}
	}
	return nil
}
