package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
)

// largeRow returns schemas of a row that grows by a default to some megabytes, which the reader's own
// memory has no room for, and one such row, ending with an id, a varint of one byte.
func largeRow() (writer, reader string, row []byte) {
	const rows = `{"type":"record","name":"r","fields":[{"name":"list","type":{"type":"array","items":%s}},{"name":"id","type":"long"}]}`
	const element = `{"type":"record","name":"e","fields":[{"name":"n","type":"int"}%s]}`
	large := fmt.Sprintf(`,{"name":"d","type":"bytes","default":"%s"}`, strings.Repeat("d", 10_000))
	rnd := rand.New(rand.NewPCG(1, 0))
	row = binary.AppendVarint(nil, 400)
	for range 400 {
		row = binary.AppendVarint(row, int64(rnd.Int32())) // so that each input is a split
	}
	return fmt.Sprintf(rows, fmt.Sprintf(element, "")), fmt.Sprintf(rows, fmt.Sprintf(element, large)), append(row, 0, 14)
}

// A worker that fails keeps no memory from those whose inputs come before: its row was made large by
// a default, as one of theirs is.
func TestFailedWorkerGivesRoomBack(t *testing.T) {
	writer, reader, row := largeRow()
	list := row[: len(row)-1 : len(row)-1]
	text := func(schema string) string { return strings.Replace(schema, `"long"`, `"string"`, 1) }
	long := append(binary.AppendVarint(list, rowsort.MaxKey), make([]byte, rowsort.MaxKey)...)
	for name, c := range map[string]struct {
		writer, reader string
		good, bad      []byte
		sort           []string
	}{
		"rows in order": {writer, reader, row, list, nil}, // it has no id
		"sorted":        {text(writer), text(reader), append(list, 2, 'x'), long, []string{"id"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := storagetest.NewMem()
			m.Write("/reader.avsc", c.reader)
			m.Write("/in/0.avro", avroFile(t, c.writer, c.good))
			m.Write("/in/1.avro", avroFile(t, c.writer, c.bad))
			failsAt(t, "/in/1.avro", Options{
				SortBy: c.sort, FS: &lateFS{FS: m, late: "/in/0.avro", other: "/in/1.avro", read: make(chan struct{})},
			})
		})
	}
}

// failsAt runs a job of two workers with little memory of their own, which must fail with what is
// wrong with one input.
func failsAt(t *testing.T, input string, o Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	o.Inputs, o.Output, o.Schema, o.TempDirs = []string{"/in"}, "/out", "/reader.avsc", []string{t.TempDir()}
	o.Workers, o.SplitSize, o.Memory = 2, 3*units.KiB, units.GiB
	o.divide = func(s *memory.Share) { s.ReadShare = 64 << 10 }
	_, err := Convert(ctx, &o)
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), input) {
		t.Error(err)
	}
}

// So when inputs are read from their start, to look for damage: a row there has a branch that is not
// wanted.
func TestFailedSurveyGivesRoomBack(t *testing.T) {
	writer, reader, row := largeRow()
	option := func(schema, id string) string { return strings.Replace(schema, `"long"`, id, 1) }
	row = row[:len(row)-1]
	good, null := append(row[:len(row):len(row)], 2, 14), append(row[:len(row):len(row)], 0)
	writer, reader = option(writer, `["null","long"]`), option(reader, `["long"]`)
	damaged := []byte(avroFile(t, writer, good))
	damaged[len(damaged)-1] ^= 1

	m := storagetest.NewMem()
	m.Write("/reader.avsc", reader)
	m.Write("/in/0.avro", string(damaged))
	m.Write("/in/1.avro", avroFile(t, writer, good))
	m.Write("/in/2.avro", avroFile(t, writer, null))
	fs := &lateFS{FS: m, late: "/in/1.avro", other: "/in/2.avro", survey: true, read: make(chan struct{})}
	failsAt(t, "/in/2.avro", Options{FS: fs, OnCorrupt: CorruptSkipBlock, Log: slog.New(slog.NewTextHandler(fs, nil))})
	if !fs.began.Load() {
		t.Error("nothing was surveyed")
	}
}
