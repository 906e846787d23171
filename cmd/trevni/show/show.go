// Package show has the look of what people read: tables of text, numbers, values cut short.
//
//	Grid     rows of cells, aligned
//	Short    bytes on one line, cut, without characters that terminals act on
//	Comma    1,234,567
//	Plural   1 file, 2 files
package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Comma writes a number with its thousands apart.
func Comma[T int | int64 | uint64 | uint32](n T) string { return humanize.Comma(int64(n)) }

// Plural writes a number and what it counts.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Comma(n) + " " + many
}

// Percent writes a share of 0 to 1.
func Percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// longest is the largest number of characters of a value in a table.
const longest = 100

// Short returns a value for a table: on one line, without characters that terminals act on,
// and cut if it is long.
func Short(value []byte) string {
	if !utf8.Valid(value) {
		return cut(fmt.Sprintf("0x%x", value[:min(len(value), longest)]), len(value))
	}
	return cut(Line(value), len(value))
}

// Line returns a text on one line, with spaces for what terminals act on and U+FFFD for what is
// not UTF-8.
func Line(value []byte) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(value), "\ufffd"))
}

// Bar returns a bar of a share of 0 to 1 of so many characters, in eighths of one; what is not
// nothing is seen.
func Bar(share float64, width int) string {
	eighths := int(share*float64(8*width) + 0.5)
	if eighths == 0 && share > 0 {
		eighths = 1
	}
	bar := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
	}
	return bar
}

// cut cuts a text that is long, and then adds the bytes of the whole.
func cut(text string, whole int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return fmt.Sprintf("%s... (%s bytes)", string([]rune(text)[:longest]), Comma(whole))
}
