package rowtext

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// LogicalHelp is what cat's help says of --logical.
const LogicalHelp = `--logical prints dates, times, timestamps, decimals, UUIDs and durations as strings in their
usual notation: "2026-03-01", "13:45:30.250", "2026-03-01T13:45:30.250Z" (without Z for a
local type), "-12.50", "P1M2DT3.004S". An invalid value, such as a time of more than a day,
is printed as without --logical.`

// logical writes the next value in the usual notation of its logical type, and reports
// whether the type has one. A value that is invalid for the type is written as its
// underlying type.
func (j *JSON) logical(s *schema.Schema) bool {
	was := j.src
	var number int64
	var data []byte
	switch s.Kind {
	case schema.Int, schema.Long:
		number = j.long()
	case schema.Fixed:
		data = j.take(s.Size)
	case schema.Bytes:
		data = j.take(j.long())
	default:
		return false
	}
	if j.err != nil {
		return true
	}
	text, ok := "", false
	switch s.Kind {
	case schema.Fixed:
		text, ok = fixedText(s, data)
	case schema.Bytes:
		text, ok = bytesText(s.Logical, data)
	default:
		text, ok = moment(s.Logical.Name, number)
	}
	if !ok {
		j.src = was
		return false
	}
	j.quoted([]byte(text))
	return true
}

// units are the parts of a second that logical types count in, and the digits after
// the second.
var units = map[string]struct {
	perSecond int64
	digits    int
}{"millis": {1e3, 3}, "micros": {1e6, 6}, "nanos": {1e9, 9}}

// moment returns a date, a time of day or a timestamp.
func moment(logical string, v int64) (string, bool) {
	if logical == "date" {
		return day(time.Unix(v*86400, 0).UTC()), true
	}
	kind, unit, _ := cutLast(logical, "-")
	u, ok := units[unit]
	if !ok {
		return "", false
	}
	seconds, part := v/u.perSecond, v%u.perSecond
	if part < 0 {
		seconds, part = seconds-1, part+u.perSecond
	}
	fraction := fmt.Sprintf(".%0*d", u.digits, part)
	t := time.Unix(seconds, 0).UTC()
	switch kind {
	case "time":
		return t.Format(time.TimeOnly) + fraction, v >= 0 && seconds < 86400
	case "timestamp":
		return day(t) + "T" + t.Format(time.TimeOnly) + fraction + "Z", true
	case "local-timestamp":
		return day(t) + "T" + t.Format(time.TimeOnly) + fraction, true
	}
	return "", false
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// day returns a date; a year of other than four digits has a sign (ISO 8601).
func day(t time.Time) string {
	year := fmt.Sprintf("%04d", t.Year())
	if t.Year() < 0 || t.Year() > 9999 {
		year = fmt.Sprintf("%+05d", t.Year())
	}
	return fmt.Sprintf("%s-%02d-%02d", year, t.Month(), t.Day())
}

func fixedText(s *schema.Schema, b []byte) (string, bool) {
	switch s.Logical.Name {
	case "uuid":
		h := hex.EncodeToString(b)
		return fmt.Sprintf("%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:]), true
	case "duration":
		return duration(b), true
	}
	return bytesText(s.Logical, b)
}

// duration returns three little-endian numbers, of months, days and milliseconds, as
// ISO 8601 has them.
func duration(b []byte) string {
	months, days, millis := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	out := "P"
	if months > 0 {
		out += fmt.Sprintf("%dM", months)
	}
	if days > 0 {
		out += fmt.Sprintf("%dD", days)
	}
	if millis > 0 {
		out += "T" + strconv.Itoa(int(millis/1000))
		if part := millis % 1000; part > 0 {
			out += fmt.Sprintf(".%03d", part)
		}
		out += "S"
	}
	if out == "P" {
		return "P0D"
	}
	return out
}

// Bounds of what is written as a decimal: to write digits takes time by the square of
// their number, and zeros are made of a few bytes.
const (
	maxDecimal = 1 << 10
	maxScale   = 1 << 12
)

func bytesText(l schema.Logical, b []byte) (string, bool) {
	scale := int64(l.Scale)
	switch l.Name {
	case "decimal":
	case "big-decimal":
		size, n := block.ReadLong(b)
		if n <= 0 || size < 0 || size > int64(len(b)-n) {
			return "", false
		}
		digits, rest := b[n:n+int(size)], b[n+int(size):]
		if scale, n = block.ReadLong(rest); n <= 0 || n != len(rest) {
			return "", false
		}
		b = digits
	default:
		return "", false
	}
	if len(b) > maxDecimal || scale < -maxScale || scale > maxScale {
		return "", false
	}
	return decimal(b, int(scale)), true
}

// decimal returns a big-endian number in two's complement with its last scale digits
// after a point, or, scale being negative, as many zeros more.
func decimal(b []byte, scale int) string {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	digits := v.Abs(v).String()
	if scale <= 0 {
		if digits != "0" {
			digits += strings.Repeat("0", -scale)
		}
		return sign + digits
	}
	if short := scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	at := len(digits) - scale
	return sign + digits[:at] + "." + digits[at:]
}
