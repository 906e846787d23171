package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	aq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"avro2trevni/parquet"
)

// arrowEntries returns all entries of a column chunk as arrow-go reads them.
func arrowEntries(t *testing.T, r file.ColumnChunkReader, most int, n int64) page {
	t.Helper()
	switch r := r.(type) {
	case *file.BooleanColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v bool) []byte {
			if v {
				return []byte{1}
			}
			return []byte{0}
		})
	case *file.Int32ColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) })
	case *file.Int64ColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) })
	case *file.Float32ColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) })
	case *file.Float64ColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) })
	case *file.ByteArrayColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v aq.ByteArray) []byte { return append([]byte{}, v...) })
	case *file.FixedLenByteArrayColumnChunkReader:
		return batches(t, n, most, r.ReadBatch, func(v aq.FixedLenByteArray) []byte { return append([]byte{}, v...) })
	}
	t.Fatalf("%T", r)
	return nil
}

// batches reads n entries, a few at a time: what values are in is not theirs after the next
// batch.
func batches[T any](t *testing.T, n int64, most int, read func(int64, []T, []int16, []int16) (int64, int, error), plain func(T) []byte) page {
	t.Helper()
	var all page
	for int64(len(all)) < n {
		const batch = 100
		values, def, rep := make([]T, batch), make([]int16, batch), make([]int16, batch)
		total, got, err := read(batch, values, def, rep)
		if err != nil || total == 0 {
			t.Fatalf("%d of %d entries: %v", len(all), n, err)
		}
		at := 0
		for i := range total {
			e := entry{def: int(def[i]), rep: int(rep[i])}
			if e.def == most {
				e.value = plain(values[at])
				at++
			}
			all = append(all, e)
		}
		if at != got {
			t.Fatalf("%d values, %d by their levels", got, at)
		}
	}
	return all
}

// sameArrow compares what arrow-go reads with what was written.
func sameArrow(t *testing.T, s *parquet.Schema, m made, written []byte) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.NumRowGroups() != len(m) {
		t.Fatalf("%d row groups", f.NumRowGroups())
	}
	for g, group := range m {
		for c, pages := range group {
			var want page
			for _, p := range pages {
				want = append(want, p...)
			}
			r, err := f.RowGroup(g).Column(c)
			if err != nil {
				t.Fatal(err)
			}
			chunk, err := f.MetaData().RowGroup(g).ColumnChunk(c)
			if err != nil {
				t.Fatal(err)
			}
			sameEntries(t, s.Leaves[c], want, arrowEntries(t, r, s.Leaves[c].MaxDef, chunk.NumValues()))
		}
	}
}

func TestEveryTypeArrow(t *testing.T) {
	s := everyType(t)
	m := random(rand.New(rand.NewPCG(3, 4)), s)
	for _, o := range options(t) {
		t.Run(fmt.Sprintf("%v,v%d,modern=%v,limit=%d", o.Codec, o.PageVersion, o.Modern, o.DictionaryBytes), func(t *testing.T) {
			sameArrow(t, s, m, m.write(t, s, o, parquet.WriterOptions{CreatedBy: "peers version 1.0.0 (build 0)"}))
		})
	}
}
