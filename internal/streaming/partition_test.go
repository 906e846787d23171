package streaming

import (
	"math/big"
	"strings"
	"testing"
)

// polynomial is BinaryPartitioner's hash, worked out in whole numbers: 31^4 plus the
// bytes, signed, times powers of 31, of which the low 31 bits count.
func polynomial(v uint32) int64 {
	sum := new(big.Int).Exp(big.NewInt(31), big.NewInt(4), nil)
	for i, power := range []int64{29791, 961, 31, 1} {
		b := int8(v >> (24 - 8*i))
		sum.Add(sum, big.NewInt(int64(b)*power))
	}
	return sum.And(sum, big.NewInt(1<<31-1)).Int64()
}

// Each partition has a number that lands on its own reducer.
func TestPartitions(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		all, err := Partitions(n)
		if err != nil || len(all) != n {
			t.Fatalf("%d partitions: %d, %v", n, len(all), err)
		}
		for p, v := range all {
			if got := polynomial(v) % int64(n); got != int64(p) {
				t.Fatalf("%d partitions: number %d, of partition %d, lands on reducer %d", n, v, p, got)
			}
		}
	}
}

func TestManyPartitions(t *testing.T) {
	for _, n := range []int{8160, 8161, 65_537, MaxPartitions} {
		all, err := Partitions(n)
		if err != nil {
			t.Fatal(err)
		}
		for p, v := range all {
			if polynomial(v)%int64(n) != int64(p) {
				t.Fatalf("%d partitions: partition %d lands elsewhere", n, p)
			}
		}
	}
	for _, n := range []int{0, -1, MaxPartitions + 1} {
		if _, err := Partitions(n); err == nil || !strings.Contains(err.Error(), "must be from 1") {
			t.Errorf("%d partitions: %v", n, err)
		}
	}
}
