package peers

import (
	"io"
	"os"
	"syscall"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"avro2trevni/parquet/reader"
)

// lineitem is a Parquet file of TPC-H's lineitem, made by convert with its defaults:
// bin/convert .cache/bench/lineitem-snappy.avro .cache/bench/lineitem.parquet
const lineitem = "../../.cache/bench/lineitem.parquet"

// BenchmarkColumn reads whole columns of lineitem, one of them at a time, with this project's
// reader and with parquet-go. Both compare checksums. B/s are of bytes in the file.
func BenchmarkColumn(b *testing.B) {
	f, err := reader.OpenFile(lineitem, nil)
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	for i, leaf := range f.Schema.Leaves {
		stored, entries := int64(0), int64(0)
		for _, g := range f.RowGroups {
			stored += g.Chunks[i].Stored
			entries += g.Chunks[i].Entries
		}
		for name, read := range map[string]func(b *testing.B, leaf int) int64{"ours": readOurs, "parquet-go": readParquetGo} {
			b.Run("column="+leaf.String()+"/reader="+name, func(b *testing.B) {
				b.SetBytes(stored)
				b.ReportAllocs()
				before := userTime()
				for b.Loop() {
					if n := read(b, i); n != entries {
						b.Fatalf("%d entries, not %d", n, entries)
					}
				}
				b.ReportMetric(float64(userTime()-before)/float64(b.N)/1e6, "cpu-ms/op")
			})
		}
	}
}

// userTime returns the processor time that the process has used, in nanoseconds: unlike the time
// that passes, it does not depend much on what else the machine does.
func userTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano()
}

// readOurs returns how many entries the column has, all of whose levels and values were decoded.
func readOurs(b *testing.B, leaf int) (n int64) {
	f, err := reader.OpenFile(lineitem, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var batch reader.Batch
	var c *reader.Column
	for _, g := range f.RowGroups {
		if c == nil {
			c, err = g.Column(leaf)
		} else {
			err = c.Reset(g.Chunks[leaf])
		}
		if err != nil {
			b.Fatal(err)
		}
		for err = c.Next(&batch); err == nil; err = c.Next(&batch) {
			n += int64(batch.N)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	return n
}

func readParquetGo(b *testing.B, leaf int) (n int64) {
	r, err := os.Open(lineitem)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		b.Fatal(err)
	}
	f, err := pq.OpenFile(r, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		b.Fatal(err)
	}
	values := make([]pq.Value, 1024)
	for _, g := range f.RowGroups() {
		pages := g.ColumnChunks()[leaf].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			n += readValues(b, page, values)
			pq.Release(page)
		}
		if err := pages.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// readValues reads a page's values, in the quickest way that the page has for its type.
func readValues(b *testing.B, page pq.Page, values []pq.Value) (n int64) {
	var read func() (int, error)
	switch r := page.Values().(type) {
	case pq.Int32Reader:
		some := make([]int32, 4096)
		read = func() (int, error) { return r.ReadInt32s(some) }
	case pq.Int64Reader:
		some := make([]int64, 4096)
		read = func() (int, error) { return r.ReadInt64s(some) }
	case pq.DoubleReader:
		some := make([]float64, 4096)
		read = func() (int, error) { return r.ReadDoubles(some) }
	case pq.ValueReader:
		read = func() (int, error) { return r.ReadValues(values) }
	}
	for {
		m, err := read()
		n += int64(m)
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
