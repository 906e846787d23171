package trevni_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// twoRows makes a file of a long column and an array column of strings.
func twoRows() []byte {
	h := &trevni.Header{Rows: 2, Columns: []trevni.Column{
		{Name: "id", Type: trevni.Long},
		{Name: "to[]", Type: trevni.String, Array: true},
	}}
	h.SetCodec("snappy")
	h.SetChecksum(trevni.ChecksumCRC32)

	// One block a column, before compression: values, in arrays after their number.
	ids := block.AppendLong(block.AppendLong(nil, 566), 567)
	var lengths block.Lengths
	lengths.Reset()
	to := lengths.Add(nil, 2)
	to = append(block.AppendLong(to, 3), "ann"...)
	to = append(block.AppendLong(to, 3), "bob"...)
	to = lengths.Close(lengths.Add(to, 0))

	enc, err := block.NewEncoder(block.Coding{Codec: block.Codec{Name: "snappy"}, Checksum: trevni.ChecksumCRC32})
	if err != nil {
		log.Fatal(err)
	}
	var blocks [][]trevni.Block
	var data [][]byte
	for _, raw := range [][]byte{ids, to} {
		d, err := enc.Append(nil, raw)
		if err != nil {
			log.Fatal(err)
		}
		size := len(d) - trevni.ChecksumCRC32.Size()
		blocks = append(blocks, []trevni.Block{{Rows: 2, RawSize: uint32(len(raw)), Size: uint32(size)}})
		data = append(data, d)
	}

	var file bytes.Buffer
	w, err := trevni.NewBlockWriter(&file, h, blocks)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range data {
		if err := w.WriteBlock(d); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

func ExampleNewBlockWriter() {
	fmt.Printf("%d bytes, magic %q\n", len(twoRows()), twoRows()[:4])
	// Output: 217 bytes, magic "Trv\x02"
}

func ExampleNewReader() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), &trevni.ReaderOptions{Path: "two.trv"})
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range r.Header().Columns {
		blocks, err := r.Blocks(i)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Name, c.Type, c.Array, blocks[0].Rows, blocks[0].RawSize)
	}
	// Output:
	// id long false 2 4
	// to[] string true 2 10
}

func ExampleReader_Column() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.ColumnNamed("to[]")
	if err != nil {
		log.Fatal(err)
	}
	lengths, names := make([]int32, 1024), make([][]byte, 1024)
	n, err := c.ReadLengths(lengths)
	if err != nil {
		log.Fatal(err)
	}
	for _, length := range lengths[:n] {
		k, err := c.ReadBytes(names[:length])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d: %s\n", length, names[:k])
	}
	_, err = c.ReadLengths(lengths)
	fmt.Println(err == io.EOF)
	// Output:
	// 2: [ann bob]
	// 0: []
	// true
}

func ExampleOpenFile() {
	dir, err := os.MkdirTemp("", "trevni")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "two.trv")
	if err := os.WriteFile(name, twoRows(), 0o600); err != nil {
		log.Fatal(err)
	}
	f, err := trevni.OpenFile(name, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	ids, err := f.ColumnNamed("id")
	if err != nil {
		log.Fatal(err)
	}
	sum := int64(0)
	for id, err := range trevni.Values[int64](ids) {
		if err != nil {
			log.Fatal(err)
		}
		sum += id
	}
	fmt.Println(f.Header().Rows, sum)
	// Output: 2 1133
}

func ExampleColumnReader_ReadLongs() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.ColumnNamed("id")
	if err != nil {
		log.Fatal(err)
	}
	sum, batch := int64(0), make([]int64, 1024)
	for err == nil {
		var n int
		n, err = c.ReadLongs(batch)
		for _, v := range batch[:n] {
			sum += v
		}
	}
	fmt.Println(sum, err)
	// Output: 1133 EOF
}

func ExampleColumnReader_SeekRow() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.ColumnNamed("id")
	if err != nil {
		log.Fatal(err)
	}
	if err := c.SeekRow(1); err != nil {
		log.Fatal(err)
	}
	batch := make([]int64, 10)
	n, err := c.ReadLongs(batch)
	fmt.Println(batch[:n], err)
	// Output: [567] <nil>
}

func ExampleValues() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.ColumnNamed("id")
	if err != nil {
		log.Fatal(err)
	}
	for id, err := range trevni.Values[int64](c) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
	}
	// Output:
	// 566
	// 567
}

func ExampleSequences() {
	file := twoRows()
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.ColumnNamed("to[]")
	if err != nil {
		log.Fatal(err)
	}
	for to, err := range trevni.Sequences[string](c) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q\n", to)
	}
	// Output:
	// ["ann" "bob"]
	// []
}

func ExampleNewWriter() {
	h := &trevni.Header{Columns: []trevni.Column{
		{Name: "id", Type: trevni.Long},
		{Name: "to[]", Type: trevni.String, Array: true},
	}}
	h.SetCodec("snappy")
	h.SetChecksum(trevni.ChecksumCRC32)
	var file bytes.Buffer
	b, err := trevni.NewWriter(&file, h, nil)
	if err != nil {
		log.Fatal(err)
	}
	id, to := b.Column(0), b.Column(1)
	err = errors.Join(
		id.Row(), id.Long(566), to.Row(), to.Length(2), to.String("ann"), to.String("bob"),
		id.Row(), id.Long(567), to.Row(), to.Length(0),
		b.Close(),
	)
	fmt.Println(bytes.Equal(file.Bytes(), twoRows()), err)
	// Output: true <nil>
}
