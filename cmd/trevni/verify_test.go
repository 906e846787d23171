package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

func TestVerifyFinds(t *testing.T) {
	set := func(i, block int, raw []byte) func([]made) {
		return func(m []made) { m[i].parts[block].raw = raw }
	}
	for _, test := range []struct {
		name   string
		change func([]made)
		edit   func([]byte) []byte
		want   []string // a line each; none: nothing is wrong
	}{
		{name: "nothing"},
		{name: "value less than elements", change: set(1, 0, longs(1)),
			want: []string{`column "a\[\]#x" block 0 at \d+: 2 elements of parent "a\[\]" expected: number is cut short$`}},
		{name: "value more than elements", change: set(1, 1, longs(9)),
			want: []string{`column "a\[\]#x" block 1 at \d+: 1 bytes after the values of 0 elements of parent "a\[\]"`}},
		{name: "length more than elements", change: set(2, 0, longs(1, 5, 0, 2, 6, 7, 0)),
			want: []string{`column "a\[\]#y\[\]" block 0 at \d+: 4 lengths, 3 elements of parent "a\[\]"`}},
		{name: "booleans less than elements of elements", change: set(3, 1, nil),
			want: []string{`column "a\[\]#y\[\]#b" block 1 at \d+: 2 elements of parent "a\[\]#y\[\]" expected: `}},
		{name: "length less than rows, children unknown", change: set(0, 0, longs(2)),
			want: []string{`column "a\[\]" block 0 at \d+: 1 lengths, 2 rows`}},
		{name: "values less than rows", change: func(m []made) { m[4].parts[0] = part{2, longs(300), longs(300)} },
			want: []string{`column "z" block 0 at \d+: 2 rows expected: `}},
		{name: "first value", change: func(m []made) { m[4].parts[1].first = longs(13) },
			want: []string{`column "z" block 1 at \d+: the first value is not the descriptor's`}},
		{name: "int of more than 32 bits", change: set(1, 2, longs(math.MaxInt32+1)),
			want: []string{`column "a\[\]#x" block 2 at \d+: int 2147483648 does not fit 32 bits`}},
		{name: "two blocks", change: func(m []made) { set(1, 0, longs(1))(m); set(1, 2, nil)(m) },
			want: []string{`block 0`, `block 2`}},
		{name: "bytes after the end", edit: func(b []byte) []byte { return append(b, 1, 2, 3) },
			want: []string{`at \d+: 3 unused bytes after column "z"`}},
		{name: "checksum", edit: func(b []byte) []byte { b[len(b)-1]++; return b },
			want: []string{`column "z" block 1 at \d+: checksum mismatch`}},
		{name: "cut", edit: func(b []byte) []byte { return b[:len(b)-1] },
			want: []string{`column "z" at \d+: block 1 at \d+ ends at`}},
		{name: "cut in header", edit: func(b []byte) []byte { return b[:20] }, want: []string{`at 16: header: 5 columns in the 4 bytes left`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			columns := good()
			if test.change != nil {
				test.change(columns)
			}
			name := build(t, t.TempDir(), columns, test.edit)
			code, out, errs := trevniRun("verify", "-q", name)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if len(test.want) == 0 {
				if code != 0 || out != "" || errs != "" {
					t.Fatalf("exit status %d\n%s%s", code, out, errs)
				}
				return
			}
			if code != 1 || len(lines) != len(test.want) {
				t.Fatalf("exit status %d, want 1 and %d lines\n%s%s", code, len(test.want), out, errs)
			}
			for i, want := range test.want {
				if !regexp.MustCompile(want).MatchString(lines[i]) || !strings.HasPrefix(lines[i], name+": ") {
					t.Errorf("%s\ndoes not match %s", lines[i], want)
				}
			}
		})
	}
}

// grown is a column of lists within lists to be: the elements of each row.
type grown struct {
	name  string
	rows  [][]int // lengths, one for each of the parent's elements in the row
	array bool
}

// grow draws a tree of columns, three deep, over some rows.
func grow(t *rapid.T) []grown {
	length := rapid.SampledFrom([]int{0, 0, 0, 1, 1, 1, 2, 3})
	rows := rapid.IntRange(0, 40).Draw(t, "rows")
	top := grown{name: "a", array: true}
	for range rows {
		top.rows = append(top.rows, []int{length.Draw(t, "length")})
	}
	below := func(g grown, name string, array bool) grown {
		b := grown{name: name, array: array}
		for _, lengths := range g.rows {
			var of []int
			for _, n := range lengths {
				for range n {
					of = append(of, length.Draw(t, "length"))
				}
			}
			b.rows = append(b.rows, of)
		}
		return b
	}
	b := below(top, "b", true)
	return []grown{top, b, below(top, "c", false), below(b, "d", false), below(b, "e", true)}
}

