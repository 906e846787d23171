package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
)

// A worker that fails keeps no memory from those whose inputs come before: its row was made large by
// a default, as one of theirs is.
func TestFailedWorkerGivesRoomBack(t *testing.T) {
	const rows = `{"type":"record","name":"r","fields":[{"name":"list","type":{"type":"array","items":%s}},{"name":"id","type":"long"}]}`
	const element = `{"type":"record","name":"e","fields":[{"name":"n","type":"int"}%s]}`
	large := fmt.Sprintf(`,{"name":"d","type":"bytes","default":"%s"}`, strings.Repeat("d", 10_000))
	rnd := rand.New(rand.NewPCG(1, 0))
	row := binary.AppendVarint(nil, 400)
	for range 400 {
		row = binary.AppendVarint(row, int64(rnd.Int32())) // so that each input is a split
	}
	row = append(row, 0, 14)
	good := avroFile(t, fmt.Sprintf(rows, fmt.Sprintf(element, "")), row)
	bad := avroFile(t, fmt.Sprintf(rows, fmt.Sprintf(element, "")), row[:len(row)-1]) // no id

	m := storagetest.NewMem()
	m.Write("/reader.avsc", fmt.Sprintf(rows, fmt.Sprintf(element, large)))
	m.Write("/in/0.avro", good)
	m.Write("/in/1.avro", bad)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	o := Options{
		Inputs: []string{"/in"}, Output: "/out", Schema: "/reader.avsc", Workers: 2, SplitSize: 3 * units.KiB, Memory: units.GiB, TempDirs: []string{t.TempDir()},
		FS: &lateFS{FS: m, late: "/in/0.avro", other: "/in/1.avro", read: make(chan struct{})},
	}
	o.divide = func(s *memory.Share) { s.ReadShare = 64 << 10 }
	_, err := Convert(ctx, &o)
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "/in/1.avro") {
		t.Error(err)
	}
}
