package parquet

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/parquet"
)

// twos returns a number in two's complement, with some more bytes than it needs.
func twos(v *big.Int, more int) []byte {
	n := v.BitLen()/8 + 1 + more
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v.FillBytes(make([]byte, n))
}

// TestDecimal has, for each number of digits, the numbers around the bounds, and random ones,
// in as few bytes as they need and in more.
func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	one := big.NewInt(1)
	for precision := 1; precision <= 60; precision++ {
		l := lay(t, field(fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d}`, precision)), Options{Logical: All})
		column := l.Schema.Leaves[0].Node
		d := NewDecimal(column)
		bound := tenTo(precision)
		values := []*big.Int{new(big.Int), one, new(big.Int).Sub(bound, one), bound, new(big.Int).Add(bound, one), new(big.Int).Lsh(bound, 70)}
		for range 20 {
			values = append(values, new(big.Int).Rsh(bound, uint(r.IntN(bound.BitLen()))))
		}
		for _, v := range values {
			for _, v := range []*big.Int{v, new(big.Int).Neg(v)} {
				avro := twos(v, r.IntN(3))
				got, ok := d.Append([]byte("x"), avro)
				if fits := v.CmpAbs(bound) < 0; ok != fits || got[0] != 'x' {
					t.Fatalf("%v of %d digits: %t", v, precision, ok)
				} else if !fits {
					continue
				}
				if want := leveltest.Plain(nil, column, stored(column, v)); string(got[1:]) != string(want) {
					t.Fatalf("%v of %d digits is %x, want %x", v, precision, got[1:], want)
				}
			}
		}
	}
}

// stored returns a number as leveltest has a value of the column.
func stored(column *parquet.Node, v *big.Int) any {
	switch column.Type {
	case parquet.Int32:
		return int32(v.Int64())
	case parquet.Int64:
		return v.Int64()
	}
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*column.Length)))
	}
	return string(v.FillBytes(make([]byte, column.Length)))
}

// TestDecimalOfNoBytes is 0.
func TestDecimalOfNoBytes(t *testing.T) {
	for _, precision := range []int{5, 15, 25} {
		l := lay(t, field(fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d}`, precision)), Options{})
		d := NewDecimal(l.Schema.Leaves[0].Node)
		got, ok := d.Append(nil, nil)
		if !ok || string(got) != string(make([]byte, d.size)) {
			t.Errorf("%d digits: %x, %t", precision, got, ok)
		}
	}
}
