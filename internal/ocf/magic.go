package ocf

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// magic are the first bytes of an Avro data file.
const magic = "Obj\x01"

// others are the first bytes of files that are handed to us instead.
var others = []struct{ magic, what string }{
	{"Obj\x00", "a data file of Avro before 1.3, which no longer is read"},
	{"Obj", "an Avro data file of another version"},
	{"\xc3\x01", "a single Avro object, without container"},
	{"Trv", "a Trevni file"},
	{"PAR1", "a Parquet file"},
	{"ORC", "an ORC file"},
	{"SEQ", "a Hadoop sequence file"},
	{"ARROW1", "an Arrow file"},
	{"\x1f\x8b", "compressed by gzip as a whole"},
	{"BZh", "compressed by bzip2 as a whole"},
	{"\xfd7zXZ\x00", "compressed by xz as a whole"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd as a whole"},
	{"PK\x03\x04", "a zip file"},
}

// checkMagic checks the first bytes of a file; b holds some or all of them. It returns
// errShort if they are right but incomplete.
func checkMagic(b []byte) error {
	n := min(len(b), len(magic))
	if string(b[:n]) == magic[:n] {
		if n < len(magic) {
			return errShort
		}
		return nil
	}
	return corruptf("not an Avro data file: it begins with %q instead of %q%s", b[:n], magic, seems(b))
}

// seems says what b, which is no Avro data file, begins like.
func seems(b []byte) string {
	for _, o := range others {
		if bytes.HasPrefix(b, []byte(o.magic)) {
			return fmt.Sprintf(", as if %s", o.what)
		}
	}
	head := b[:min(len(b), 64)]
	if isText(head) {
		return ", as if text"
	}
	if len(bytes.Trim(head, "\x00")) == 0 {
		return ", zeros only, as if it was never written"
	}
	return ""
}

// isText reports whether b, which may be cut in the middle of a rune, is text.
func isText(b []byte) bool {
	s := string(b)
	for i := 0; i < utf8.UTFMax && !utf8.ValidString(s); i++ {
		s = s[:len(s)-1]
	}
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f", r) }
	return s != "" && utf8.ValidString(s) && strings.IndexFunc(s, control) < 0
}
