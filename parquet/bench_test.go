package parquet

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkDictionary looks up pages of 20,000 numbers of which a chunk has as many as said.
func BenchmarkDictionary(b *testing.B) {
	const values = 20000
	for _, distinct := range []int{7, 2500, 20000, 120000} {
		b.Run(fmt.Sprintf("distinct=%d", distinct), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			d := newDictionary(8, 1<<20)
			data, to := make([]byte, 8*values), make([]int32, values)
			b.SetBytes(values)
			for b.Loop() {
				b.StopTimer()
				for i := range values {
					binary.LittleEndian.PutUint64(data[8*i:], uint64(r.IntN(distinct))*1000003)
				}
				b.StartTimer()
				d.look(to, data, nil)
			}
		})
	}
}
