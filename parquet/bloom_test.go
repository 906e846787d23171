package parquet

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/bloom"
)

func eight(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// TestFold compares folded filters with those that had their size from the start.
func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 20, 1000, 30000, 300000, 1500000} {
		large := newFilter()
		values := make([]uint64, n)
		for i := range values {
			values[i] = r.Uint64()
			large.add(eight(values[i]))
		}
		folded := large.fold()
		direct := make(filter, len(folded))
		for _, v := range values {
			direct.add(eight(v))
		}
		if !reflect.DeepEqual(folded, direct) {
			t.Errorf("%d values: folded to %d blocks the filter is another", n, len(folded))
		}
		if n == 0 && len(folded) != 1 || n == 1500000 && len(folded) != len(large) {
			t.Errorf("%d values: %d blocks", n, len(folded))
		}
		if size := blockBytes * len(folded); n >= 1000 && n <= 300000 && (size < n || size > 3*n) {
			t.Errorf("%d values: %d bytes", n, size)
		}
		wrong, tries := 0, 5000
		for range tries {
			v := newFilterValue(r)
			if hasValue(folded, v) {
				wrong++
			}
		}
		if rate := float64(wrong) / float64(tries); n <= 300000 && rate > 1.5*falseRate || rate-folded.rate() > 0.02 {
			t.Errorf("%d values: wrong for %v, by its bits %v", n, rate, folded.rate())
		}
	}
}

func newFilterValue(r *rand.Rand) []byte { return []byte(fmt.Sprint("not there ", r.Uint64())) }

// hasValue reports whether the filter seems to have the value.
func hasValue(f filter, v []byte) bool {
	return bloom.SplitBlockFilter(f).Check(xxhash.Sum64(v))
}

func TestFilterRefused(t *testing.T) {
	for _, column := range []int{-1, 1, 0} {
		s := one(t, Column("", Required, Boolean, Logical{}))
		if _, err := NewEncoder(s, EncoderOptions{Filters: []int{column}}); err == nil {
			t.Errorf("column %d has a filter", column)
		}
	}
}
