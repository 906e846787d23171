package shuffle

import (
	"math"

	"avro2trevni/internal/tuple"
)

// Stats are sums over tuples.
type Stats struct {
	Tuples int64
	Rows   int64
	Values int64
	Raw    int64 // bytes before compression
	Size   int64 // bytes of the values, compressed, with checksums
}

// Stats sums up the tuples of a column that hold rows of [from, to), each counted
// whole, though it may begin before or end behind. It reads entries only. The errors
// are those of a [Scanner].
func (s *Shuffle) Stats(col uint32, from, to tuple.Row) (Stats, error) {
	sc := s.Scan(col, from, to)
	var t Stats
	for sc.Next() {
		t.Tuples++
		t.Rows += int64(sc.cur.rows)
		t.Values += int64(sc.cur.values)
		t.Raw += int64(sc.cur.raw)
		t.Size += int64(sc.cur.size)
	}
	return t, sc.Close()
}

// ColumnStats sums up all tuples of a column that were not released.
func (s *Shuffle) ColumnStats(col uint32) (Stats, error) {
	s.epoch.RLock()
	from := s.released
	s.epoch.RUnlock()
	return s.Stats(col, from, math.MaxUint64)
}
