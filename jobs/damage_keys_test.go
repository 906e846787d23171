package jobs

import (
	"bytes"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
)

// Rows of a block that is left out do not count: neither their partitions, nor keys and names
// of folders that are too long.
func TestSkippedRowsHaveNoKeys(t *testing.T) {
	whole := func(first int64, n int) (raw []byte) {
		for id := range int64(n) {
			raw = appendRow(raw, first+id)
		}
		return raw
	}
	long := func(n int) []byte {
		text := strings.Repeat("x", n)
		row := appendRow(nil, 0)
		return append(append(row[:1:1], byte(2*n&127|128), byte(2*n>>7)), text...)
	}
	file := func(bad []byte, rows int) []byte {
		var file bytes.Buffer
		w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: blocksSchema, BlockBytes: 1})
		must(t, err)
		must(t, w.Append(whole(0, 2), 2))
		must(t, w.Append(bad, rows))
		must(t, w.Append(whole(2, 2), 2))
		must(t, w.Close())
		return file.Bytes()
	}
	tests := []struct {
		name string
		o    Options
		bad  []byte // rows of a block
		rows int
		says string // where they are not damaged
	}{
		{"partitions", Options{PartitionBy: "s", MaxPartitions: 4}, whole(10, 3), 3, "more than 4 partitions"},
		{"folder", Options{PartitionBy: "s"}, long(300), 1, "would have 302 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, mode := range []string{CorruptSkipBlock, CorruptSkipFile} {
				o := tt.o
				o.OnCorrupt = mode
				files := map[string][]byte{"a.avro": file(tt.bad, tt.rows+1), "b.avro": file(whole(0, 1), 1)}
				_, _, rep, err := skipJob(t, o, files)
				wantExit(t, err, exit.StatusSome, "damaged input was skipped")
				if want := map[string]int64{CorruptSkipBlock: 9, CorruptSkipFile: 5}[mode]; rep.Counters.Rows != want {
					t.Errorf("%s: %d rows, want %d", mode, rep.Counters.Rows, want)
				}
				files["a.avro"] = file(tt.bad, tt.rows) // whole, but for what it says
				_, _, _, err = skipJob(t, o, files)
				if err == nil || !strings.Contains(err.Error(), tt.says) || exit.Code(err) == exit.StatusSome {
					t.Errorf("%s: %v, want %s", mode, err, tt.says)
				}
			}
		})
	}
}
