package sorting

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	trv "avro2trevni/internal/format/trevni"

	"avro2trevni/internal/columns"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
	"avro2trevni/trevni/block"
)

// fullSink is a sink that takes nothing.
type fullSink struct{}

var errFullSink = errors.New("full")

func (fullSink) Buffer(n int) ([]byte, error) { return make([]byte, 0, n), nil }

func (fullSink) Add(tuple.Tuple) error { return errFullSink }

// A worker that fails on a split of sorted rows gives its memory back: that is taken when a large one is merged.
func TestFailedSplitGivesRoomBack(t *testing.T) {
	s, err := schema.ParseText(`"string"`)
	jobtest.Must(t, err)
	layout, err := columns.LayOut(s.All())
	jobtest.Must(t, err)
	p, err := mapper.Compile(s.Schema, layout)
	jobtest.Must(t, err)
	plain := []block.Coding{{Codec: block.Codec{Name: "null"}}}
	pool := memory.NewReadPool(0, 1<<20)
	row := append(binary.AppendVarint(nil, 100_000), make([]byte, 100_000)...)
	split := &Split{runs: []kindRun{{rows: 1, large: row}}, pool: pool, large: pool.Reader(t.Context()), taken: int64(len(row))}
	jobtest.Must(t, split.large.Acquire(split.taken))
	rows := &Rows{w: &stages.Work{Progress: new(watch.Progress), Doing: new(watch.Activities)}, programs: []*mapper.Program{p}}
	_, err = rows.MapSplit(t.Context(), split, mapper.New(p, mapper.Options{}, trv.NewEncoder(trv.Columns(layout), plain, false), &fullSink{}))
	if !errors.Is(err, errFullSink) {
		t.Errorf("it says %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	jobtest.Must(t, pool.Reader(ctx).Acquire(1<<20)) // it would wait
}
