package s3

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// algorithm is a checksum that services know: a CRC whose register begins, and ends, inverted.
type algorithm struct {
	name types.ChecksumAlgorithm // "" for none
	bits int
	poly uint64 // reflected
	sum  func(data []byte) uint64
}

var (
	nvme       = crc64.MakeTable(0x9a6c9329ac4bc9b5) // CRC-64/NVME
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// algorithms are those that are tried, in order.
var algorithms = []algorithm{
	{types.ChecksumAlgorithmCrc64nvme, 64, 0x9a6c9329ac4bc9b5, func(b []byte) uint64 { return crc64.Checksum(b, nvme) }},
	{types.ChecksumAlgorithmCrc32c, 32, crc32.Castagnoli, func(b []byte) uint64 { return uint64(crc32.Checksum(b, castagnoli)) }},
	{sum: func([]byte) uint64 { return 0 }},
}

// text returns a sum as headers have it.
func (a *algorithm) text(sum uint64) string {
	b := binary.BigEndian.AppendUint64(nil, sum)
	return base64.StdEncoding.EncodeToString(b[8-a.bits/8:])
}

// ticket returns a sum as tickets have it: crc64nvme:text.
func (a *algorithm) ticket(sum uint64) string {
	if a.name == "" {
		return ""
	}
	return strings.ToLower(string(a.name)) + ":" + a.text(sum)
}

// join returns the sum of two texts of bytes, from that of each and the length of the second.
// Each zero byte after a text changes its sum as a matrix of bits does; the powers of that
// matrix are made by squaring.
func (a *algorithm) join(first, second uint64, length int64) uint64 {
	if a.name == "" || length == 0 {
		return first ^ second
	}
	even, odd := make([]uint64, a.bits), make([]uint64, a.bits)
	odd[0] = a.poly // the matrix of one zero bit
	for i := 1; i < a.bits; i++ {
		odd[i] = 1 << (i - 1)
	}
	square(even, odd) // of two
	square(odd, even) // of four
	for from, to := odd, even; length > 0; length >>= 1 {
		square(to, from) // at first of eight: a byte
		if length&1 != 0 {
			first = times(to, first)
		}
		from, to = to, from
	}
	return first ^ second
}

func times(matrix []uint64, v uint64) (sum uint64) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 != 0 {
			sum ^= matrix[i]
		}
	}
	return sum
}

func square(to, from []uint64) {
	for i := range from {
		to[i] = times(from, from[i])
	}
}

// sumOf returns the checksum of the whole object that a description has, as in tickets; ""
// if there is none.
func sumOf(out *s3.HeadObjectOutput) string {
	switch {
	case out.ChecksumType == types.ChecksumTypeComposite:
		return "" // of its parts' sums
	case out.ChecksumCRC64NVME != nil:
		return "crc64nvme:" + *out.ChecksumCRC64NVME
	case out.ChecksumCRC32C != nil && !strings.Contains(*out.ChecksumCRC32C, "-"):
		return "crc32c:" + *out.ChecksumCRC32C
	}
	return ""
}

// setSum puts a sum, as tickets have it, into the field of its algorithm.
func setSum(text string, nvme, crc32c **string) {
	switch name, sum, _ := strings.Cut(text, ":"); name {
	case "crc64nvme":
		*nvme = &sum
	case "crc32c":
		*crc32c = &sum
	}
}
