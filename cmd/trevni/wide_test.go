package main

import (
	"fmt"
	"strings"
	"testing"

	"avro2trevni/trevni"
)

// TestManyColumns looks at a file of very many columns, half of them below an array. Work
// in proportion to their square would take minutes.
func TestManyColumns(t *testing.T) {
	const n = 20_000
	columns := []made{{trevni.Column{Name: "a[]", Array: true}, []part{{2, longs(2, 1), nil}}}}
	for i := range n {
		columns = append(columns,
			made{trevni.Column{Name: fmt.Sprint("p", i), Type: trevni.Int}, []part{{2, longs(1, 2), nil}}},
			made{trevni.Column{Name: fmt.Sprint("c", i), Type: trevni.Boolean, Parent: "a[]"}, []part{{2, []byte{5}, nil}}})
	}
	name := build(t, t.TempDir(), columns, nil)
	for verb, says := range map[string]string{"meta": "c19999", "verify": "40,001 columns", "scan": "40,001 columns"} {
		code, stdout, stderr := trevniRun(verb, name)
		if code != 0 || !strings.Contains(stdout, says) {
			t.Errorf("%s: exit status %d, %d bytes, %s", verb, code, len(stdout), stderr)
		}
		three := 0
		for line := range strings.Lines(stdout) {
			if f := strings.Fields(line); verb == "scan" && len(f) > 2 && f[1] == "boolean" && f[2] == "3" {
				three++
			}
		}
		if verb == "scan" && three != n {
			t.Errorf("%d columns have three values, want %d:\n%.300s", three, n, stdout)
		}
	}
}

// TestManyBorders: blocks far below arrays are not counted where no memory would do.
func TestManyBorders(t *testing.T) {
	const depth, blocks = 1000, 80_000
	var columns []made
	for i := range depth {
		c := trevni.Column{Name: fmt.Sprint(i), Array: true}
		parts := []part{{blocks, longs(2 - 2*blocks), nil}} // a length of one each
		if i > 0 {
			c.Parent = fmt.Sprint(i - 1)
		}
		if i == depth-1 {
			parts = nil
			for range blocks {
				parts = append(parts, part{1, longs(0), nil})
			}
		}
		columns = append(columns, made{c, parts})
	}
	name := build(t, t.TempDir(), columns, nil)
	code, _, stderr := trevniRun("verify", name)
	if code != 4 || !strings.Contains(stderr, "columns too deep, of too many blocks") {
		t.Errorf("exit status %d, %s", code, stderr)
	}
}