// cutUp makes the column's blocks, cut at rows that are drawn.
func (g *grown) cutUp(t *rapid.T, parent string) made {
	m := made{Column: trevni.Column{Name: g.name, Type: trevni.Int, Parent: parent, Array: g.array}}
	for at := 0; at < len(g.rows); {
		n := rapid.IntRange(0, len(g.rows)-at).Draw(t, "block")
		m.parts = append(m.parts, g.block(g.rows[at:at+n], n))
		at += n
	}
	return m
}

func (g *grown) block(rows [][]int, n int) part {
	var l block.Lengths
	l.Reset()
	var raw []byte
	for _, of := range rows {
		for _, length := range of {
			if !g.array {
				raw = append(raw, longs(7)...)
				continue
			}
			raw = l.Add(raw, length)
			raw = append(raw, bytes.Repeat(longs(7), length)...)
		}
	}
	return part{rows: n, raw: l.Close(raw)}
}

// Whatever the rows that blocks are cut at, children fit their parents; and a value
// less in one block is found there and nowhere else.
func TestVerifyParents(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		parents := []string{"", "a", "a", "b", "b"}
		var columns []made
		for i, g := range grow(t) {
			columns = append(columns, g.cutUp(t, parents[i]))
		}
		name := build(t, dir, columns, nil)
		if code, out, errs := trevniRun("verify", name); code != 0 {
			t.Fatalf("exit status %d: %s%s", code, out, errs)
		}
		leaf := rapid.SampledFrom([]int{2, 3}).Draw(t, "leaf")
		var nonempty []int
		for b, p := range columns[leaf].parts {
			if len(p.raw) > 0 {
				nonempty = append(nonempty, b)
			}
		}
		if len(nonempty) == 0 {
			return
		}
		b := rapid.SampledFrom(nonempty).Draw(t, "broken")
		p := &columns[leaf].parts[b]
		p.raw = p.raw[1:]
		code, out, _ := trevniRun("verify", build(t, dir, columns, nil))
		want := regexp.MustCompile(`^\S+: column "[cd]" block ` + show.Comma(b) + ` at \d+: .* expected`)
		if code != 1 || strings.Count(out, "\n") != 1 || !want.MatchString(out) {
			t.Fatalf("exit status %d, block %d of column %d: %s", code, b, leaf, out)
		}
	})
}

// Whatever the bytes, no verb does worse than to fail.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(build(t, dir, good(), nil))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.trv")
	try := func(what string, at int, bad []byte) {
		if err := os.WriteFile(other, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", other}, {"meta", "--blocks", other}, {"scan", other}} {
			if code, _, errs := trevniRun(args...); code != 0 && code != 1 && code != 4 || code == 0 && what == "cut" {
				t.Errorf("%s at %d: %s: exit status %d: %s", what, at, args[0], code, errs)
			}
		}
	}
	for at := range data {
		bad := bytes.Clone(data)
		bad[at] ^= 0x81
		try("flip", at, bad)
		if at%3 == 0 && at < len(data)-60 { // meta reads no further than descriptors
			try("cut", at, data[:at])
		}
	}
}

// Every byte of a file is covered: one that changed is found, or it is one of the
// texts of the header.
func TestVerifyFlips(t *testing.T) {
	dir := t.TempDir()
	name := build(t, dir, good(), nil)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.LastIndex(data[:len(data)-40], []byte("trevni.values")) + len("trevni.values") + 1
	first := int(binary.LittleEndian.Uint64(data[start:]))
	for at := first; at < len(data); at++ {
		bad := bytes.Clone(data)
		bad[at] ^= 0x10
		other := filepath.Join(dir, "bad.trv")
		if err := os.WriteFile(other, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := trevniRun("verify", other); code != 1 && !strings.Contains(errs, "the limit is") {
			t.Errorf("byte %d of %d: exit status %d: %s%s", at, len(data), code, out, errs)
		}
	}
}

// TestGoodIsReadable: what verify calls good, cat prints, whatever byte of the header or of
// a descriptor is another, or meets a value that the schema does not allow. A file without a
// schema has columns only, as verify says.
func TestGoodIsReadable(t *testing.T) {
	data, err := os.ReadFile("../../testdata/trevni/java-1.12.1-writer-snappy-crc32/fastavro-1.13.1-nested.trv")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.trv")
	good := 0
	for at := range 2100 {
		for _, flip := range []byte{1, 0x80} {
			data[at] ^= flip
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
			data[at] ^= flip
			code, verified, _ := trevniRun("verify", name)
			if code != 0 || strings.Contains(verified, "no avro.schema") {
				continue
			}
			good++
			if code, _, stderr := trevniRun("cat", name); code != 0 && !strings.Contains(stderr, " of a fixed of ") {
				t.Errorf("byte %d ^ %#x: verify says %s, cat %s", at, flip, verified, stderr)
			}
		}
	}
	if good == 0 {
		t.Error("no change was let pass")
	}
}
