// Package hive has the names of partition folders, as Hive and Spark write and read them:
//
//	OUT/country=DE/part-00000.trv
//	OUT/_type=a%2Fb/part-00000.trv
//	OUT/country=__HIVE_DEFAULT_PARTITION__/part-00000.trv     nulls, and empty strings
package hive

import (
	"strings"
	"unicode/utf8"
)

// NoValue is the value in the name of the folder of nulls and empty strings.
const NoValue = "__HIVE_DEFAULT_PARTITION__"

// IsPartition reports whether a name is that of a partition's folder: a field and a value,
// FIELD=VALUE, neither of them empty. Readers of a folder leave out a name that begins with
// an underscore, but not one that has a value; one that begins with a dot they always leave
// out.
func IsPartition(name string) bool {
	field, value, _ := strings.Cut(name, "=")
	return field != "" && value != "" && field[0] != '.' && !strings.Contains(name, "/") && utf8.ValidString(name)
}

// Escape appends a field's name or a value with % and two digits for each byte that a name
// cannot have or that Hive takes for something else.
func Escape(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		b := text[i]
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n <= 1, b < ' ', b == 0x7f, strings.IndexByte(`"#%'*/:=?\{}[]^<>|`, b) >= 0, i == 0 && b == '.':
			dst = appendHex(dst, b)
			n = 1
		default:
			dst = append(dst, text[i:i+n]...)
		}
		i += n
	}
	return dst
}

// EscapeBytes is [Escape] for bytes that are no text: only what is printable stays.
func EscapeBytes(dst, data []byte) []byte {
	for _, b := range data {
		if b <= ' ' || b >= 0x7f {
			dst = appendHex(dst, b)
		} else {
			dst = Escape(dst, []byte{b})
		}
	}
	return dst
}

func appendHex(dst []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[b>>4], digits[b&15])
}
