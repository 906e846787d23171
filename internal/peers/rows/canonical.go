package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A value in canonical form is any that JSON has, or a structure, whose fields have an order.
type structure []member

type member struct {
	name string
	v    any
}

// MarshalJSON writes the fields in order.
func (s structure) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range s {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(m.name)
		v, err := json.Marshal(m.v)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), v...)
	}
	return append(out, '}'), nil
}

func text(s string) any { return "s:" + s }

func octets(b []byte) any { return "x:" + hex.EncodeToString(b) }

func real(v float64) any {
	if math.IsNaN(v) {
		return "d:nan"
	}
	return fmt.Sprintf("d:%016x", math.Float64bits(v))
}

func date(days int32) any { return "date:" + strconv.Itoa(int(days)) }

// nanos returns a time as nanoseconds.
func nanos(prefix string, v, unit int64, zone string) any {
	return prefix + new(big.Int).Mul(big.NewInt(v), big.NewInt(unit)).String() + zone
}

// decimal writes a number with all digits of its scale.
func decimal(unscaled *big.Int, scale int) any {
	digits := new(big.Int).Abs(unscaled).String()
	if n := scale + 1 - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	sign, point := "", ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if scale > 0 {
		point = "." + digits[len(digits)-scale:]
	}
	return "n:" + sign + digits[:len(digits)-scale] + point
}

// twos returns the number of big-endian bytes in two's complement.
func twos(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}
