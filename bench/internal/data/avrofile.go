package data

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/linkedin/goavro/v2"
)

// blockBytes is Java's default sync interval: the raw bytes at which Avro's own
// writers, and most others, end a block.
const blockBytes = 64000

// sampleRows is how many rows are encoded beforehand to learn the bytes of a row.
const sampleRows = 2000

// Table is rows to be written as Avro: a schema and a generator that hands each
// row to emit, as goavro wants it, always the same rows in the same order. A row
// belongs to the caller of emit; the generator must not change it afterwards.
type Table struct {
	Name   string
	Schema string
	rows   func(emit func(row any) error) error
}

// WriteAvro writes t once into one file for each codec given, at
// DIR/NAME-CODEC.avro, with blocks of about blockBytes. goavro writes them, so
// that neither we nor Java grade our own work. A file comes under its name only
// once it is whole; names that exist already are left as they are.
func WriteAvro(dir string, t Table, codecs ...string) (err error) {
	var files []*avroFile
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.close(err == nil))
		}
	}()
	for _, codec := range codecs {
		path := fmt.Sprintf("%s/%s-%s.avro", dir, t.Name, codec)
		if Exists(path) {
			continue
		}
		f, err := newAvroFile(path, t.Schema, codec)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	perBlock, err := rowsPerBlock(t)
	if err != nil {
		return err
	}
	return batches(t, perBlock, func(rows []any) error { return appendAll(files, rows) })
}

// appendAll writes rows as one block of each file, side by side.
func appendAll(files []*avroFile, rows []any) error {
	done := make(chan error, len(files))
	for _, f := range files {
		go func() { done <- f.ocf.Append(rows) }()
	}
	var err error
	for range files {
		err = errors.Join(err, <-done)
	}
	return err
}

// batches cuts t's rows into slices of n; the last may be shorter.
func batches(t Table, n int, write func([]any) error) error {
	batch := make([]any, 0, n)
	err := t.rows(func(row any) error {
		batch = append(batch, row)
		if len(batch) < n {
			return nil
		}
		err := write(batch)
		batch = batch[:0]
		return err
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return write(batch)
}

var errEnough = errors.New("bench: enough rows")

// rowsPerBlock encodes the first rows of t and returns how many make a block.
func rowsPerBlock(t Table) (int, error) {
	codec, err := goavro.NewCodec(t.Schema)
	if err != nil {
		return 0, fmt.Errorf("bench: schema of %s: %w", t.Name, err)
	}
	var raw []byte
	rows := 0
	err = t.rows(func(row any) (err error) {
		if raw, err = codec.BinaryFromNative(raw, row); err != nil {
			return fmt.Errorf("bench: row %d of %s: %w", rows, t.Name, err)
		}
		if rows++; rows == sampleRows {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, err
	}
	if rows == 0 {
		return 1, nil
	}
	return max(1, blockBytes*rows/max(1, len(raw))), nil
}

// avroFile is an Avro file being written under a temporary name.
type avroFile struct {
	path string
	f    *os.File
	buf  *bufio.Writer
	ocf  *goavro.OCFWriter
}

func newAvroFile(path, schema, codec string) (*avroFile, error) {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(f, 1<<20)
	ocf, err := goavro.NewOCFWriter(goavro.OCFConfig{W: buf, Schema: schema, CompressionName: codec})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bench: %s: %w", path, err), f.Close())
	}
	return &avroFile{path: path, f: f, buf: buf, ocf: ocf}, nil
}

// close ends the file; it gets its name if all went well and whole is true.
func (a *avroFile) close(whole bool) error {
	err := errors.Join(a.buf.Flush(), a.f.Close())
	if err != nil || !whole {
		return errors.Join(err, os.Remove(a.f.Name()))
	}
	return os.Rename(a.f.Name(), a.path)
}

func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Few is t cut after n rows.
func Few(t Table, n int) Table {
	rows := t.rows
	t.rows = func(emit func(any) error) error {
		left := n
		err := rows(func(row any) error {
			if left == 0 {
				return errEnough
			}
			left--
			return emit(row)
		})
		if err == errEnough {
			return nil
		}
		return err
	}
	return t
}
