package streaming

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxPartitions is the largest number of partitions of a job.
const MaxPartitions = 100_000

// Partitions returns, for each of n partitions, the number at the start of its keys.
// BinaryPartitioner, configured for bytes 0 to 3, maps it to the reducer with the
// partition's number. It uses a polynomial hash modulo the reducers; numbers from 0 on
// would collide on some reducers and leave others idle.
func Partitions(n int) ([]uint32, error) {
	if n < 1 || n > MaxPartitions {
		return nil, fmt.Errorf("streaming: %d partitions: must be from 1 to %d", n, MaxPartitions)
	}
	all, known := make([]uint32, n), make([]bool, n)
	for v, left := uint32(0), n; left > 0; v++ {
		if r := reducerOf(v, n); !known[r] {
			all[r], known[r] = v, true
			left--
		}
	}
	return all, nil
}

// reducerOf is BinaryPartitioner.getPartition of a key that begins with v.
func reducerOf(v uint32, reducers int) int {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v)
	hash := int32(1)
	for _, c := range b {
		hash = 31*hash + int32(int8(c))
	}
	return int(hash&math.MaxInt32) % reducers
}
