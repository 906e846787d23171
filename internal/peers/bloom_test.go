package peers

import (
	"math/rand/v2"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"avro2trevni/parquet"
)

// TestBloomFilters asks parquet-go for all values of columns with bloom filters, and for others.
func TestBloomFilters(t *testing.T) {
	s := everyType(t)
	m := random(rand.New(rand.NewPCG(9, 10)), s)
	for _, o := range options(t)[:8] {
		for c, l := range s.Leaves {
			if l.Type != parquet.Boolean && c%2 == 0 {
				o.Filters = append(o.Filters, c)
			}
		}
		file := m.write(t, s, o, parquet.WriterOptions{})
		same(t, s, m, file)
		f := open(t, file)
		for g, group := range f.RowGroups() {
			for c, chunk := range group.ColumnChunks() {
				filter := chunk.BloomFilter()
				if (filter != nil) != (c%2 == 0 && s.Leaves[c].Type != parquet.Boolean) {
					t.Fatalf("column %v: filter %v", s.Leaves[c], filter)
				}
				if filter != nil {
					checkFilter(t, s.Leaves[c], m[g][c], filter, chunk.Type().Kind())
				}
			}
		}
	}
}

func checkFilter(t *testing.T, l *parquet.Leaf, pages []page, filter pq.BloomFilter, kind pq.Kind) {
	t.Helper()
	for _, p := range pages {
		for _, e := range p {
			if e.value == nil {
				continue
			}
			if ok, err := filter.Check(kind.Value(e.value)); err != nil || !ok {
				t.Fatalf("column %v: %x is not there: %v", l, e.value, err)
			}
		}
	}
	wrong := 0
	for i := range 1000 {
		value := make([]byte, max(8, l.Length))
		for j := range value {
			value[j] = byte(i>>(j%8) + j + 100)
		}
		switch l.Type {
		case parquet.Int32, parquet.Float:
			value = value[:4]
		case parquet.FixedLenByteArray:
			value = value[:l.Length]
		}
		if ok, _ := filter.Check(kind.Value(value)); ok {
			wrong++
		}
	}
	if wrong > 100 {
		t.Errorf("column %v: %d of 1000 values seem to be there", l, wrong)
	}
}
